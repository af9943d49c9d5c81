package core

import (
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

// run is a workflow run that a promotion has started.
type run struct {
	promotion.Signal
	promoted promotion.Number
	stage    promotion.StageName
}

// runFor returns the run of a promotion, or nil.
func (g *github) runFor(n promotion.Number) *run {
	for _, r := range g.runs {
		if r.promoted == n {
			return r
		}
	}
	return nil
}

// startRun starts a workflow on the head of the pipeline's branch.
func (g *github) startRun(n promotion.Number, stage promotion.StageName, now time.Time) *run {
	r := &run{promoted: n, stage: stage, Signal: promotion.Signal{
		Repo: g.home.Repo, Kind: promotion.KindRun, ID: g.id(), SHA: g.head(g.home),
		Name: promotion.RunSignal(stage), App: "waybill", Suite: int64(n),
		State: "queued", Started: now, Observed: now,
	}}
	r.URL = fmt.Sprintf("https://github.com/%s/actions/runs/%d", g.home.Repo, r.ID)
	g.runs = append(g.runs, r)
	g.tell(r)
	return r
}

// finishRun changes the state of the run that was started last for a stage.
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

// tell keeps a run among the signals and sends its webhook.
func (g *github) tell(r *run) {
	g.signals = slices.DeleteFunc(g.signals, func(s promotion.Signal) bool { return s.Kind == r.Kind && s.ID == r.ID })
	g.signals = append(g.signals, r.Signal)
	g.hear(signalFact(r.Signal))
}
