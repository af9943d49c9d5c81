package core

import (
	"context"
	"errors"
	"slices"
	"time"

	"waybill/internal/story"
	"waybill/internal/story/play"
	"waybill/promotion"
	"waybill/promotion/decide"
)

// World plays stories against the decision core.
type World struct {
	script *play.Script
	now    time.Time
	github *github
	memory *memory
	rights *rights
	faults faults

	writes   map[promotion.Number]map[string]*string // planned contents of files, by path; nil deletes
	removed  []*promotion.Stage                      // stages removed from the pipeline file
	resynced time.Time                               // time of the last resync
	wake     time.Time                               // time of the next decision; zero: none
	requests int64
	lines    []story.Line // of this step
}

// ground makes a World a play.Ground.
type ground struct{ *World }

var _ play.Ground = ground{}

// New makes the world of a story before its first step. It fails if the pipeline or the policy file is not valid.
func New(s story.Story) (*World, error) {
	script, err := play.Begin(s)
	if err != nil {
		return nil, err
	}
	w := &World{
		script: script, now: story.Start(), resynced: story.Start(), rights: newRights(),
		memory: &memory{
			heard: map[int64]bool{}, together: map[int64][]promotion.Code{}, readings: map[readingOf]promotion.Reading{},
			readiness: map[promotion.StageName]promotion.Readiness{}, since: map[warehouse]beginning{},
		},
		writes: map[promotion.Number]map[string]*string{},
	}
	w.memory.takeOver(script.Scene.Pipeline, w.now, 0)
	w.github = newGitHub(script.Scene.Pipeline, script.Scene.Files, w.hook)
	return w, nil
}

// Now returns the time in the world, which moves only when the story waits.
func (w *World) Now() time.Time { return w.now }

// Pipeline returns the current pipeline.
func (w *World) Pipeline() *promotion.Pipeline { return w.memory.pipeline }

// Do plays one happening and returns all resulting lines.
func (w *World) Do(ctx context.Context, h story.Happening) ([]story.Line, error) {
	w.lines = nil
	if err := w.script.Do(ground{w}, h); err != nil {
		return nil, err
	}
	settle := w.rest
	if h.Kind == story.Wait {
		settle = func() error { return w.wait(ctx, h.For) }
	}
	if err := settle(); err != nil {
		return nil, err
	}
	if h.Kind.Asks() {
		return w.why(h)
	}
	return w.lines, nil
}

// hook delivers a webhook of GitHub, or keeps it while webhooks are lost.
func (w *World) hook(f fact) {
	if w.faults.losing {
		w.faults.lost = append(w.faults.lost, f)
		return
	}
	w.deliver(f)
}

func (w *World) deliver(f fact) {
	w.faults.sent = append(w.faults.sent, f)
	w.learn(f)
}

// learn applies a fact from any source.
func (w *World) learn(f fact) { f(w.memory) }

// wait lets time pass. It stops at each time at which a decision, an effect or a resync is due, and at the end.
func (w *World) wait(ctx context.Context, d time.Duration) error {
	end := w.now.Add(d)
	for {
		if err := errors.Join(ctx.Err(), w.rest()); err != nil {
			return err
		}
		if w.now.Equal(end) {
			return nil
		}
		w.now = w.nextStop(end)
		w.resyncRegularly()
	}
}

// nextStop returns the next time at which a decision, an effect or a resync is due, at most end.
func (w *World) nextStop(end time.Time) time.Time {
	stop := end
	if due := w.resyncDue(); due.After(w.now) && due.Before(stop) {
		stop = due
	}
	if w.wake.After(w.now) && w.wake.Before(stop) {
		stop = w.wake
	}
	for _, j := range w.memory.outbox {
		if !j.done && j.due.After(w.now) && j.due.Before(stop) {
			stop = j.due
		}
	}
	return stop
}

// restless is the number of decisions and effects in one rest that count as a loop.
const restless = 1000

// rest decides and carries out effects until nothing is left to do.
func (w *World) rest() error {
	for range restless {
		w.promoteLabelled()
		if w.decideAll() {
			continue
		}
		j := w.memory.next(w.now)
		if j == nil {
			return nil
		}
		w.carryOut(j)
	}
	return errors.New("it does not come to rest")
}

// decideAll decides about every stage once and reports whether anything changed.
func (w *World) decideAll() bool {
	moved := false
	w.wake = time.Time{}
	for _, s := range w.memory.pipeline.Stages {
		moved = w.decide(s, false) || moved
	}
	for _, s := range w.removed {
		moved = w.decide(s, true) || moved
	}
	return moved
}

func (w *World) decide(stage *promotion.Stage, removed bool) bool {
	d := decide.Decide(w.snapshot(stage, removed), w.now)
	w.memory.apply(d)
	for _, e := range d.Log {
		w.lines = append(w.lines, story.EntryLine(e, w.memory.promotion(e.Promotion)))
	}
	if !d.Wake.IsZero() && (w.wake.IsZero() || d.Wake.Before(w.wake)) {
		w.wake = d.Wake
	}
	return w.memory.post(stage.Name, d) || !d.Nothing()
}

func (w *World) snapshot(stage *promotion.Stage, removed bool) *promotion.Snapshot {
	return w.memory.snapshot(stage, removed, w.rights)
}

// remove remembers the stages that a new pipeline lacks, so that their open work is ended.
func (w *World) remove(old, new *promotion.Pipeline) {
	w.removed = slices.DeleteFunc(w.removed, func(s *promotion.Stage) bool { return new.Stage(s.Name) != nil })
	for _, s := range old.Stages {
		if new.Stage(s.Name) == nil {
			w.removed = append(w.removed, promotion.OnePlace(&promotion.Stage{Name: s.Name}, promotion.Target{}))
		}
	}
}
