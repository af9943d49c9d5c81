package api

import "net/http"

// Me is the sender of a request, as the server knows them.
type Me struct {
	Name string `json:"name" doc:"the login, the token or the run; nobody where anyone may read"`
	Acts bool   `json:"acts" doc:"whether commands can be given: there is a person for whom they count"`
	All  bool   `json:"all" doc:"whether they may read what is about the whole server, such as what the doctor finds"`
}

// me says who the caller is.
func (s *Server) me(c *call) (any, error) {
	return Me{Name: c.who.String(), Acts: !c.who.Person().Bot(), All: s.everywhere(c.who, Read) == nil}, nil
}

// SignsIn reports whether people can sign in.
func (s *Server) SignsIn() bool { return s.signIn != nil }

// signOut ends a session.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		refuse(w, r, forbidden("the request comes from a page of another site"))
		return
	}
	if s.signIn != nil {
		http.SetCookie(w, s.signIn.cookie("session", "", 0))
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
