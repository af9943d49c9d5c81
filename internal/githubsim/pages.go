package githubsim

import (
	"net/http"
	"strings"
	"waybill/internal/githubsim/signin"
)

// servePages answers browsers: the sign-in of people and the making of Apps by itself, everything else by the pages
// of ShowPages.
func (s *Server) servePages(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, signin.IssuerPath+"/"):
		s.issuer.ServeHTTP(w, r)
	case !s.signIn.Serve(w, r):
		s.pages().ServeHTTP(w, r)
	}
}

// ShowPages puts pages for people behind the links that the APIs hand out. Without it there are none.
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
