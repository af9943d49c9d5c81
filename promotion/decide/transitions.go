package decide

import (
	"time"

	"waybill/promotion"
)

// The named transitions: a promotion's state changes nowhere else. The arrows that there are stand in
// promotion/state.go.

// enter moves a promotion to a state that has not ended, and says so.
func (d *draft) enter(n promotion.Number, state promotion.State, r promotion.Reason) *promotion.Promotion {
	p := d.change(n)
	p.State, p.Reason = state, r
	d.log(p, r)
	return p
}

// verifies moves a promotion to verifying, because its freight is on the branch since at, with a commit.
func (d *draft) verifies(
	n promotion.Number, why promotion.Reason, at time.Time, with promotion.SHA,
) *promotion.Promotion {
	p := d.change(n)
	p.State, p.Reason, p.Merged, p.MergeSHA = promotion.Verifying, why, d.behindAll(n, at), with
	if p.Rollout != nil && p.Rollout.Unclear {
		r := *p.Rollout
		r.Unclear = false
		p.Rollout = &r
	}
	return p
}

// behindAll returns when a promotion comes to the stage, of which GitHub's clock or ours tells the time: behind all
// that came before, whatever the clocks say. What is taken back is told by that order.
func (d *draft) behindAll(n promotion.Number, at time.Time) time.Time {
	for i := range d.Promotions {
		if q := &d.Promotions[i]; q.Merged.After(at) || q.Merged.Equal(at) && n < q.Number {
			at = q.Merged.Add(time.Microsecond) // the least that the ledger tells apart
		}
	}
	return at
}

// opened records that a promotion's pull request is open.
func (d *draft) opened(n promotion.Number) {
	d.enter(n, promotion.WaitingForMerge, promotion.Reason{})
}

// pin holds freight of its warehouse when automation must not undo the promotion that has just arrived (Q11, Q12). In a
// rollout nothing else can start while targets are still to come, and the hold would stop the rollout that it protects.
func (d *draft) pin(p *promotion.Promotion) {
	if p.Pins && !p.Rolls() {
		d.holdOnce(d.whyPinned(p), p)
	}
}

// pinRollout is pin for a rollout that has ended.
func (d *draft) pinRollout(p *promotion.Promotion) {
	if p.Pins && p.Rolls() {
		d.holdOnce(d.whyPinned(p), p)
	}
}

// whyPinned returns whose decision automation must not undo: a person's, or that of the pipeline file, which rolls
// failures back.
func (d *draft) whyPinned(p *promotion.Promotion) promotion.Reason {
	if failed := d.Promotion(p.Cause); p.By.Bot() && failed != nil {
		return failed.Reason
	}
	return promotion.Because(promotion.Asked, string(p.By.Login))
}

// end moves a promotion to a final state.
func (d *draft) end(n promotion.Number, state promotion.State, r promotion.Reason) *promotion.Promotion {
	p := d.change(n)
	p.State, p.Reason, p.Ended = state, r, d.now
	d.out.Ripples = d.out.Ripples || p.Class == promotion.Rollback
	d.log(p, r)
	if state != promotion.Succeeded && state != promotion.VerificationFailed && d.DeploymentOf(n) >= 0 {
		d.pinRollout(p) // it is left halfway, and its merges stay
	}
	if state == promotion.Failed || state == promotion.VerificationFailed {
		d.tell(p, string(state), r)
	}
	return p
}

// withdraw ends a promotion that has not been merged, and closes its pull request if it may have one.
func (d *draft) withdraw(n promotion.Number, state promotion.State, r promotion.Reason) {
	started := d.Promotion(n).State != promotion.Queued
	p := d.end(n, state, r)
	if started {
		d.close(p.Number, r)
	}
}

// close owes the end of a promotion's pull request.
func (d *draft) close(n promotion.Number, r promotion.Reason) {
	d.out.Effects = append(d.out.Effects, promotion.Effect{
		Verb: promotion.Close, Stage: d.Stage.Name, Promotion: n, Step: d.Promotion(n).Step(), Reason: r,
	})
}

// tell owes a comment on the freight's source pull request.
func (d *draft) tell(p *promotion.Promotion, outcome string, r promotion.Reason) {
	d.out.Effects = append(d.out.Effects, promotion.Effect{
		Verb: promotion.Tell, Stage: p.Stage, Promotion: p.Number, Freight: p.Freight.ID, Outcome: outcome, Reason: r,
	})
}

// add queues a new promotion.
func (d *draft) add(p promotion.Promotion) promotion.Number {
	p.Number, p.Place, p.Stage, p.State, p.Queued = d.Next, d.NextPlace, d.Stage.Name, promotion.Queued, d.now
	d.Next, d.NextPlace = d.Next+1, d.NextPlace+1
	d.moved = true
	if !d.copied {
		d.Promotions, d.copied = append([]promotion.Promotion(nil), d.Promotions...), true
	}
	d.Promotions = append(d.Promotions, p)
	d.changed = append(d.changed, p.Number)
	d.log(&p, promotion.Reason{})
	return p.Number
}

// goBack queues a rollback to a freight. A promotion of that freight that waits in another class ends, for the given
// reason.
func (d *draft) goBack(f *promotion.Freight, p promotion.Promotion, why promotion.Reason) promotion.Number {
	if p := d.OpenOf(f.ID); p != nil {
		d.end(p.Number, promotion.Cancelled, why)
	}
	p.Freight, p.Class, p.Pins = f.Ref(), promotion.Rollback, true
	d.out.Ripples = true
	return d.add(p)
}

// stop ends a promotion that has lost its sense.
func (d *draft) stop(p *promotion.Promotion, r promotion.Reason) {
	if p.State == promotion.Verifying {
		d.end(p.Number, promotion.Cancelled, r)
		return
	}
	d.withdraw(p.Number, promotion.Cancelled, r)
}
