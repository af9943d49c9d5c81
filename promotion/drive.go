package promotion

import "slices"

// What people do with a rollout while it runs (semantics 5.11). Holds outlast rollouts, pauses end with them.

// paused returns who has paused the rollout; the zero reason if nobody has.
func (p *Promotion) Paused() Reason {
	if p.Rollout == nil || p.Rollout.Paused.Bot() {
		return Reason{}
	}
	return Because(Paused, string(p.Rollout.Paused.Login))
}

// stepMerged counts the merge of a step.
func (p *Promotion) StepMerged() {
	if p.Rollout == nil {
		return
	}
	r := *p.Rollout
	r.Merged++
	if !slices.Contains(r.Entered, r.Batch) {
		r.Entered = append(r.Entered[:len(r.Entered):len(r.Entered)], r.Batch)
	}
	p.Rollout = &r
}
