package oracle

import (
	"waybill/internal/oracle/recorded"
	"waybill/promotion"
)

// A recorded stage that is one place has no targets: it changes files and is verified itself, its promotions have no
// progress, and the verdict on what it hosts is that of the stay. Now it has one target without a name; its promotions
// go through that, and its stays say what is so of it.

// placesOf adds to a stage what its recording does not say of targets.
func placesOf(s *promotion.Stage, r *recorded.Stage) {
	if len(s.Targets) == 0 {
		var t translator
		one := promotion.Target{Environment: r.Environment, EnvironmentURL: r.EnvironmentURL}
		t.copyTo(&one.Changes, r.Changes)
		t.copyTo(&one.Copies, r.Copies)
		t.copyTo(&one.Verify, r.Verify)
		promotion.OnePlace(s, one)
		return
	}
	if r.Environment == "" {
		return
	}
	s.OneDeployment = true
	for i := range s.Targets {
		s.Targets[i].Environment, s.Targets[i].EnvironmentURL = r.Environment, r.EnvironmentURL
	}
}

// recordPlaces is the reverse of placesOf.
func recordPlaces(r *recorded.Stage, s *promotion.Stage) {
	var t translator
	t.copyTo(&r.Changes, s.Changes())
	t.copyTo(&r.Copies, s.Copies())
	t.copyTo(&r.Verify, s.Verify())
	if s.OneDeployment && len(s.Targets) > 0 {
		r.Environment, r.EnvironmentURL = s.Targets[0].Environment, s.Targets[0].EnvironmentURL
		for i := range r.Targets {
			r.Targets[i].Environment, r.Targets[i].EnvironmentURL = "", ""
		}
	}
	if !s.Rolls() {
		r.Targets, r.Batches, r.Beyond = nil, nil, ""
	}
}

// progressOf adds to a promotion that has started how far it is.
func progressOf(p *promotion.Promotion) {
	if p.Rollout != nil || p.Started.IsZero() {
		return
	}
	one := []promotion.TargetName{""}
	p.Rollout = &promotion.Rollout{Batches: []promotion.Batch{{Targets: one, AtOnce: 1}}, Step: 1, Targets: one}
	if !p.Merged.IsZero() && p.Reason.Code != promotion.NoChange {
		p.Rollout.Merged, p.Rollout.Entered = 1, []int{0}
	}
}

// recordProgress is the reverse of progressOf.
func recordProgress(p *recorded.Promotion) {
	if r := p.Rollout; r != nil && len(r.Batches) == 1 && len(r.Batches[0].Targets) == 1 && r.Batches[0].Targets[0] == "" {
		p.Rollout = nil
	}
}

// partsOf adds to a stay the verdict on its target.
func partsOf(s *promotion.Stay) {
	if len(s.Parts) > 0 {
		return
	}
	part := promotion.Part{Step: 1, Commit: s.Commit, Since: s.Since}
	if s.Verdict == promotion.Passed || s.Verdict == promotion.Bad {
		part.Verdict, part.Judged = s.Verdict, s.Judged
		if s.Cause.Code != promotion.Asked || !s.JudgedBy.Bot() { // else somebody has asked to judge again
			part.Cause = s.Cause
		}
	}
	s.Parts = []promotion.Part{part}
}

// recordParts is the reverse of partsOf.
func recordParts(s *recorded.Stay) {
	if len(s.Parts) == 1 && s.Parts[0].Target == "" {
		s.Parts = nil
	}
}
