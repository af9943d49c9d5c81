package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// merged records that a promotion's pull request is merged. The freight it replaces leaves the stage, and the promotion
// is verifying from the same moment on. A promotion that automation must not undo holds the stage.
func (d *draft) merged(n promotion.Number, pull *promotion.Pull, a promotion.Attempt) {
	p := d.verifies(n, promotion.Reason{}, pull.MergedAt, pull.MergeSHA)
	p.Rollout = new(rollout.StepMerged(*p.Rollout))
	d.out.Log = append(d.out.Log, promotion.Entry{
		At: d.now, Stage: p.Stage, Promotion: n, State: promotion.Verifying, SHA: pull.MergeSHA, By: pull.By,
	})
	d.recordMerge(p, promotion.Deployment{
		Promotion: n, Stage: p.Stage, Warehouse: p.Freight.Warehouse, Freight: p.Freight.ID,
		Entered: p.Merged, Since: countsSince(pull), Commit: pull.MergeSHA, Plan: a.PlanHash(), Wrote: a.Wrote(),
	}, a.Paths())
	d.pin(p)
}

// countsSince returns since when runs on the commit of a merge count (semantics 7.2): all do on one that the merge has
// made, because its time may be told too late, and runs of a merge queue, which are older, are not there.
func countsSince(pull *promotion.Pull) time.Time {
	if pull.NewCommit {
		return time.Time{}
	}
	return pull.MergedAt
}

// recordMerge begins the deployment of merged freight, or adds the targets of a further step to it. moved says which
// files have been written: a target whose files had the values already keeps the verdict that it was given for the same
// freight.
func (d *draft) recordMerge(p *promotion.Promotion, s promotion.Deployment, moved []string) {
	if s.Results == nil {
		s.Results = rollout.Updated(&d.Snapshot, p, &s, moved)
	}
	if p.Rolls() {
		d.useUp(p)
		s.Incomplete, s.Plan = true, ""
	}
	i := d.DeploymentOf(p.Number)
	if i < 0 {
		kept := rollout.KeptBeside(&d.Snapshot, p)
		s.Results, s.Wrote = append(kept, s.Results...), append(rollout.Written(&d.Snapshot, p, kept), s.Wrote...)
		p.Pins = p.Pins || p.Class == promotion.Manual && command.GoesBack(&d.Snapshot, p.Freight)
		d.leave(p.Freight.Warehouse, s.Entered)
		d.arrive(s)
		return
	}
	d.Readings, d.out.Ripples = nil, true
	deployment := d.changeDeployment(i)
	deployment.Commit = s.Commit
	deployment.Results = append(deployment.Results[:len(deployment.Results):len(deployment.Results)], s.Results...)
	deployment.Wrote = append(deployment.Wrote[:len(deployment.Wrote):len(deployment.Wrote)], s.Wrote...)
}

// leave ends the deployment of the freight that is replaced at that time.
func (d *draft) leave(warehouse promotion.WarehouseName, at time.Time) {
	if i := d.Hosted(warehouse); i >= 0 {
		d.changeDeployment(i).Left = at
		d.out.Ripples = true
	}
}

// arrive begins a deployment. Only the next snapshot knows whether a reading of the files is newer than it.
func (d *draft) arrive(s promotion.Deployment) {
	d.Readings, d.out.Ripples = nil, true
	d.Deployments = append(d.Deployments[:len(d.Deployments):len(d.Deployments)], s)
	d.changeDeployment(len(d.Deployments) - 1)
}

// record writes a verdict on the i-th deployment.
func (d *draft) record(i int, o verify.Opinion) {
	deployment := d.changeDeployment(i)
	deployment.Verdict, deployment.Judged, deployment.Cause = o.Verdict, o.At, o.Reason
	if o.At.IsZero() {
		deployment.Judged = d.now
	}
	d.out.Ripples = true
}

// recordResult writes a verdict on a target. The first one keeps the list of matchers that it was made with.
func (d *draft) recordResult(i, k int, o verify.Opinion) {
	result := &d.changeDeployment(i).Results[k]
	result.Verdict, result.Judged, result.Cause = o.Verdict, o.At, o.Reason
	if o.At.IsZero() {
		result.Judged = d.now
	}
	if t := d.Target(result.Target); t != nil && result.By == nil {
		result.Keep(t.Verify)
	}
}
