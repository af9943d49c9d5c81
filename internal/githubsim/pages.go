package githubsim

import "net/http"

func (s *Server) servePages(w http.ResponseWriter, r *http.Request) {
	http.NotFound(w, r)
}
