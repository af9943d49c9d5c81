package githubsim

import (
	"net/http"
	"strings"
)

// servePages answers browsers: the sign-in of people and the making of Apps by itself, everything else by the pages that
// somebody has put there.
func (s *Server) servePages(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, issuerPath+"/"):
		s.serveIssuer(w, r)
	case r.URL.Path == "/login/oauth/authorize":
		s.authorize(w, r)
	case r.URL.Path == "/login/oauth/access_token" && r.Method == http.MethodPost:
		s.accessToken(w, r)
	case strings.HasSuffix(r.URL.Path, "/settings/apps/new") && r.Method == http.MethodPost:
		s.newApp(w, r)
	default:
		s.pages().ServeHTTP(w, r)
	}
}

// ShowPages puts pages for people behind the links that the APIs hand out. Without it there are none.
func (s *Server) ShowPages(pages http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = pages
}

func (s *Server) pages() http.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown == nil {
		return http.NotFoundHandler()
	}
	return s.shown
}
