package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"waybill/internal/githubsim"
)

// signal is a check run or a commit status, as it is shown.
type signal struct {
	Run    int64 // id of the check run; 0: a status
	Name   string
	App    string
	Tone   tone
	Word   string // what GitHub calls its state
	Title  string
	Link   string
	SHA    string
	Detail *detail
	// Buttons are those that the App offers; Finish says that the CI can still be told how it ends.
	Buttons []githubsim.Button
	Finish  bool
	Rerun   bool
}

// detail is what a check run says beyond its title.
type detail struct {
	Summary, Text template.HTML
	Annotations   []githubsim.Annotation
}

// tone is how a state looks.
type tone string

// The tones: done well, done badly, under way, waiting for a person, and of no consequence.
const (
	good  tone = "good"
	bad   tone = "bad"
	going tone = "going"
	asks  tone = "asks"
	quiet tone = "quiet"
)

// tones are those of the words that GitHub has for states of checks, statuses, deployments and reviews.
var tones = map[string]tone{
	"success": good, "active": good, "APPROVED": good,
	"failure": bad, "error": bad, "timed_out": bad, "startup_failure": bad, "CHANGES_REQUESTED": bad,
	"queued": going, "in_progress": going, "pending": going, "waiting": going, "requested": going,
	"action_required": asks,
}

func toneOf(word string) tone {
	if t, known := tones[word]; known {
		return t
	}
	return quiet
}

// board is everything that has been reported on a commit.
type board struct {
	Title   string
	Repo    string
	SHA     string
	Signals []signal
	Tone    tone
	Sum     string
}

// board reads the newest of each check run and status.
func (s *site) board(title, repo, sha string) board {
	b := board{Title: title, Repo: repo, SHA: sha}
	for _, run := range s.GitHub.LatestCheckRuns(repo, sha) {
		b.Signals = append(b.Signals, runSignal(repo, run))
	}
	for _, one := range s.GitHub.Statuses(repo, sha) {
		b.Signals = append(b.Signals, signal{
			Name: one.Context, App: one.Creator, Tone: toneOf(one.State), Word: one.State, Title: one.Description,
			Link: one.TargetURL, SHA: sha, Finish: one.State == "pending",
		})
	}
	slices.SortStableFunc(b.Signals, func(x, y signal) int { return cmp.Compare(x.Name, y.Name) })
	b.Tone, b.Sum = sum(b.Signals)
	return b
}

func runSignal(repo string, run githubsim.CheckRun) signal {
	word := run.Status
	if run.Status == "completed" {
		word = run.Conclusion
	}
	one := signal{
		Run: run.ID, Name: run.Name, App: run.App, Tone: toneOf(word), Word: word, Title: run.Title, SHA: run.SHA,
		Link: fmt.Sprintf("/%s/runs/%d", repo, run.ID), Finish: run.App == ciApp && run.Status != "completed",
		Rerun:  run.App != ciApp,
		Detail: &detail{Summary: markdown(repo, run.Summary), Text: markdown(repo, run.Text), Annotations: run.Annotations},
	}
	if run.Status == "completed" { // before that GitHub shows none
		one.Buttons = run.Actions
	}
	return one
}

// ciApp is whose check runs the CI of the sandbox makes.
const ciApp = "github-actions"

// sum says of many signals what GitHub says above them.
func sum(signals []signal) (tone, string) {
	counts := map[tone]int{}
	for _, one := range signals {
		counts[one.Tone]++
	}
	switch {
	case len(signals) == 0:
		return quiet, ""
	case counts[bad] > 0:
		return bad, plural(counts[bad], "check") + " failed"
	case counts[asks] > 0:
		return asks, "somebody is asked"
	case counts[going] > 0:
		return going, plural(counts[going], "check") + " not done yet"
	case counts[good] > 0:
		return good, "all checks have passed"
	}
	return quiet, plural(len(signals), "check") + ", none that decides"
}

// boards are those of a pull request: of its head and, once it is merged, of what it became.
func (s *site) boards(repo string, p githubsim.Pull) []board {
	var all []board
	head := s.board("Checks on the head", repo, p.HeadSHA)
	if len(head.Signals) > 0 {
		all = append(all, head)
	}
	for _, more := range []struct {
		title, sha string
	}{{"Checks in the merge queue", p.GroupSHA}, {"Checks after the merge", p.MergeSHA}} {
		if more.sha == "" || more.sha == p.HeadSHA {
			continue
		}
		if b := s.board(more.title, repo, more.sha); len(b.Signals) > 0 {
			all = append(all, b)
		}
	}
	return all
}
