package core

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"waybill/internal/story/play"
	"waybill/promotion"
)

// The suite and the app of a `check` that names none.
const (
	defaultSuite = "ci"
	defaultApp   = "github-actions"
)

// suiteOf is the identity of a check suite.
type suiteOf struct {
	repo      promotion.Repo
	sha       promotion.SHA
	name, app string
}

// check adds a check run to the suite with its name and app on a commit.
func (g *github) check(on promotion.Branch, r play.Signal, now time.Time) {
	s := promotion.Signal{
		Repo: on.Repo, Kind: promotion.KindCheck, SHA: r.SHA, App: cmp.Or(r.App, defaultApp), Name: r.Name, State: r.Result,
	}
	i := g.suite(on, r.SHA, cmp.Or(r.Suite, defaultSuite), s.App)
	s.Suite = g.suites[i].ID
	if r.Result != "queued" && r.Result != "in_progress" {
		s.Ended = now
	}
	g.signal(s, now)
	g.judgeSuite(i)
	g.hear(suiteFact(g.suites[i]))
}

// status adds a commit status or a deployment status.
func (g *github) status(on promotion.Branch, r play.Signal, now time.Time) {
	s := promotion.Signal{Repo: on.Repo, Kind: r.Kind, SHA: r.SHA, Name: r.Name, State: r.Result}
	if r.Result != "pending" && r.Result != "queued" && r.Result != "in_progress" {
		s.Ended = now
	}
	g.signal(s, now)
}

func (g *github) signal(s promotion.Signal, now time.Time) {
	s.ID, s.Started, s.Observed = g.id(), now, now
	s.URL = fmt.Sprintf("https://github.com/%s/commit/%s/checks/%d", s.Repo, s.SHA, s.ID)
	g.signals = append(g.signals, s)
	g.hear(signalFact(s))
}

// suite returns the index of the check suite with that name and app on a commit, and makes it if necessary.
func (g *github) suite(on promotion.Branch, sha promotion.SHA, name, app string) int {
	key := suiteOf{on.Repo, sha, name, app}
	if i, known := g.suiteIndex[key]; known {
		return i
	}
	g.suiteIndex[key] = len(g.suites)
	g.suites = append(g.suites, promotion.Suite{Repo: on.Repo, ID: g.id(), SHA: sha, App: app, Branch: on.Name})
	return len(g.suites) - 1
}

// judgeSuite completes a suite if the newest run of each name is completed. Its conclusion is the worst of theirs.
func (g *github) judgeSuite(i int) {
	suite := &g.suites[i]
	newest := map[string]string{}
	for _, s := range g.signals {
		if s.Suite == suite.ID {
			newest[s.Name] = s.State
		}
	}
	suite.Completed, suite.Conclusion = true, ""
	worst := -1
	for _, state := range newest {
		at := strings.Index(conclusions, " "+state+" ")
		if at < 0 {
			suite.Completed, suite.Conclusion = false, ""
			return
		}
		if at > worst {
			worst, suite.Conclusion = at, state
		}
	}
}

// conclusions lists the conclusions of runs, the worst last.
const conclusions = " skipped neutral success stale cancelled action_required startup_failure timed_out failure "

func (g *github) id() int64 {
	g.nextID++
	return g.nextID
}
