package githubsim

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

//go:embed pages.html
var pagesHTML string

// pageTemplates escape everything that people wrote: comments are shown as text, not as Markdown.
var pageTemplates = template.Must(template.New("pages").Parse(pagesHTML))

// servePages answers people's browsers: readable pages behind the links that the APIs hand out, without styling worth the name.
func (s *Server) servePages(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/":
		s.show(w, "home", map[string]any{"Title": "Repositories", "Repos": s.Repos()})
	case r.URL.Path == "/login/oauth/authorize":
		s.authorize(w, r)
	case r.URL.Path == "/login/oauth/access_token" && r.Method == http.MethodPost:
		s.accessToken(w, r)
	case strings.HasSuffix(r.URL.Path, "/settings/apps/new") && r.Method == http.MethodPost:
		s.newApp(w, r)
	case len(parts) >= 2:
		s.repoPage(w, r, parts[0]+"/"+parts[1], parts[2:])
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) show(w http.ResponseWriter, name string, data map[string]any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'")
	if err := pageTemplates.ExecuteTemplate(w, name, data); err != nil {
		s.report(fmt.Errorf("render page %s: %w", name, err))
	}
}

// repoPage chooses the page of a repository by what follows its name.
func (s *Server) repoPage(w http.ResponseWriter, r *http.Request, repo string, rest []string) {
	kind := "repo"
	if len(rest) > 0 {
		kind = rest[0]
	}
	switch {
	case !s.exists(repo):
		http.NotFound(w, r)
	case kind == "repo":
		s.show(w, "repo", map[string]any{
			"Title": repo, "Repo": repo, "Pulls": s.Pulls(repo), "Branches": s.Branches(repo), "Files": s.Files(repo, "HEAD"),
		})
	case kind == "pull" && len(rest) == 3 && r.Method == http.MethodPost:
		s.actOnPage(w, r, repo, rest[1], rest[2])
	case kind == "pull" && len(rest) >= 2:
		s.pullPage(w, r, repo, rest[1])
	case kind == "commits" || kind == "tree":
		s.commitsPage(w, r, repo, strings.Join(rest[1:], "/"))
	case kind == "commit" && len(rest) >= 2:
		s.commitPage(w, r, repo, rest[1])
	case kind == "runs" && len(rest) == 2:
		s.runPage(w, r, repo, rest[1])
	case (kind == "blob" || kind == "raw") && len(rest) >= 3:
		s.filePage(w, r, repo, rest[1:], kind == "raw")
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) exists(repo string) bool {
	found := false
	s.read(repo, func(*world, *repository) { found = true })
	return found
}

func (s *Server) pullPage(w http.ResponseWriter, r *http.Request, repo, text string) {
	number, _ := strconv.Atoi(text)
	p, found := s.Pull(repo, number)
	if !found {
		http.NotFound(w, r)
		return
	}
	var changes []gitstore.FileChange
	s.read(repo, func(_ *world, one *repository) {
		if i := one.issues[number]; i != nil && i.pull != nil {
			changes, _ = one.changes(i.pull)
		}
	})
	s.show(w, "pull", map[string]any{
		"Title": fmt.Sprintf("#%d %s", p.Number, p.Title), "Repo": repo, "Pull": p, "Comments": s.Comments(repo, number),
		"Checks": s.signals(repo, p.HeadSHA), "MergeChecks": s.mergeChecks(repo, p), "Changes": changes,
	})
}

// filePage shows a file; the branch in the path may hold slashes.
func (s *Server) filePage(w http.ResponseWriter, r *http.Request, repo string, parts []string, raw bool) {
	for n := 1; n < len(parts); n++ {
		path := strings.Join(parts[n:], "/")
		content, found := s.File(repo, strings.Join(parts[:n], "/"), path)
		switch {
		case found && raw:
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			fmt.Fprint(w, content)
			return
		case found:
			s.show(w, "file", map[string]any{"Title": path, "Repo": repo, "Content": content})
			return
		}
	}
	http.NotFound(w, r)
}

// actOnPage carries out the forms of a pull request's page: a sandbox has no other door for people.
func (s *Server) actOnPage(w http.ResponseWriter, r *http.Request, repo, text, act string) {
	if origin := r.Header.Get("Origin"); origin != "" && origin != s.URL() {
		http.Error(w, "forms of other sites are not taken", http.StatusForbidden)
		return
	}
	number, err := strconv.Atoi(text)
	login := orElse(strings.TrimSpace(r.FormValue("login")), "ann")
	if err == nil {
		switch act {
		case "comment":
			_, err = s.Comment(repo, number, login, r.FormValue("body"))
		case "merge":
			_, err = s.MergePull(repo, number, login, "")
		case "close":
			err = s.ClosePull(repo, number, login)
		case "press":
			id, _ := strconv.ParseInt(r.FormValue("run"), 10, 64)
			err = s.PressButton(repo, id, login, r.FormValue("identifier"))
		default:
			http.NotFound(w, r)
			return
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	http.Redirect(w, r, s.URL()+"/"+repo+"/pull/"+text, http.StatusSeeOther)
}
