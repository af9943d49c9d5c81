package githubsim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim/hub"
)

// Pull is a pull request for tests.
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
	Fork       bool // the head is in another repository
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

// CheckRun is a check run for tests.
type CheckRun struct {
	ID          int64
	Name        string
	App         string
	SuiteID     int64
	SHA         string
	ExternalID  string
	Status      string
	Conclusion  string
	State       string // the status and, if it is completed, the conclusion
	First       string // the state with which it was created
	StartedAt   time.Time
	CompletedAt time.Time
	Title       string
	Summary     string
	Text        string
	DetailsURL  string
	Buttons     []string // identifiers
	Actions     []Button // the same buttons with their texts
	Annotations []Annotation
}

// Comment is a comment for tests.
type Comment struct {
	ID        int64
	Author    string
	Body      string
	CreatedAt time.Time
	UpdatedAt time.Time
	Minimized string // reason, if it is minimized
	Reactions map[string]int
}

// Deployment is a deployment for tests.
type Deployment struct {
	ID          int64
	SHA         string
	Environment string
	Creator     string
	Description string
	CreatedAt   time.Time
	State       string   // of the newest status; empty without one
	States      []string // of all statuses, oldest first
	LogURL      string   // of the newest status that has one
	URL         string   // of the environment, also from the newest status that has one
}

// Pulls lists the pull requests of a repository by number, including closed and merged ones.
func (o Observer) Pulls(repo string) []Pull {
	var pulls []Pull
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, i := range r.SortedIssues() {
			if i.Pull != nil {
				pulls = append(pulls, viewPull(i.Pull))
			}
		}
		slices.Reverse(pulls)
	})
	return pulls
}

// Pull finds a pull request.
func (o Observer) Pull(repo string, number int) (Pull, bool) {
	for _, p := range o.Pulls(repo) {
		if p.Number == number {
			return p, true
		}
	}
	return Pull{}, false
}

func viewPull(p *hub.Pull) Pull {
	v := Pull{
		Repo: p.Repo.FullName(), Number: p.Number, ID: p.ID, Title: p.Title, Body: p.Body, Author: p.Author.Login,
		State: strings.ToLower(p.GraphState()), HeadBranch: p.HeadRef,
		HeadSHA: p.HeadSHA, Fork: p.From != p.Repo, BaseBranch: p.BaseRef, BaseSHA: p.BaseSHA,
		MergedAt: p.MergedAt, CreatedAt: p.Created, ClosedAt: p.Closed,
		AutoMerge: p.AutoMerge != nil, Draft: p.Draft,
	}
	if p.Merged {
		v.MergeSHA, v.MergedBy = p.MergeSHA, p.MergedBy.Login
	}
	if e := p.Repo.EntryOf(p); e != nil {
		v.Queued, v.GroupSHA = true, e.Head
	}
	for _, l := range p.Labels {
		v.Labels = append(v.Labels, l.Name)
	}
	return v
}

// File reads a file at a branch, tag or commit. It returns false if the file does not exist.
func (o Observer) File(repo, ref, path string) (content string, found bool) {
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		sha, resolved := r.Git().Resolve(ref)
		if !resolved {
			return
		}
		entry, err := r.Git().Lookup(r.Git().TreeOf(sha), path)
		if err != nil {
			return
		}
		raw, err := r.Git().Blob(entry.SHA)
		content, found = string(raw), err == nil
	})
	return content, found
}

// Entry returns the Git mode and hash of the file or folder at a path, or false if it does not exist.
func (o Observer) Entry(repo, ref, path string) (mode, sha string, found bool) {
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		if commit, resolved := r.Git().Resolve(ref); resolved {
			entry, err := r.Git().Lookup(r.Git().TreeOf(commit), path)
			mode, sha, found = entry.Mode, entry.SHA, err == nil
		}
	})
	return mode, sha, found
}

// Files lists the paths of all files at a branch, tag or commit.
func (o Observer) Files(repo, ref string) []string {
	var paths []string
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		sha, _ := r.Git().Resolve(ref)
		entries, err := r.Git().Files(r.Git().TreeOf(sha), false)
		if err != nil {
			return
		}
		for _, e := range entries {
			paths = append(paths, e.Name)
		}
	})
	return paths
}

// Head returns the commit that a branch points to, or "" if the branch does not exist.
func (o Observer) Head(repo, branch string) string {
	head := ""
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) { head, _ = r.Git().Branch(branch) })
	return head
}

// Branches lists the branches of a repository, sorted.
func (o Observer) Branches(repo string) []string {
	var names []string
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, ref := range r.Git().Refs("refs/heads/") {
			names = append(names, ref[len("refs/heads/"):])
		}
	})
	return names
}

// GitDir writes the current repository to disk and returns its folder, for inspection with git. Callers must not write
// to it.
func (o Observer) GitDir(repo string) (dir string, err error) {
	err = fmt.Errorf("save %s: no such repository", repo)
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) { dir, err = r.Git().Save() })
	return dir, err
}

// CheckRuns lists the check runs on a commit, oldest first, earlier ones of the same name included.
func (o Observer) CheckRuns(repo, sha string) []CheckRun {
	var runs []CheckRun
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, run := range r.Runs {
			if run.Suite.SHA == sha {
				runs = append(runs, viewRun(run))
			}
		}
	})
	return runs
}

// OwnRuns lists the check runs of the App under test on all commits of a repository, oldest first.
func (o Observer) OwnRuns(repo string) []CheckRun {
	var runs []CheckRun
	o.read(repo, func(h *hub.Hub, r *hub.Repository) {
		for _, run := range r.Runs {
			if run.Suite.App == h.Apps.Own {
				runs = append(runs, viewRun(run))
			}
		}
	})
	return runs
}

func viewRun(run *hub.CheckRun) CheckRun {
	v := CheckRun{
		ID: run.ID, Name: run.Name, App: run.Suite.App.Slug, SuiteID: run.Suite.ID, SHA: run.Suite.SHA,
		ExternalID: run.ExternalID, Status: run.Status, Conclusion: run.Conclusion, State: run.State(), First: run.First,
		StartedAt: run.Started, CompletedAt: run.Completed, Title: run.Title, Summary: run.Summary, Text: run.Text,
		DetailsURL: run.DetailsURL, Actions: buttons(run), Annotations: remarks(run),
	}
	for _, b := range v.Actions {
		v.Buttons = append(v.Buttons, b.Identifier)
	}
	return v
}

// Comments lists the comments of an issue or pull request, oldest first.
func (o Observer) Comments(repo string, number int) []Comment {
	var comments []Comment
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		i := r.Issues[number]
		if i == nil {
			return
		}
		for _, c := range r.CommentsOf(i) {
			comments = append(comments, viewComment(c))
		}
	})
	return comments
}

func viewComment(c *hub.Comment) Comment {
	v := Comment{
		ID: c.ID, Author: c.Author.Login, Body: c.Body, CreatedAt: c.Created, UpdatedAt: c.Updated, Minimized: c.Minimized,
		Reactions: map[string]int{},
	}
	for _, one := range c.Reactions {
		v.Reactions[one.Content]++
	}
	return v
}

// Deployments lists the deployments of a repository, oldest first.
func (o Observer) Deployments(repo string) []Deployment {
	var deployments []Deployment
	o.read(repo, func(_ *hub.Hub, r *hub.Repository) {
		for _, d := range r.Deployments {
			v := Deployment{
				ID: d.ID, SHA: d.SHA, Environment: d.Environment, Creator: d.Creator.Login, Description: d.Description,
				CreatedAt: d.Created,
			}
			for _, one := range d.Statuses {
				v.State = one.State
				v.States = append(v.States, one.State)
				v.LogURL, v.URL = cmp.Or(one.LogURL, v.LogURL), cmp.Or(one.EnvironmentURL, v.URL)
			}
			deployments = append(deployments, v)
		}
	})
	return deployments
}

// Repos lists the repositories by full name, oldest first.
func (o Observer) Repos() []string {
	o.hub.Lock()
	defer o.hub.Unlock()
	var names []string
	for _, r := range o.hub.Repos.Sorted() {
		names = append(names, r.FullName())
	}
	return names
}
