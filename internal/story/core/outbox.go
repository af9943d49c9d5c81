package core

import (
	"slices"
	"time"

	"waybill/promotion"
)

// job is a decided effect in the outbox.
type job struct {
	promotion.Effect
	done      bool
	tries     int       // failures so far
	due       time.Time // time of the next try
	rejection promotion.Rejection
}

// post adds the effects of a decision to the outbox. An owed effect stays until it is done. A wanted effect that the
// decision no longer lists is withdrawn, unless it is done. post reports whether it added an effect.
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
