package deliver

import (
	"time"

	"waybill/promotion"
)

// pull opens a pull request and brings it to its merge: a new commit when the branch has moved on from it, a merge when
// nothing stands in the way.
type pull struct{}

func (pull) Want(c Case, gates Gates) (e promotion.Effect, until time.Time) {
	if c.uncompared() {
		return c.effect(promotion.Compare, c.Pull.Revision), until
	}
	if c.Promotion.State == promotion.Running {
		return c.opened(gates)
	}
	a, on := c.Attempt, c.Pull
	switch {
	case on == nil:
		return e, until
	case a.Plan != nil && a.Plan.Round > a.Made.Round:
		return c.opening(), until
	case c.outdated():
		return c.planAnew()
	case c.remade() && on.Queue == promotion.InQueue:
		return c.effect(promotion.Dequeue, on.Revision), until
	case c.remade():
		return c.planAnew()
	case on.Queue == promotion.InQueue && c.Merge != promotion.MergeManual:
		why, until := gates(promotion.Merge)
		if !why.IsZero() {
			return c.effect(promotion.Dequeue, on.Revision), until
		}
	}
	why, until := unmerged(c, gates)
	if !why.IsZero() {
		return e, until
	}
	return c.effect(promotion.Merge, on.Revision), until
}

// opened asks for the first commit and the pull request, unless that may not be.
func (c Case) opened(gates Gates) (e promotion.Effect, until time.Time) {
	if c.Attempt.Plan == nil {
		return c.opening(), until
	}
	if c.Replaced {
		return c.planAnew()
	}
	if why, until := gates(promotion.Open); !why.IsZero() {
		return e, until
	}
	return c.opening(), until
}

// opening asks for the commit of the plan and its pull request, or first for a plan.
func (c Case) opening() promotion.Effect {
	if c.Attempt.Plan == nil {
		return Plan(c.Attempt)
	}
	return c.effect(promotion.Open, int64(c.Attempt.Plan.Round))
}

// outdated reports whether the open pull request is made anew because its commit cannot be merged into the branch of
// the stage. What GitHub says of another branch, to which a person has turned it, does not count.
func (c Case) outdated() bool { return c.Attempt.Outdated(c.Pull) && !c.Astray() }

// remade reports whether the open pull request is made anew because the pipeline file would write something else: it
// shows the commit that we made, and not what another person has pushed.
func (c Case) remade() bool {
	return c.Replaced && c.Pull.HeadSHA == c.Attempt.Made.Head && !c.Astray()
}

// uncompared reports whether the pull request was merged with a head of somebody else, and it is not known yet whether
// that has exactly what was planned.
func (c Case) uncompared() bool {
	if c.Pull == nil || c.Pull.State != promotion.PullMerged || c.Astray() {
		return false
	}
	_, known := c.Attempt.Foreign(c.Pull)
	return !known
}

func (pull) Why(c Case, gates Gates) (why promotion.Reason, until time.Time) {
	switch a := c.Attempt; {
	case c.uncompared():
		return promotion.Because(promotion.Waiting).With("comparing what was merged with the plan, because " +
			"somebody pushed to its branch"), until
	case c.Promotion.State == promotion.Running:
		return gates(promotion.Open)
	case c.outdated() && a.Plan != nil && a.Plan.Round <= a.Made.Round:
		return c.rests()
	}
	why, until = unmerged(c, gates)
	if w := c.Attempt.After; why.IsZero() && w.Number != 0 {
		return promotion.Because(promotion.InTurn, w.Number.String(), string(w.Stage)), w.Until
	}
	return why, until
}

// unmerged returns why the open pull request is not merged now, and until when a clock alone keeps it from that; the
// zero reason if it is. A merge that GitHub refused is tried again when something has happened that could have changed
// its mind, never in a loop (semantics 7.6).
func unmerged(c Case, gates Gates) (why promotion.Reason, until time.Time) {
	a, on := c.Attempt, c.Pull
	switch {
	case on == nil:
		return promotion.Because(promotion.Waiting), until
	case !c.Meddled().IsZero():
		return c.Meddled(), until
	case c.Replaced:
		return replaced(), until
	}
	if why, until := gates(promotion.Merge); !why.IsZero() {
		return why, until
	}
	switch {
	case on.Queue == promotion.InQueue:
		why = promotion.Because(promotion.Enqueued)
	case c.Merge == promotion.MergeManual:
		why = promotion.Because(promotion.ToBeMerged)
	case a.Refused.Why != "" && a.Refused.Revision >= on.Revision:
		why = promotion.Because(promotion.Unmergable, a.Refused.Why)
	}
	return why, until
}

func (pull) Follow(c Case) News {
	on := c.Pull
	switch {
	case on != nil && on.State == promotion.PullMerged && c.Astray(): // its contents are somewhere, but not in the stage
		return News{Kind: Ended, State: promotion.Failed,
			Reason: promotion.Because(promotion.PlanChanged, "elsewhere", on.Base)}
	case c.uncompared():
		return News{Kind: Unsure}
	case on != nil && on.State == promotion.PullMerged:
		if foreign, _ := c.Attempt.Foreign(on); len(foreign) > 0 {
			return News{Kind: Ended, State: promotion.Failed, Reason: promotion.Because(promotion.NotPlanned, foreign...).
				At(on.URL + "/files").With("merged by " + string(on.By.Login))}
		}
		return News{Kind: Arrived, Merged: on}
	case on != nil && on.State == promotion.PullClosed:
		return News{Kind: Ended, State: promotion.Declined, Reason: promotion.Because(promotion.Closed, string(on.By.Login))}
	case c.Attempt.State == promotion.AttemptFailed:
		news := failed(c)
		news.Clean = true // its branch may be there without a pull request
		return news
	case on != nil && c.Attempt.State == promotion.AttemptProposed:
		return News{Kind: Shown}
	}
	return News{}
}

func (pull) Spent(c Case) bool {
	a := c.Attempt
	return c.outdated() && a.Made.Round >= MaxRounds && (a.Plan == nil || a.Plan.Round <= a.Made.Round)
}

// Meddled returns what a person has done to the open pull request that keeps it from being merged; the zero reason if
// nothing.
func (c Case) Meddled() promotion.Reason {
	switch {
	case c.Astray():
		return promotion.Because(promotion.PlanChanged, "retargeted", c.Branch)
	case c.Pull != nil && c.Pull.HeadSHA != c.Attempt.Made.Head:
		return promotion.Because(promotion.PlanChanged, "pushed")
	}
	return promotion.Reason{}
}

// Astray reports whether a person has turned the pull request to another branch than that of the stage.
func (c Case) Astray() bool {
	return c.Pull != nil && c.Pull.Base != "" && c.Branch != "" && c.Pull.Base != c.Branch
}
