package githubsim

import (
	"net/http"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

func (s *Server) commitsPage(w http.ResponseWriter, r *http.Request, repo, ref string) {
	var commits []gitstore.Commit
	s.read(repo, func(_ *world, one *repository) {
		if sha, found := one.resolve(orElse(ref, one.defaultBranch)); found {
			commits = one.git.Log(sha)
		}
	})
	if commits == nil {
		http.NotFound(w, r)
		return
	}
	s.show(w, "commits", map[string]any{"Title": "Commits of " + repo, "Repo": repo, "Commits": commits})
}

func (s *Server) commitPage(w http.ResponseWriter, r *http.Request, repo, ref string) {
	var commit gitstore.Commit
	var changes []gitstore.FileChange
	s.read(repo, func(_ *world, one *repository) {
		sha := one.unabbreviated(ref)
		commit, _ = one.git.Commit(sha)
		if len(commit.Parents) > 0 {
			changes, _ = one.git.Diff(commit.Parents[0], sha)
		}
	})
	if commit.SHA == "" {
		http.NotFound(w, r)
		return
	}
	s.show(w, "commit", map[string]any{
		"Title": "Commit " + commit.SHA[:7], "Repo": repo, "Commit": commit, "Changes": changes, "Checks": s.signals(repo, commit.SHA),
	})
}

// shortest is how much of a SHA people write.
const shortest = 7

// unabbreviated resolves what stands in the address of a commit: pages, unlike the APIs, take the beginning of a SHA.
func (r *repository) unabbreviated(ref string) (sha string) {
	if sha, found := r.resolve(ref); found || len(ref) < shortest {
		return sha
	}
	for _, branch := range r.git.Refs("refs/heads/") {
		head, _ := r.git.Ref(branch)
		for _, c := range r.git.Log(head) {
			if strings.HasPrefix(c.SHA, ref) {
				return c.SHA
			}
		}
	}
	return ""
}

func (s *Server) runPage(w http.ResponseWriter, r *http.Request, repo, id string) {
	var run *CheckRun
	s.read(repo, func(_ *world, one *repository) {
		for _, each := range one.runs {
			if itoa(each.id) == id {
				v := each.view()
				run = &v
			}
		}
	})
	if run == nil {
		http.NotFound(w, r)
		return
	}
	s.show(w, "run", map[string]any{"Title": run.Name, "Repo": repo, "Run": run})
}

// signalsView is what has been reported on a commit.
type signalsView struct {
	Repo     string
	Runs     []CheckRun
	Statuses []statusView
}

// Any reports whether there is anything to show.
func (v signalsView) Any() bool { return len(v.Runs)+len(v.Statuses) > 0 }

type statusView struct{ Context, State, Creator, Description string }

// signals are the check runs on a commit, and the newest status of each context.
func (s *Server) signals(repo, sha string) signalsView {
	v := signalsView{Repo: repo, Runs: s.CheckRuns(repo, sha)}
	s.read(repo, func(_ *world, one *repository) {
		for _, each := range one.latestStatuses(sha) {
			v.Statuses = append(v.Statuses, statusView{each.context, each.state, each.creator.login, each.description})
		}
	})
	return v
}

// mergeChecks are the signals on what a pull request became on the base branch.
func (s *Server) mergeChecks(repo string, p Pull) signalsView {
	if p.MergeSHA == "" || p.MergeSHA == p.HeadSHA {
		return signalsView{}
	}
	return s.signals(repo, p.MergeSHA)
}
