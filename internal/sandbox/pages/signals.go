package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"waybill/internal/githubsim"
)

// signal is a check run or a commit status on a page.
type signal struct {
	Run    int64 // id of the check run; 0 for a status
	Name   string
	App    string
	Tone   tone
	Word   string // GitHub's word for its state
	Title  string
	Link   string
	SHA    string
	Detail *detail
	// Buttons are offered by the App. Finish is true if the user can still end the check or status.
	Buttons []githubsim.Button
	Finish  bool
	Rerun   bool
}

// detail has the texts of a check run below its title.
type detail struct {
	Summary, Text template.HTML
	Annotations   []githubsim.Annotation
}

// tone is the color of a state.
type tone string

// The tones: success, failure, in progress, waiting for a person, and neutral.
const (
	good  tone = "good"
	bad   tone = "bad"
	going tone = "going"
	asks  tone = "asks"
	quiet tone = "quiet"
)

// tones maps GitHub's states of checks, statuses, deployments and reviews to tones.
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

// board has all signals of a commit.
type board struct {
	Title   string
	Repo    string
	SHA     string
	Signals []signal
	Tone    tone
	Sum     string
}

// board returns the newest check run and status of each name.
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
	if run.Status == "completed" { // GitHub shows buttons only then
		one.Buttons = run.Actions
	}
	return one
}

// ciApp is the App of the CI's check runs.
const ciApp = "github-actions"

// sum returns the tone and the summary of signals, as GitHub shows them above the list.
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

// boards returns the boards of a pull request: of its head, its merge group, and its merge commit.
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
