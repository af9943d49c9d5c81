package deliver

import (
	"time"

	"waybill/promotion"
)

// commit puts the commit of a promotion on the branch without a pull request. It is there or it is not: people cannot
// close it, and nothing waits between start and verification.
type commit struct{}

// Want asks for the commit of the plan on the branch, or first for a plan: also when the branch has moved since, so
// that no other push is lost. A commit that has begun is asked for until its outcome is known.
func (commit) Want(c Case, gates Gates) (e promotion.Effect, until time.Time) {
	a := c.Attempt
	switch {
	case a.State == promotion.AttemptCommitting:
		return c.effect(promotion.Commit, int64(a.Plan.Round)), until
	case a.Plan == nil:
		return Plan(a), until
	case a.Plan.Round <= a.Late, c.Replaced:
		return c.planAnew()
	}
	if why, until := gates(promotion.Commit); !why.IsZero() {
		return e, until
	}
	return c.effect(promotion.Commit, int64(a.Plan.Round)), until
}

func (commit) Why(c Case, gates Gates) (why promotion.Reason, until time.Time) {
	if a := c.Attempt; a.Plan != nil && a.Plan.Round <= a.Late {
		return c.rests()
	}
	return unlessUnderway(c, promotion.Commit, gates)
}

func (commit) Follow(c Case) News { return withoutPull(c) }

func (commit) Spent(c Case) bool { return c.Attempt.Late >= MaxRounds }
