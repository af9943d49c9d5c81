package githubsim

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Pull is a pull request as a test looks at it.
type Pull struct {
	Repo       string
	Number     int
	ID         int64
	Title      string
	Body       string
	Author     string
	State      string // open, closed or merged
	Draft      bool
	HeadBranch string
	HeadSHA    string
	BaseBranch string
	BaseSHA    string
	MergeSHA   string // once merged
	MergedBy   string
	MergedAt   time.Time
	CreatedAt  time.Time
	ClosedAt   time.Time
	Labels     []string
	AutoMerge  bool
	Queued     bool // in the merge queue
	// GroupSHA is the commit of the merge group, on which the queue's checks run.
	GroupSHA string
}

// CheckRun is a check run as a test looks at it.
type CheckRun struct {
	ID          int64
	Name        string
	App         string
	SuiteID     int64
	SHA         string
	ExternalID  string
	Status      string
	Conclusion  string
	StartedAt   time.Time
	CompletedAt time.Time
	Title       string
	Summary     string
	Text        string
	DetailsURL  string
	Buttons     []string // identifiers
	Actions     []Button // the same, as they are shown
	Annotations []Annotation
}

// Comment is a comment as a test looks at it.
type Comment struct {
	ID        int64
	Author    string
	Body      string
	CreatedAt time.Time
	UpdatedAt time.Time
	Minimized string // reason, when it is
	Reactions map[string]int
}

// Deployment is a deployment as a test looks at it.
type Deployment struct {
	ID          int64
	SHA         string
	Environment string
	Creator     string
	Description string
	CreatedAt   time.Time
	State       string   // of the newest status; empty without one
	States      []string // of all statuses, oldest first
	LogURL      string   // of the newest status that names one
	URL         string   // of the environment, likewise
}

// read runs a look at a repository under the lock; what does not exist leaves the result as it is.
func (s *Server) read(repo string, look func(w *Hub, r *repository)) {
	s.hub.Lock()
	defer s.hub.Unlock()
	if r, found := s.hub.Repos.Find(repo); found {
		look(s.hub, r)
	}
}

// Pulls lists the pull requests of a repository by number, whatever became of them.
func (s *Server) Pulls(repo string) []Pull {
	var pulls []Pull
	s.read(repo, func(_ *Hub, r *repository) {
		for _, i := range r.sortedIssues() {
			if i.pull != nil {
				pulls = append([]Pull{viewPull(i.pull)}, pulls...)
			}
		}
	})
	return pulls
}

// Pull finds a pull request.
func (s *Server) Pull(repo string, number int) (Pull, bool) {
	for _, p := range s.Pulls(repo) {
		if p.Number == number {
			return p, true
		}
	}
	return Pull{}, false
}

func viewPull(p *pull) Pull {
	v := Pull{
		Repo: p.repo.fullName(), Number: p.number, ID: p.id, Title: p.title, Body: p.body, Author: p.author.login, State: strings.ToLower(p.graphState()), HeadBranch: p.headRef,
		HeadSHA: p.headSHA, BaseBranch: p.baseRef, BaseSHA: p.baseSHA, MergedAt: p.mergedAt, CreatedAt: p.created, ClosedAt: p.closed,
		AutoMerge: p.autoMerge != nil, Draft: p.draft,
	}
	if p.merged {
		v.MergeSHA, v.MergedBy = p.mergeSHA, p.mergedBy.login
	}
	if e := p.repo.entryOf(p); e != nil {
		v.Queued, v.GroupSHA = true, e.head
	}
	for _, l := range p.labels {
		v.Labels = append(v.Labels, l.name)
	}
	return v
}

// File reads a file at a branch, tag or commit; false when it does not exist.
func (s *Server) File(repo, ref, path string) (content string, found bool) {
	s.read(repo, func(_ *Hub, r *repository) {
		sha, resolved := r.git.Resolve(ref)
		if !resolved {
			return
		}
		entry, err := r.git.Lookup(r.git.TreeOf(sha), path)
		if err != nil {
			return
		}
		raw, err := r.git.Blob(entry.SHA)
		content, found = string(raw), err == nil
	})
	return content, found
}

// Entry answers the mode and the hash of the file or folder at a path, as Git has them; false when there is nothing.
func (s *Server) Entry(repo, ref, path string) (mode, sha string, found bool) {
	s.read(repo, func(_ *Hub, r *repository) {
		if commit, resolved := r.git.Resolve(ref); resolved {
			entry, err := r.git.Lookup(r.git.TreeOf(commit), path)
			mode, sha, found = entry.Mode, entry.SHA, err == nil
		}
	})
	return mode, sha, found
}

// Files lists the paths of all files at a branch, tag or commit.
func (s *Server) Files(repo, ref string) []string {
	var paths []string
	s.read(repo, func(_ *Hub, r *repository) {
		sha, _ := r.git.Resolve(ref)
		entries, err := r.git.Files(r.git.TreeOf(sha), false)
		if err != nil {
			return
		}
		for _, e := range entries {
			paths = append(paths, e.Name)
		}
	})
	return paths
}

// Head answers the commit that a branch points to; empty when there is no such branch.
func (s *Server) Head(repo, branch string) string {
	head := ""
	s.read(repo, func(_ *Hub, r *repository) { head, _ = r.git.Branch(branch) })
	return head
}

// Branches lists the branches of a repository, sorted.
func (s *Server) Branches(repo string) []string {
	var names []string
	s.read(repo, func(_ *Hub, r *repository) {
		for _, ref := range r.git.Refs("refs/heads/") {
			names = append(names, ref[len("refs/heads/"):])
		}
	})
	return names
}

// GitDir writes the repository as it is now to disk and answers its folder, for looking at with git; nothing may be written there.
func (s *Server) GitDir(repo string) (dir string, err error) {
	err = fmt.Errorf("save %s: no such repository", repo)
	s.read(repo, func(_ *Hub, r *repository) { dir, err = r.git.Save() })
	return dir, err
}

// CheckRuns lists the check runs on a commit, oldest first, earlier ones of the same name included.
func (s *Server) CheckRuns(repo, sha string) []CheckRun {
	var runs []CheckRun
	s.read(repo, func(_ *Hub, r *repository) {
		for _, run := range r.runs {
			if run.suite.sha == sha {
				runs = append(runs, viewRun(run))
			}
		}
	})
	return runs
}

func viewRun(run *checkRun) CheckRun {
	v := CheckRun{
		ID: run.id, Name: run.name, App: run.suite.app.slug, SuiteID: run.suite.id, SHA: run.suite.sha, ExternalID: run.externalID,
		Status: run.status, Conclusion: run.conclusion, StartedAt: run.started, CompletedAt: run.completed, Title: run.title,
		Summary: run.summary, Text: run.text, DetailsURL: run.detailsURL, Actions: buttons(run), Annotations: remarks(run),
	}
	for _, b := range v.Actions {
		v.Buttons = append(v.Buttons, b.Identifier)
	}
	return v
}

// Comments lists the comments of an issue or pull request, oldest first.
func (s *Server) Comments(repo string, number int) []Comment {
	var comments []Comment
	s.read(repo, func(_ *Hub, r *repository) {
		i := r.issues[number]
		if i == nil {
			return
		}
		for _, c := range r.commentsOf(i) {
			comments = append(comments, viewComment(c))
		}
	})
	return comments
}

func viewComment(c *comment) Comment {
	v := Comment{ID: c.id, Author: c.author.login, Body: c.body, CreatedAt: c.created, UpdatedAt: c.updated, Minimized: c.minimized, Reactions: map[string]int{}}
	for _, one := range c.reactions {
		v.Reactions[one.content]++
	}
	return v
}

// Deployments lists the deployments of a repository, oldest first.
func (s *Server) Deployments(repo string) []Deployment {
	var deployments []Deployment
	s.read(repo, func(_ *Hub, r *repository) {
		for _, d := range r.deployments {
			v := Deployment{
				ID: d.id, SHA: d.sha, Environment: d.environment, Creator: d.creator.login, Description: d.description, CreatedAt: d.created,
			}
			for _, one := range d.statuses {
				v.State = one.state
				v.States = append(v.States, one.state)
				v.LogURL, v.URL = cmp.Or(one.logURL, v.LogURL), cmp.Or(one.environmentURL, v.URL)
			}
			deployments = append(deployments, v)
		}
	})
	return deployments
}

// Repos lists the repositories by full name, oldest first.
func (s *Server) Repos() []string {
	s.hub.Lock()
	defer s.hub.Unlock()
	var names []string
	for _, r := range s.hub.Repos.Sorted() {
		names = append(names, r.fullName())
	}
	return names
}
