package pages

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"waybill/internal/githubsim"
)

// pullPage shows a pull request. Tab is its part that is shown: conversation, checks or files.
type pullPage struct {
	frame
	Tab         string
	Pull        githubsim.Pull
	Body        template.HTML
	Timeline    []entry
	Boards      []board
	Gate        board // signals on the head, for the merge form
	Checks      int
	Files       []fileDiff
	Labels      []githubsim.Label
	Unused      []githubsim.Label // labels of the repository that the pull request does not have
	Deployments []deployment
	Draft       string // comment that was not accepted
	MayMerge    bool
}

// entry is an event on a pull request. Either one of the pointers or Event is set.
type entry struct {
	At      time.Time
	Comment *remark
	Review  *remark
	Commit  *githubsim.Commit
	Event   string
	By      string
	SHA     string
}

// remark is a comment or a review.
type remark struct {
	ID        int64
	Body      template.HTML
	Edited    bool
	Minimized string
	Reactions []reaction
	Tone      tone
	Word      string
}

type reaction struct {
	Emoji string
	Name  string
	Count int
}

// emoji are the reactions in GitHub's order.
var emoji = []reaction{
	{"👍", "+1", 0}, {"👎", "-1", 0}, {"😄", "laugh", 0}, {"😕", "confused", 0}, {"❤️", "heart", 0}, {"🎉", "hooray", 0},
	{"🚀", "rocket", 0}, {"👀", "eyes", 0},
}

type deployment struct {
	githubsim.Deployment
	Tone tone
}

func (s *site) conversation(w http.ResponseWriter, r *http.Request) { s.pullTab(w, r, "conversation") }
func (s *site) checks(w http.ResponseWriter, r *http.Request)       { s.pullTab(w, r, "checks") }
func (s *site) files(w http.ResponseWriter, r *http.Request)        { s.pullTab(w, r, "files") }

func (s *site) pullTab(w http.ResponseWriter, r *http.Request, tab string) {
	p, found := s.pullPage(r, tab)
	if !found {
		s.missing(w, r)
		return
	}
	s.show(w, http.StatusOK, "pull", p)
}

func repoOf(r *http.Request) string { return r.PathValue("owner") + "/" + r.PathValue("repo") }

// pullPage returns the page of a pull request.
func (s *site) pullPage(r *http.Request, tab string) (page pullPage, found bool) {
	repo := repoOf(r)
	number, _ := strconv.Atoi(r.PathValue("number")) // no pull request has number 0
	p, found := s.GitHub.Pull(repo, number)
	if !found {
		return page, false
	}
	page = pullPage{
		frame: s.frame(r, p.Title, repo), Tab: tab, Pull: p, Body: markdown(repo, p.Body), Timeline: s.timeline(repo, p),
		Boards: s.boards(repo, p), Deployments: s.deployments(repo, p.HeadSHA, p.MergeSHA),
	}
	page.Gate = s.board("", repo, p.HeadSHA)
	for _, b := range page.Boards {
		page.Checks += len(b.Signals)
	}
	page.MayMerge = s.GitHub.MayAct(repo, page.You.Login, "write")
	changes, err := s.GitHub.PullChanges(repo, number)
	if err != nil {
		page.Problem = err.Error()
	}
	page.Files = fileDiffs(changes)
	for _, l := range s.GitHub.Labels(repo) {
		if slices.Contains(p.Labels, l.Name) {
			page.Labels = append(page.Labels, l)
		} else {
			page.Unused = append(page.Unused, l)
		}
	}
	return page, true
}

// timeline returns the events on a pull request, oldest first.
func (s *site) timeline(repo string, p githubsim.Pull) []entry {
	var all []entry
	for _, c := range s.GitHub.PullCommits(repo, p.Number) {
		all = append(all, entry{At: c.Committer.When, Commit: &c, By: c.Author.Name})
	}
	for _, c := range s.GitHub.Comments(repo, p.Number) {
		all = append(all, entry{At: c.CreatedAt, By: c.Author, Comment: &remark{
			ID: c.ID, Body: markdown(repo, c.Body), Edited: c.UpdatedAt.After(c.CreatedAt), Minimized: c.Minimized,
			Reactions: reactions(c.Reactions),
		}})
	}
	for _, v := range s.GitHub.Reviews(repo, p.Number) {
		all = append(all, entry{At: v.SubmittedAt, By: v.Author, Review: &remark{
			ID: v.ID, Body: markdown(repo, v.Body), Tone: toneOf(v.State), Word: reviewWords[v.State],
		}})
	}
	for _, d := range s.deployments(repo, p.HeadSHA, p.MergeSHA) {
		all = append(all, entry{At: d.CreatedAt, By: d.Creator, Event: "deployed to " + d.Environment, SHA: d.SHA})
	}
	switch p.State {
	case "merged":
		all = append(all, entry{At: p.MergedAt, By: p.MergedBy, Event: "merged this into " + p.BaseBranch, SHA: p.MergeSHA})
	case "closed":
		all = append(all, entry{At: p.ClosedAt, Event: "It was closed"})
	}
	slices.SortStableFunc(all, func(a, b entry) int { return a.At.Compare(b.At) })
	return all
}

// reviewWords are GitHub's words for the states of reviews.
var reviewWords = map[string]string{
	"APPROVED": "approved these changes", "CHANGES_REQUESTED": "requested changes", "COMMENTED": "reviewed",
	"DISMISSED": "approved this; it was dismissed",
}

func reactions(counts map[string]int) []reaction {
	var shown []reaction
	for _, one := range emoji {
		if one.Count = counts[one.Name]; one.Count > 0 {
			shown = append(shown, one)
		}
	}
	return shown
}

// deployments returns the deployments of some commits.
func (s *site) deployments(repo string, shas ...string) []deployment {
	var of []deployment
	for _, d := range s.GitHub.Deployments(repo) {
		if d.SHA != "" && slices.Contains(shas, d.SHA) {
			of = append(of, deployment{d, toneOf(d.State)})
		}
	}
	return of
}
