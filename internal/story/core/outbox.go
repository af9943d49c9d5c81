package core

import (
	"slices"
	"time"

	"waybill/promotion"
)

// job is an effect that has been decided.
type job struct {
	promotion.Effect
	done      bool
	tries     int       // how often GitHub has failed it
	due       time.Time // when it is tried next
	rejection promotion.Rejection
}

// post takes over what a decision wants done: what is owed stays until it is done, what is no longer wanted and has not
// been done is withdrawn. It reports whether anything is new.
func (m *memory) post(stage promotion.StageName, d promotion.Decision) bool {
	m.outbox = slices.DeleteFunc(m.outbox, func(j *job) bool {
		return j.Stage == stage && !j.done && !j.Verb.Is(promotion.Owed) && !lists(d.Wanted, j.Key())
	})
	posted := false
	for _, e := range append(slices.Clone(d.Effects), d.Wanted...) {
		if !slices.ContainsFunc(m.outbox, func(j *job) bool { return j.Key() == e.Key() }) {
			m.outbox = append(m.outbox, &job{Effect: e})
			posted = true
		}
	}
	return posted
}

// rejections lists the wanted effects of a stage that GitHub refuses at the moment.
func (m *memory) rejections(stage promotion.StageName) (all []promotion.Rejection) {
	for _, j := range m.outbox {
		if r := j.rejection; j.Stage == stage && !j.done && !j.Verb.Is(promotion.Owed) && !r.Since.IsZero() {
			r.Promotion, r.Verb, r.Again = j.Promotion, j.Verb, j.due
			all = append(all, r)
		}
	}
	return all
}

func lists(effects []promotion.Effect, key promotion.EffectKey) bool {
	return slices.ContainsFunc(effects, func(e promotion.Effect) bool { return e.Key() == key })
}

// next returns the first effect that is due, or nil.
func (m *memory) next(now time.Time) *job {
	for _, j := range m.outbox {
		if !j.done && !j.due.After(now) {
			return j
		}
	}
	return nil
}
