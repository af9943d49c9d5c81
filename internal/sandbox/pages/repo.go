package pages

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim"
)

// startPage is the first page.
type startPage struct {
	frame
	Tries []Try
	Rows  []repoRow
}

type repoRow struct {
	Name string
	Open []pullRow
}

func (s *site) start(w http.ResponseWriter, r *http.Request) {
	page := startPage{frame: s.frame(r, "Waybill sandbox", ""), Tries: s.Tries}
	for _, name := range page.Repos {
		open, _ := s.pullRows(name)
		page.Rows = append(page.Rows, repoRow{Name: name, Open: open})
	}
	s.show(w, http.StatusOK, "start", page)
}

// overviewPage shows a repository.
type overviewPage struct {
	frame
	Open, Done  []pullRow
	Branches    []branchRow
	Commits     []commitRow
	Files       []string
	Deployments []deployment
}

type pullRow struct {
	githubsim.Pull
	Board board
}

type branchRow struct {
	Name  string
	Head  string
	Board board
}

type commitRow struct {
	githubsim.Commit
	Title string
	Board board
}

// recent is the maximum number of commits and of finished pull requests on an overview.
const recent = 12

func (s *site) overview(w http.ResponseWriter, r *http.Request) {
	repo := repoOf(r)
	if !slices.Contains(s.GitHub.Repos(), repo) {
		s.missing(w, r)
		return
	}
	page := overviewPage{
		frame: s.frame(r, repo, repo), Files: s.GitHub.Files(repo, "HEAD"), Commits: s.commitRows(repo, "HEAD", recent),
	}
	page.Open, page.Done = s.pullRows(repo)
	page.Done = page.Done[:min(len(page.Done), recent)]
	for _, name := range s.GitHub.Branches(repo) {
		head := s.GitHub.Head(repo, name)
		page.Branches = append(page.Branches, branchRow{Name: name, Head: head, Board: s.board("", repo, head)})
	}
	page.Deployments = current(s.GitHub.Deployments(repo))
	s.show(w, http.StatusOK, "overview", page)
}

// pullRows returns the open and the finished pull requests of a repository, newest first.
func (s *site) pullRows(repo string) (open, done []pullRow) {
	for _, p := range slices.Backward(s.GitHub.Pulls(repo)) {
		sha := p.HeadSHA
		if p.MergeSHA != "" {
			sha = p.MergeSHA
		}
		row := pullRow{p, s.board("", repo, sha)}
		if p.State == "open" {
			open = append(open, row)
		} else {
			done = append(done, row)
		}
	}
	return open, done
}

func (s *site) commitRows(repo, ref string, most int) []commitRow {
	var rows []commitRow
	commits := s.GitHub.Commits(repo, ref)
	for _, c := range commits[:min(len(commits), most)] {
		title, _, _ := strings.Cut(c.Message, "\n")
		rows = append(rows, commitRow{c, title, s.board("", repo, c.SHA)})
	}
	return rows
}

// current keeps the newest deployment of each environment.
func current(all []githubsim.Deployment) []deployment {
	var newest []deployment
	seen := map[string]bool{}
	for _, d := range slices.Backward(all) {
		if !seen[d.Environment] {
			seen[d.Environment] = true
			newest = append(newest, deployment{d, toneOf(d.State)})
		}
	}
	slices.Reverse(newest)
	return newest
}

// historyPage lists commits.
type historyPage struct {
	frame
	Ref     string
	Commits []commitRow
}

// longest is the maximum number of commits in a history.
const longest = 100

func (s *site) history(w http.ResponseWriter, r *http.Request) {
	repo, ref := repoOf(r), r.PathValue("ref")
	if ref == "" {
		ref = "HEAD"
	}
	page := historyPage{frame: s.frame(r, "Commits", repo), Ref: ref, Commits: s.commitRows(repo, ref, longest)}
	if len(page.Commits) == 0 {
		s.missing(w, r)
		return
	}
	s.show(w, http.StatusOK, "history", page)
}

// commitPage shows a commit.
type commitPage struct {
	frame
	Commit      githubsim.Commit
	Message     string // without its first line
	Board       board
	Files       []fileDiff
	Deployments []deployment
}

func (s *site) commit(w http.ResponseWriter, r *http.Request) {
	repo := repoOf(r)
	c, found := s.GitHub.Commit(repo, r.PathValue("sha"))
	if !found {
		s.missing(w, r)
		return
	}
	title, rest, _ := strings.Cut(c.Message, "\n")
	page := commitPage{
		frame: s.frame(r, title, repo), Commit: c, Message: strings.TrimSpace(rest), Board: s.board("Checks", repo, c.SHA),
		Deployments: s.deployments(repo, c.SHA),
	}
	changes, err := s.GitHub.CommitChanges(repo, c.SHA)
	if err != nil {
		page.Problem = err.Error()
	}
	page.Files = fileDiffs(changes)
	s.show(w, http.StatusOK, "commit", page)
}

// runPage shows a check run.
type runPage struct {
	frame
	Signal signal
}

func (s *site) run(w http.ResponseWriter, r *http.Request) {
	repo := repoOf(r)
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64) // no check run has id 0
	run, found := s.GitHub.CheckRun(repo, id)
	if !found {
		s.missing(w, r)
		return
	}
	s.show(w, http.StatusOK, "run", runPage{s.frame(r, run.Name, repo), runSignal(repo, run)})
}

// filePage shows a file.
type filePage struct {
	frame
	Text   string
	Render template.HTML // Markdown, rendered
	Raw    string        // URL of the plain text
}

func (s *site) file(w http.ResponseWriter, r *http.Request) {
	repo := repoOf(r)
	text, path, found := s.content(r)
	if !found {
		s.missing(w, r)
		return
	}
	page := filePage{frame: s.frame(r, path, repo), Text: text, Raw: fmt.Sprintf("/%s/raw/%s", repo, r.PathValue("path"))}
	if strings.HasSuffix(path, ".md") {
		page.Render = markdown(repo, text)
	}
	s.show(w, http.StatusOK, "file", page)
}

func (s *site) raw(w http.ResponseWriter, r *http.Request) {
	text, _, found := s.content(r)
	if !found {
		s.missing(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text)) // the connection may be closed
}

// content returns the file of a path like main/README.md. The name of the branch may contain slashes.
func (s *site) content(r *http.Request) (text, path string, found bool) {
	parts := strings.Split(r.PathValue("path"), "/")
	for n := 1; n < len(parts); n++ {
		path = strings.Join(parts[n:], "/")
		if text, found = s.GitHub.File(repoOf(r), strings.Join(parts[:n], "/"), path); found {
			return text, path, true
		}
	}
	return "", "", false
}
