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

	writes   map[promotion.Number]map[string]*string // what open promotions would write, by path; nil deletes
	removed  []*promotion.Stage                      // stages that the pipeline file had once
	resynced time.Time                               // when it was resynced last
	wake     time.Time                               // when a decision wants somebody to look again
	requests int64
	lines    []story.Line // decided and done in this step
}

// ground is a World as happenings see it.
type ground struct{ *World }

var _ play.Ground = ground{}

// New makes the world of a story before its first step. It fails when the story's pipeline or policy file is no good.
func New(s story.Story) (*World, error) {
	script, err := play.Begin(s)
	if err != nil {
		return nil, err
	}
	w := &World{
		script: script, now: story.Start(), resynced: story.Start(), rights: newRights(),
		memory: &memory{
			heard: map[int64]bool{}, readings: map[readingOf]promotion.Reading{},
			readiness: map[promotion.StageName]promotion.Readiness{}, since: map[warehouse]beginning{},
		},
		writes: map[promotion.Number]map[string]*string{},
	}
	w.memory.takeOver(script.Scene.Pipeline, w.now, 0)
	w.github = newGitHub(script.Scene.Pipeline, script.Scene.Files, w.hook)
	return w, nil
}

// Now is the time in the world; it moves only when the story waits.
func (w *World) Now() time.Time { return w.now }

// Pipeline is the pipeline as it is now.
func (w *World) Pipeline() *promotion.Pipeline { return w.memory.pipeline }

// Do makes one thing happen and returns everything that follows from it.
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

// hook is a webhook that GitHub sends.
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

// learn takes a fact over, however it came.
func (w *World) learn(f fact) { f(w.memory) }

// wait lets time pass, and stops at every time at which somebody wants to look, the end included.
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

// nextStop returns the next time at which anything can happen by itself, at most end.
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

// restless is how many decisions and effects one happening may cause before it is taken for a loop.
const restless = 1000

// rest decides and carries out until nothing is left to do.
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

// decideAll decides about every stage once, and reports whether that changed anything.
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

// remove remembers the stages that a new pipeline no longer has, so that what they left open is ended.
func (w *World) remove(old, new *promotion.Pipeline) {
	w.removed = slices.DeleteFunc(w.removed, func(s *promotion.Stage) bool { return new.Stage(s.Name) != nil })
	for _, s := range old.Stages {
		if new.Stage(s.Name) == nil {
			w.removed = append(w.removed, promotion.OnePlace(&promotion.Stage{Name: s.Name}, promotion.Target{}))
		}
	}
}
