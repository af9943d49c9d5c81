package pages

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waybill/internal/githubsim"
)

// form is a form sent from the page of a pull request.
type form struct {
	github *githubsim.Server
	repo   string
	number int
	login  string
	value  func(field string) string
}

// act is an action on a pull request: the permission that GitHub requires, its name in the refusal, and its function,
// which returns the anchor of the result on the page.
type act struct {
	level string
	name  string
	do    func(form) (anchor string, err error)
	own   bool // allowed to the author without the permission
}

// acts are the actions on a pull request, by the last part of their path.
var acts = map[string]act{
	"comment": {"read", "comment", func(f form) (string, error) {
		id, err := f.github.Comment(f.repo, f.number, f.login, f.value("body"))
		return fmt.Sprintf("issuecomment-%d", id), err
	}, false},
	"approve": {"read", "review", func(f form) (string, error) {
		return "", f.github.Review(f.repo, f.number, f.login, "APPROVED", f.value("body"))
	}, false},
	"request-changes": {"read", "review", func(f form) (string, error) {
		return "", f.github.Review(f.repo, f.number, f.login, "CHANGES_REQUESTED", f.value("body"))
	}, false},
	"merge": {"write", "merge", func(f form) (string, error) {
		_, err := f.github.MergePull(f.repo, f.number, f.login, "")
		return "", err
	}, false},
	"close": {"triage", "close this",
		func(f form) (string, error) { return "", f.github.ClosePull(f.repo, f.number, f.login) }, true},
	"reopen": {"triage", "reopen this",
		func(f form) (string, error) { return "", f.github.ReopenPull(f.repo, f.number, f.login) }, true},
	"label": {"triage", "label this", func(f form) (string, error) {
		name := strings.TrimSpace(f.value("label"))
		if name == "" {
			return "", fmt.Errorf("label #%d: it needs a name", f.number)
		}
		return "labels", f.github.AddLabel(f.repo, f.number, f.login, name)
	}, false},
	"unlabel": {"triage", "unlabel this", func(f form) (string, error) {
		return "labels", f.github.RemoveLabel(f.repo, f.number, f.login, f.value("label"))
	}, false},
}

// actOnPull carries out the action of a form. If it fails, the page shows the error and the text that was typed.
func (s *site) actOnPull(w http.ResponseWriter, r *http.Request) {
	page, found := s.pullPage(r, "conversation")
	todo, known := acts[r.PathValue("act")]
	if !found || !known {
		s.missing(w, r)
		return
	}
	here := fmt.Sprintf("/%s/pull/%d", page.Repo, page.Pull.Number)
	err := s.admitOnPull(page, todo)
	anchor := ""
	if err == nil {
		anchor, err = todo.do(form{
			github: s.GitHub, repo: page.Repo, number: page.Pull.Number, login: page.You.Login, value: r.FormValue,
		})
	}
	if err != nil {
		page.Path, page.Problem, page.Draft = here, err.Error(), r.FormValue("body")
		s.show(w, http.StatusUnprocessableEntity, "pull", page)
		return
	}
	if anchor != "" {
		here += "#" + anchor
	}
	goTo(w, r, here)
}

// admitOnPull returns an error unless the user has the permission, or is the author and authors may act without it.
func (s *site) admitOnPull(page pullPage, todo act) error {
	if todo.own && page.Pull.Author == page.You.Login {
		return nil
	}
	return s.admit(page.Repo, page.You.Login, todo.level, todo.name)
}

// open opens a pull request that adds a line to the end of a file, from a branch as GitHub names those of its editor.
func (s *site) open(w http.ResponseWriter, r *http.Request) {
	repo, you := repoOf(r), s.you(r).Login
	if !slices.Contains(s.GitHub.Repos(), repo) {
		s.missing(w, r)
		return
	}
	n, err := s.openPull(repo, you, strings.TrimSpace(r.FormValue("title")), r.FormValue("path"), r.FormValue("line"))
	if err != nil {
		s.refuse(w, r, "/"+repo, err)
		return
	}
	goTo(w, r, fmt.Sprintf("/%s/pull/%d", repo, n))
}

func (s *site) openPull(repo, you, title, path, line string) (number int, err error) {
	text, found := s.GitHub.File(repo, "HEAD", path)
	switch err := s.admit(repo, you, "write", "open a pull request"); {
	case err != nil:
		return 0, err
	case title == "":
		return 0, errors.New("open a pull request: it needs a title")
	case !found:
		return 0, fmt.Errorf("open a pull request: there is no file %s", path)
	}
	head, taken := "", s.GitHub.Branches(repo)
	for n := 1; head == "" || slices.Contains(taken, head); n++ {
		head = fmt.Sprintf("%s-patch-%d", you, n)
	}
	return s.GitHub.OpenPull(repo, githubsim.PullSpec{
		Title: title, Head: head, Author: you, Files: map[string]*string{path: githubsim.Text(text + line + "\n")},
	})
}

// actOnRun presses a button of a check run, requests the check run again, or ends a check run of the CI.
func (s *site) actOnRun(w http.ResponseWriter, r *http.Request) {
	repo, you := repoOf(r), s.you(r).Login
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64) // no check run has id 0
	run, found := s.GitHub.CheckRun(repo, id)
	if !found {
		s.missing(w, r)
		return
	}
	var err error
	switch r.PathValue("act") {
	case "press":
		if err = s.admit(repo, you, "write", "press buttons of checks"); err == nil {
			err = s.GitHub.PressButton(repo, id, you, r.FormValue("identifier"))
		}
	case "rerun":
		if err = s.admit(repo, you, "write", "run checks again"); err == nil {
			err = s.GitHub.Rerequest(repo, id, you)
		}
	case "finish":
		err = s.finish(repo, run, r.FormValue("conclusion"))
	default:
		s.missing(w, r)
		return
	}
	s.done(w, r, err)
}

// finish ends a check run of the CI. It needs no permission, because the CI is simulated.
func (s *site) finish(repo string, run githubsim.CheckRun, conclusion string) error {
	if run.App != ciApp || run.Status == "completed" {
		return fmt.Errorf("finish %s: it is not a check of the CI that is under way", run.Name)
	}
	return s.GitHub.UpdateCheckRun(repo, run.ID, githubsim.CheckSpec{Status: "completed", Conclusion: conclusion})
}

// actOnStatus ends a commit status that is pending.
func (s *site) actOnStatus(w http.ResponseWriter, r *http.Request) {
	repo, sha, context := repoOf(r), r.PathValue("sha"), r.FormValue("context")
	for _, one := range s.GitHub.Statuses(repo, sha) {
		if one.Context == context && one.State == "pending" {
			s.done(w, r, s.GitHub.CreateStatus(repo, sha, one.Creator, context, r.FormValue("conclusion"), ""))
			return
		}
	}
	s.refuse(w, r, "/"+repo, fmt.Errorf("finish %s: it is not pending", context))
}

// done redirects to the page of the form, or shows the error.
func (s *site) done(w http.ResponseWriter, r *http.Request, err error) {
	back := r.FormValue("back")
	if err != nil {
		s.refuse(w, r, back, err)
		return
	}
	goTo(w, r, back)
}
