package promotion

import (
	"fmt"
	"strings"
	"time"
)

// noon is when the tests' decisions are made.
var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// devPipeline is one stage, dev, that takes api's freight straight from the warehouse and is verified by the check smoke,
// and prod behind it.
func devPipeline() *Pipeline {
	smoke := Matcher{Kind: KindCheck, Pattern: "smoke", App: "github-actions", Appear: 15 * time.Minute, Timeout: time.Hour, Missing: LackHolds, Skipped: LackHolds}
	p := &Pipeline{Home: "acme/deploy", Branch: "main", Warehouses: []*Warehouse{{Name: "api", Repo: "acme/deploy", Branch: "main"}}}
	dev := &Stage{Name: "dev", Index: 0, From: []Source{{Warehouse: "api"}}, Changes: []Change{{Path: "dev.yaml"}}, Verify: []Matcher{smoke},
		Merge: MergeAuto, Queue: QueueLatest, OnFailedVerification: OnFailureCancel, Automatic: true}
	prod := &Stage{Name: "prod", Index: 1, From: []Source{{Warehouse: "api", After: &Gate{Of: []*Stage{dev}, Need: 1}}},
		Changes: []Change{{Path: "prod.yaml"}}, Merge: MergeAuto, Queue: QueueLatest, OnFailedVerification: OnFailureCancel, Automatic: true}
	p.Stages = []*Stage{dev, prod}
	return p
}

// freightNo is the n-th freight of the pipeline's warehouse, merged n minutes after eleven.
func freightNo(p *Pipeline, n int) Freight {
	return NewFreight(p.Warehouses[0], n, SHA(fmt.Sprintf("c%d", n)), noon.Add(time.Duration(n-60)*time.Minute))
}

// inState is a snapshot of dev in which promotion 1, of freight api#1, is in a state, with the facts that brought it there.
func inState(state State) *Snapshot {
	p := devPipeline()
	f := freightNo(p, 1)
	s := &Snapshot{Pipeline: p, Stage: p.Stages[0], Records: make([][]Record, 2), Freight: []Freight{f}, Next: 2, NextID: 1,
		Newest: []Mark{{Warehouse: "api", Merged: f.Merged, Number: f.Number}}}
	pr := Promotion{Number: 1, Stage: "dev", Warehouse: "api", Freight: f.ID, FreightName: f.Name, Class: Automatic, Automatic: true,
		State: state, Queued: noon.Add(-10 * time.Minute)}
	a := Attempt{Promotion: 1}
	if state != Queued {
		pr.Started = noon.Add(-10 * time.Minute)
		a.Plan = &Plan{Round: 1, Base: "b0", At: noon.Add(-10 * time.Minute), Paths: []string{"dev.yaml"}, Hash: "h1"}
	}
	if state == WaitingForMerge || state == Declined {
		a.Built, a.HeadSHA, a.Pull = 1, "h1", 7
		s.Pulls = []Pull{{Number: 7, HeadSHA: "h1", State: PullOpen, Revision: 1}}
	}
	if state == Verifying || state == Succeeded || state == VerificationFailed {
		a.Built, a.HeadSHA, a.Pull = 1, "h1", 7
		pr.Merged, pr.MergeSHA = noon.Add(-10*time.Minute), "m1"
		s.Pulls = []Pull{{Number: 7, HeadSHA: "h1", State: PullMerged, MergeSHA: "m1", MergedAt: pr.Merged}}
		stay := Stay{Promotion: 1, Stage: "dev", Warehouse: "api", Freight: f.ID, Entered: pr.Merged, Since: pr.Merged, Commit: "m1", Plan: "h1"}
		stay.Verdict = map[State]Verdict{Succeeded: Passed, VerificationFailed: Bad}[state]
		if stay.Verdict != Pending {
			stay.Judged = noon.Add(-5 * time.Minute)
		}
		s.Stays = []Stay{stay}
	}
	if state.Ended() {
		pr.Ended = noon.Add(-5 * time.Minute)
	}
	s.Promotions, s.Attempts = []Promotion{pr}, []Attempt{a}
	if result := map[State]string{Succeeded: "success", VerificationFailed: "failure"}[state]; result != "" {
		hear(s, smokeRun(1, result))
	}
	return s
}

// hear makes runs all that has been reported; their suite is completed.
func hear(s *Snapshot, runs ...Signal) {
	s.Evidence = Gather(s, runs, []Suite{{ID: 1, App: "github-actions", Branch: "main", Completed: true}}, nil)
}

// smokeRun is a run of the check smoke on promotion 1's merge commit.
func smokeRun(id int64, state string) Signal {
	g := Signal{Kind: KindCheck, ID: id, SHA: "m1", App: "github-actions", Suite: 1, Name: "smoke", State: state, Started: noon.Add(-9 * time.Minute)}
	if state != "in_progress" {
		g.Ended = noon.Add(-6 * time.Minute)
	}
	return g
}

// told prints a decision as one line.
func told(d Decision) string {
	var lines []string
	for _, e := range d.Log {
		switch {
		case e.Event != "":
			lines = append(lines, string(e.Event))
		case e.Class != "":
			lines = append(lines, fmt.Sprintf("p%d %s", e.Promotion, e.Class))
		default:
			lines = append(lines, fmt.Sprintf("p%d %s%s", e.Promotion, e.State, after(" because ", e.Reason.String())))
		}
	}
	for _, e := range append(append([]Effect(nil), d.Effects...), d.Wanted...) {
		switch e.Verb {
		case Reply:
			lines = append(lines, "reply "+e.Outcome)
		case Tell:
			lines = append(lines, "tell "+e.Outcome)
		default:
			lines = append(lines, fmt.Sprintf("%s p%d", e.Verb, e.Promotion))
		}
	}
	return strings.Join(lines, ", ")
}

// planReport is the report on a plan for a freight.
func planReport(s *Snapshot, f FreightID, was []Value, plan Plan) Report {
	return PlanReport(s, Why(s, f, noon), Explain(s, noon), was, plan)
}
