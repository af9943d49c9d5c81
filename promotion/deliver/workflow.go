package deliver

import (
	"time"

	"waybill/promotion"
)

// workflow starts a workflow of GitHub Actions and changes no file.
type workflow struct{}

// Want asks for the workflow's start, or first for a plan. A start that has begun is asked for until its outcome is
// known.
func (workflow) Want(c Case, gates Gates) (e promotion.Effect, until time.Time) {
	start := c.effect(promotion.Dispatching, 1)
	switch {
	case c.Attempt.State == promotion.AttemptStarting:
		return start, until
	case c.Attempt.Plan == nil:
		return Plan(c.Attempt), until
	case c.Replaced:
		return c.planAnew()
	}
	if why, until := gates(promotion.Dispatching); !why.IsZero() {
		return e, until
	}
	return start, until
}

func (workflow) Why(c Case, gates Gates) (why promotion.Reason, until time.Time) {
	return unlessUnderway(c, promotion.Dispatching, gates)
}

func (workflow) Follow(c Case) News { return withoutPull(c) }

// Spent is never so: a workflow is started once, from no branch that could move.
func (workflow) Spent(Case) bool { return false }
