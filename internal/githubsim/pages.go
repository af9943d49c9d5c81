package githubsim

import (
	"net/http"
	"strings"

	"waybill/internal/githubsim/signin"
)

// servePages serves the pages for signing in and creating Apps, and leaves all other pages to ShowPages.
func (s *Server) servePages(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, signin.IssuerPath+"/"):
		s.issuer.ServeHTTP(w, r)
	case !s.signIn.Serve(w, r):
		s.pages().ServeHTTP(w, r)
	}
}

// ShowPages serves pages for people at the links in the APIs' answers. Without it these links do not work.
func (s *Server) ShowPages(pages http.Handler) {
	s.hub.Lock()
	defer s.hub.Unlock()
	s.shown = pages
}

func (s *Server) pages() http.Handler {
	s.hub.Lock()
	defer s.hub.Unlock()
	if s.shown == nil {
		return http.NotFoundHandler()
	}
	return s.shown
}
