package core

import (
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

// run is a run of a workflow that a promotion has started.
type run struct {
	promotion.Signal
	promoted promotion.Number
	stage    promotion.StageName
}

// runFor returns the run that a promotion has started, or nil.
func (g *github) runFor(n promotion.Number) *run {
	for _, r := range g.runs {
		if r.promoted == n {
			return r
		}
	}
	return nil
}

// startRun starts a workflow on the head of the branch of the stages.
func (g *github) startRun(n promotion.Number, stage promotion.StageName, now time.Time) *run {
	r := &run{promoted: n, stage: stage, Signal: promotion.Signal{
		Repo: g.home.Repo, Kind: promotion.KindRun, ID: g.id(), SHA: g.head(g.home),
		Name: promotion.RunSignal(stage), App: "waybill",
		State: "queued", Started: now, Observed: now,
	}}
	r.URL = fmt.Sprintf("https://github.com/%s/actions/runs/%d", g.home.Repo, r.ID)
	g.runs = append(g.runs, r)
	g.tell(r)
	return r
}

// finishRun changes the run that was started last for a stage.
func (g *github) finishRun(stage promotion.StageName, result string, now time.Time) error {
	for _, r := range slices.Backward(g.runs) {
		if r.stage != stage {
			continue
		}
		r.State, r.Observed, r.Ended = result, now, now
		if result == "in_progress" {
			r.Ended = time.Time{}
		}
		g.tell(r)
		return nil
	}
	return fmt.Errorf("no workflow has been started for %s", stage)
}

// tell keeps a run among the signals, and tells of it.
func (g *github) tell(r *run) {
	g.signals = slices.DeleteFunc(g.signals, func(s promotion.Signal) bool { return s.Kind == r.Kind && s.ID == r.ID })
	g.signals = append(g.signals, r.Signal)
	g.hear(signalFact(r.Signal))
}
