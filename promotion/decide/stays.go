package decide

import (
	"time"
	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// merged records that a promotion's pull request is merged. The freight it replaces leaves the stage, and the promotion
// is verifying from the same moment on. What must not be undone by automation holds the stage.
func (d *draft) merged(n promotion.Number, pull *promotion.Pull, a promotion.Attempt) {
	p := d.verifies(n, promotion.Reason{}, pull.MergedAt, pull.MergeSHA)
	p.Rollout = new(rollout.StepMerged(*p.Rollout))
	d.out.Log = append(d.out.Log, promotion.Entry{
		At: d.now, Stage: p.Stage, Promotion: n, State: promotion.Verifying, SHA: pull.MergeSHA, By: pull.By,
	})
	d.bring(p, promotion.Stay{
		Promotion: n, Stage: p.Stage, Warehouse: p.Freight.Warehouse, Freight: p.Freight.ID,
		Entered: pull.MergedAt, Since: pull.MergedAt, Commit: pull.MergeSHA, Plan: a.PlanHash(), Wrote: a.Wrote(pull),
	}, a.Paths())
	d.pin(p)
}

// bring begins the stay of what a merge has brought, or adds to it what a further step has. moved says which files have
// been written: a target whose files said so already keeps the verdict that it was given for the same freight.
func (d *draft) bring(p *promotion.Promotion, s promotion.Stay, moved []string) {
	if s.Parts == nil {
		s.Parts = rollout.Updated(&d.Snapshot, p, &s, moved)
	}
	if p.Rolls() {
		d.useUp(p)
		s.Short, s.Plan = true, ""
	}
	i := d.StayOf(p.Number)
	if i < 0 {
		kept := rollout.KeptBeside(&d.Snapshot, p)
		s.Parts, s.Wrote = append(kept, s.Parts...), append(rollout.Written(&d.Snapshot, p, kept), s.Wrote...)
		d.leave(p.Freight.Warehouse, s.Entered)
		d.arrive(s)
		return
	}
	d.Readings, d.out.Ripples = nil, true
	stay := d.changeStay(i)
	stay.Commit = s.Commit
	stay.Parts = append(stay.Parts[:len(stay.Parts):len(stay.Parts)], s.Parts...)
	stay.Wrote = append(stay.Wrote[:len(stay.Wrote):len(stay.Wrote)], s.Wrote...)
}

// leave ends the stay of the freight that is replaced at that time.
func (d *draft) leave(warehouse promotion.WarehouseName, at time.Time) {
	if i := d.Hosted(warehouse); i >= 0 {
		d.changeStay(i).Left = at
		d.out.Ripples = true
	}
}

// arrive begins a stay. Whether what was read of the files says anything of it, only the next snapshot knows.
func (d *draft) arrive(s promotion.Stay) {
	d.Readings, d.out.Ripples = nil, true
	d.Stays = append(d.Stays[:len(d.Stays):len(d.Stays)], s)
	d.changeStay(len(d.Stays) - 1)
}

// record writes a verdict on the i-th stay.
func (d *draft) record(i int, o verify.Opinion) {
	stay := d.changeStay(i)
	stay.Verdict, stay.Judged, stay.Cause = o.Verdict, o.At, o.Reason
	if o.At.IsZero() {
		stay.Judged = d.now
	}
	d.out.Ripples = true
}

// recordPart writes a verdict on a target.
func (d *draft) recordPart(i, k int, o verify.Opinion) {
	part := &d.changeStay(i).Parts[k]
	part.Verdict, part.Judged, part.Cause = o.Verdict, o.At, o.Reason
	if o.At.IsZero() {
		part.Judged = d.now
	}
}
