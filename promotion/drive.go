package promotion

// What people do with a rollout while it runs (semantics 5.11). Holds outlast rollouts, pauses end with them.

// paused returns who has paused the rollout; the zero reason if nobody has.
func (p *Promotion) Paused() Reason {
	if p.Rollout == nil || p.Rollout.Paused.Bot() {
		return Reason{}
	}
	return Because(Paused, string(p.Rollout.Paused.Login))
}
