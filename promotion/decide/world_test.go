package decide

import (
	"fmt"
	"strings"
	"time"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/promotion/verify"
)

// noon is when the tests' decisions are made.
var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// devPipeline is one stage, dev, that takes api's freight straight from the warehouse and is verified by the check smoke,
// and prod behind it.
func devPipeline() *promotion.Pipeline {
	smoke := promotion.Matcher{Kind: promotion.KindCheck, Pattern: "smoke", App: "github-actions", Appear: 15 * time.Minute, Timeout: time.Hour, Missing: promotion.LackHolds, Skipped: promotion.LackHolds}
	p := &promotion.Pipeline{Home: "acme/deploy", Branch: "main", Warehouses: []*promotion.Warehouse{{Name: "api", Repo: "acme/deploy", Branch: "main"}}}
	dev := &promotion.Stage{Name: "dev", Index: 0, From: []promotion.Source{{Warehouse: "api"}}, Changes: []promotion.Change{{Path: "dev.yaml"}}, Verify: []promotion.Matcher{smoke},
		Merge: promotion.MergeAuto, Queue: promotion.QueueLatest, OnFailedVerification: promotion.OnFailureCancel, Automatic: true}
	prod := &promotion.Stage{Name: "prod", Index: 1, From: []promotion.Source{{Warehouse: "api", After: &promotion.Gate{Of: []*promotion.Stage{dev}, Need: 1}}},
		Changes: []promotion.Change{{Path: "prod.yaml"}}, Merge: promotion.MergeAuto, Queue: promotion.QueueLatest, OnFailedVerification: promotion.OnFailureCancel, Automatic: true}
	p.Stages = []*promotion.Stage{dev, prod}
	return p
}

// freightNo is the n-th freight of the pipeline's warehouse, merged n minutes after eleven.
func freightNo(p *promotion.Pipeline, n int) promotion.Freight {
	return promotion.NewFreight(p.Warehouses[0], n, promotion.SHA(fmt.Sprintf("c%d", n)), noon.Add(time.Duration(n-60)*time.Minute))
}

// inState is a snapshot of dev in which promotion 1, of freight api#1, is in a state, with the facts that brought it there.
func inState(state promotion.State) *promotion.Snapshot {
	p := devPipeline()
	f := freightNo(p, 1)
	s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0], Records: make([][]promotion.Record, 2), Freight: []promotion.Freight{f}, Next: 2, NextID: 1,
		Newest: []promotion.Mark{{Warehouse: "api", Merged: f.Merged, Number: f.Number}}}
	pr := promotion.Promotion{Number: 1, Stage: "dev", Warehouse: "api", Freight: f.ID, FreightName: f.Name, Class: promotion.Automatic, Automatic: true,
		State: state, Queued: noon.Add(-10 * time.Minute)}
	a := promotion.Attempt{Promotion: 1}
	if state != promotion.Queued {
		pr.Started = noon.Add(-10 * time.Minute)
		a.Plan = &promotion.Plan{Round: 1, Base: "b0", At: noon.Add(-10 * time.Minute), Paths: []string{"dev.yaml"}, Hash: "h1"}
	}
	if state == promotion.WaitingForMerge || state == promotion.Declined {
		a.Built, a.HeadSHA, a.Pull = 1, "h1", 7
		s.Pulls = []promotion.Pull{{Number: 7, HeadSHA: "h1", State: promotion.PullOpen, Revision: 1}}
	}
	if state == promotion.Verifying || state == promotion.Succeeded || state == promotion.VerificationFailed {
		a.Built, a.HeadSHA, a.Pull = 1, "h1", 7
		pr.Merged, pr.MergeSHA = noon.Add(-10*time.Minute), "m1"
		s.Pulls = []promotion.Pull{{Number: 7, HeadSHA: "h1", State: promotion.PullMerged, MergeSHA: "m1", MergedAt: pr.Merged}}
		stay := promotion.Stay{Promotion: 1, Stage: "dev", Warehouse: "api", Freight: f.ID, Entered: pr.Merged, Since: pr.Merged, Commit: "m1", Plan: "h1"}
		stay.Verdict = map[promotion.State]promotion.Verdict{promotion.Succeeded: promotion.Passed, promotion.VerificationFailed: promotion.Bad}[state]
		if stay.Verdict != promotion.Pending {
			stay.Judged = noon.Add(-5 * time.Minute)
		}
		s.Stays = []promotion.Stay{stay}
	}
	if state.Ended() {
		pr.Ended = noon.Add(-5 * time.Minute)
	}
	s.Promotions, s.Attempts = []promotion.Promotion{pr}, []promotion.Attempt{a}
	if result := map[promotion.State]string{promotion.Succeeded: "success", promotion.VerificationFailed: "failure"}[state]; result != "" {
		hear(s, smokeRun(1, result))
	}
	return s
}

// hear makes runs all that has been reported; their suite is completed.
func hear(s *promotion.Snapshot, runs ...promotion.Signal) {
	s.Evidence = verify.Gather(s, runs, []promotion.Suite{{ID: 1, App: "github-actions", Branch: "main", Completed: true}}, nil)
}

// smokeRun is a run of the check smoke on promotion 1's merge commit.
func smokeRun(id int64, state string) promotion.Signal {
	g := promotion.Signal{Kind: promotion.KindCheck, ID: id, SHA: "m1", App: "github-actions", Suite: 1, Name: "smoke", State: state, Started: noon.Add(-9 * time.Minute)}
	if state != "in_progress" {
		g.Ended = noon.Add(-6 * time.Minute)
	}
	return g
}

// told prints a decision as one line.
func told(d promotion.Decision) string {
	var lines []string
	for _, e := range d.Log {
		switch {
		case e.Event != "":
			lines = append(lines, string(e.Event))
		case e.Class != "":
			lines = append(lines, fmt.Sprintf("p%d %s", e.Promotion, e.Class))
		default:
			lines = append(lines, fmt.Sprintf("p%d %s%s", e.Promotion, e.State, say.After(" because ", e.Reason.String())))
		}
	}
	for _, e := range append(append([]promotion.Effect(nil), d.Effects...), d.Wanted...) {
		switch e.Verb {
		case promotion.Reply:
			lines = append(lines, "reply "+e.Outcome)
		case promotion.Tell:
			lines = append(lines, "tell "+e.Outcome)
		default:
			lines = append(lines, fmt.Sprintf("%s p%d", e.Verb, e.Promotion))
		}
	}
	return strings.Join(lines, ", ")
}

// planReport is the report on a plan for a freight.
func planReport(s *promotion.Snapshot, f promotion.FreightID, was []promotion.Value, plan promotion.Plan) say.Report {
	return say.PlanReport(s, Why(s, f, noon), Explain(s, noon), was, plan)
}
