package oracle

import (
	"fmt"
	"reflect"
	"time"
	"waybill/internal/oracle/recorded"
	"waybill/promotion"
	"waybill/promotion/verify"
)

// snapshotOf makes what Decide takes of a recorded snapshot and the pipeline that it belongs to.
func snapshotOf(r *recorded.Snapshot, p *promotion.Pipeline) *promotion.Snapshot {
	s := &promotion.Snapshot{
		Pipeline: p, Stage: p.Stage(promotion.StageName(r.Stage)), Removed: r.Removed,
		Next: promotion.Number(r.Next), NextID: r.NextID,
	}
	if r.Removed {
		s.Stage = promotion.OnePlace(&promotion.Stage{Name: promotion.StageName(r.Stage), Index: r.Index}, promotion.Target{})
	}
	var t translator
	t.copyTo(&s.Freight, r.Freight)
	t.copyTo(&s.Records, r.Records)
	t.copyTo(&s.Promotions, r.Promotions)
	for i := range s.Promotions {
		s.Promotions[i].Place = int64(i) + 1
		progressOf(&s.Promotions[i])
	}
	s.NextPlace = int64(len(s.Promotions)) + 1
	t.copyTo(&s.Newest, r.Newest)
	t.copyTo(&s.Attempts, r.Attempts)
	for i := range s.Attempts {
		s.Attempts[i].State = attemptStateOf(&r.Attempts[i])
	}
	t.copyTo(&s.Pulls, r.Pulls)
	t.copyTo(&s.Stays, r.Stays)
	for i := range s.Stays {
		partsOf(&s.Stays[i])
	}
	t.copyTo(&s.Readings, r.Readings)
	t.copyTo(&s.Readiness, r.Readiness)
	t.copyTo(&s.Holds, r.Holds)
	t.copyTo(&s.Approvals, r.Approvals)
	t.copyTo(&s.Requests, r.Requests)
	s.Evidence = evidenceOf(r, s)
	return s
}

// evidenceOf makes the evidence of a snapshot: what was recorded as such, or what is gathered of all that had been
// reported.
func evidenceOf(r *recorded.Snapshot, s *promotion.Snapshot) (all []promotion.Evidence) {
	var t translator
	if len(r.Evidence) > 0 {
		t.copyTo(&all, r.Evidence)
		return all
	}
	var signals []promotion.Signal
	var suites []promotion.Suite
	var pushes []promotion.Push
	t.copyTo(&signals, r.Signals)
	t.copyTo(&suites, r.Suites)
	t.copyTo(&pushes, r.Pushes)
	return verify.Gather(s, signals, suites, pushes)
}

// decisionOf makes a decision comparable with recorded ones.
func decisionOf(d promotion.Decision) *recorded.Decision {
	r := new(recorded.Decision)
	translator(nil).copyTo(r, d)
	for i := range r.Promotions {
		recordProgress(&r.Promotions[i])
	}
	for i := range r.Stays {
		recordParts(&r.Stays[i])
	}
	return r
}

// pipelineOf makes a pipeline of a recorded one.
func pipelineOf(r *recorded.Pipeline) *promotion.Pipeline {
	p := new(promotion.Pipeline)
	stages := make(map[string]*promotion.Stage, len(r.Stages))
	for _, s := range r.Stages {
		stages[s.Name] = new(promotion.Stage)
	}
	translator{
		reflect.TypeFor[*promotion.Stage](): func(to, from reflect.Value) {
			to.Set(reflect.ValueOf(stages[from.Interface().(*recorded.Stage).Name]))
		},
	}.copyTo(p, *r)
	each := translator{
		reflect.TypeFor[*promotion.Stage](): func(to, from reflect.Value) {
			to.Set(reflect.ValueOf(stages[from.String()]))
		},
		reflect.TypeFor[promotion.Window](): func(to, from reflect.Value) {
			to.Set(reflect.ValueOf(window(from.Interface().(recorded.Window))))
		},
	}
	for _, s := range r.Stages {
		each.copyTo(stages[s.Name], *s)
		stages[s.Name].Delivery = deliveryOf(s)
		placesOf(stages[s.Name], s)
	}
	return p
}

// deliveryOf returns how promotions into a recorded stage are delivered.
func deliveryOf(s *recorded.Stage) promotion.Delivery {
	switch {
	case s.Dispatch != nil:
		return promotion.DeliveryWorkflow
	case len(s.Changes) == 0 && len(s.Copies) == 0:
		return promotion.DeliveryNone
	case s.Direct:
		return promotion.DeliveryCommit
	}
	return promotion.DeliveryPullRequest
}

// attemptStateOf returns how far a recorded attempt had come. The commit that is being put on the branch is always that
// of its plan.
func attemptStateOf(r *recorded.Attempt) promotion.AttemptState {
	switch {
	case !r.Landed.IsZero():
		return promotion.AttemptDelivered
	case r.Begun > 0 && r.Begun != r.Plan.Round:
		panic(fmt.Sprintf("promotion %d commits round %d of plan %d", r.Promotion, r.Begun, r.Plan.Round))
	case r.Begun > 0:
		return promotion.AttemptCommitting
	case !r.Dispatched.IsZero():
		return promotion.AttemptStarting
	case r.Failure.Code != "":
		return promotion.AttemptFailed
	case r.Built > 0:
		return promotion.AttemptProposed
	}
	return promotion.AttemptPending
}

// recordSnapshot is the reverse of snapshotOf.
func recordSnapshot(s *promotion.Snapshot) *recorded.Snapshot {
	if !s.Removed && s.Pipeline.Stage(s.Stage.Name) != s.Stage {
		panic(fmt.Sprintf("stage %s is not one of its pipeline's", s.Stage.Name))
	}
	r := &recorded.Snapshot{
		Stage: string(s.Stage.Name), Index: s.Stage.Index, Removed: s.Removed, Next: int64(s.Next), NextID: s.NextID,
	}
	var t translator
	t.copyTo(&r.Freight, s.Freight)
	t.copyTo(&r.Records, s.Records)
	t.copyTo(&r.Promotions, s.Promotions)
	for i := range r.Promotions {
		recordProgress(&r.Promotions[i])
	}
	t.copyTo(&r.Newest, s.Newest)
	t.copyTo(&r.Attempts, s.Attempts)
	for i := range s.Attempts {
		if s.Attempts[i].State == promotion.AttemptCommitting {
			r.Attempts[i].Begun = s.Attempts[i].Plan.Round
		}
	}
	t.copyTo(&r.Pulls, s.Pulls)
	t.copyTo(&r.Stays, s.Stays)
	for i := range r.Stays {
		recordParts(&r.Stays[i])
	}
	t.copyTo(&r.Evidence, s.Evidence)
	t.copyTo(&r.Readings, s.Readings)
	t.copyTo(&r.Readiness, s.Readiness)
	t.copyTo(&r.Holds, s.Holds)
	t.copyTo(&r.Approvals, s.Approvals)
	t.copyTo(&r.Requests, s.Requests)
	return r
}

// recordPipeline is the reverse of pipelineOf. Freezes are recorded as the times from now on at which they are.
func recordPipeline(p *promotion.Pipeline, now time.Time) *recorded.Pipeline {
	r := new(recorded.Pipeline)
	translator{
		reflect.TypeFor[[]string](): func(to, from reflect.Value) {
			if gate, is := from.Interface().([]*promotion.Stage); is {
				to.Set(reflect.ValueOf(stageNames(gate)))
				return
			}
			translator(nil).translateList(to, from)
		},
		reflect.TypeFor[recorded.Window](): func(to, from reflect.Value) {
			to.Set(reflect.ValueOf(recordWindow(from.Interface().(promotion.Window), now)))
		},
	}.copyTo(r, *p)
	for i, s := range p.Stages {
		r.Stages[i].Direct = s.Delivery == promotion.DeliveryCommit
		recordPlaces(r.Stages[i], s)
	}
	return r
}

func stageNames(stages []*promotion.Stage) (names []string) {
	for _, s := range stages {
		names = append(names, string(s.Name))
	}
	return names
}
