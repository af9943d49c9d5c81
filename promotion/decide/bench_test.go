package decide

import (
	"fmt"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/rollout"
	"waybill/promotion/verify"
)

// BenchmarkDecide decides for a stage that takes 1,000 pieces of freight after three upstreams, none of which all three
// have verified and soaked, so that Decide looks at all freight.
func BenchmarkDecide(b *testing.B) {
	for _, need := range []int{1, 2, 3} {
		b.Run(fmt.Sprintf("need-%d-of-3", need), func(b *testing.B) {
			s, now := fleet(1000, need)
			b.ReportAllocs()
			for b.Loop() {
				if d := Decide(s, now); len(d.Promotions) != 0 {
					b.Fatal("nothing is available, but something was promoted")
				}
			}
		})
	}
}

// fleet is a stage behind three upstreams that have hosted every freight, half of them verified half an hour ago.
func fleet(freight, need int) (*promotion.Snapshot, time.Time) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	home := &promotion.Warehouse{Name: "api", Repo: "acme/deploy"}
	p := &promotion.Pipeline{Home: "acme/deploy", Warehouses: []*promotion.Warehouse{home}}
	gate := &promotion.Gate{Need: need, Soak: time.Hour}
	s := &promotion.Snapshot{Pipeline: p, Next: 1}
	for i, name := range []promotion.StageName{"a", "b", "c"} {
		up := promotion.OnePlace(&promotion.Stage{Name: name, Index: i, Delivery: promotion.DeliveryPullRequest,
			From: []promotion.Source{{Warehouse: "api"}}},
			promotion.Target{Changes: []promotion.Change{{Path: "x"}}})
		p.Stages, gate.Of = append(p.Stages, up), append(gate.Of, up)
		records := make([]promotion.Record, freight)
		for j := range records {
			if j%2 == 0 {
				records[j] = promotion.Record{Verdict: promotion.Passed, Since: now.Add(-30 * time.Minute)}
			}
		}
		s.Records = append(s.Records, records)
	}
	s.Stage = promotion.OnePlace(&promotion.Stage{
		Name: "prod", Index: 3, Policy: promotion.StagePolicy{Automatic: true}, Queue: promotion.QueueLatest,
		Delivery: promotion.DeliveryPullRequest, From: []promotion.Source{{Warehouse: "api", After: gate}},
	}, promotion.Target{Changes: []promotion.Change{{Path: "y"}}})
	p.Stages = append(p.Stages, s.Stage)
	s.Records = append(s.Records, nil)
	for i := range freight {
		s.Freight = append(s.Freight,
			promotion.NewFreight(home, i+1, promotion.SHA(fmt.Sprintf("%040d", i)),
				now.Add(time.Duration(i-freight)*time.Minute)))
	}
	return s, now
}

// BenchmarkRolloutPlan plans the next step of a rollout over 10,000 targets, half of them updated.
// The goal is below 5 ms.
func BenchmarkRolloutPlan(b *testing.B) {
	stage := &promotion.Stage{Name: "prod"}
	batch := promotion.Batch{Name: "all", AtOnce: 100}
	var results []promotion.TargetResult
	for i := range 10_000 {
		t := promotion.TargetName(fmt.Sprintf("cluster-%d", i))
		stage.Targets = append(stage.Targets, promotion.Target{Name: t})
		batch.Targets = append(batch.Targets, t)
		if i < 5_000 {
			results = append(results, promotion.TargetResult{Target: t, Verdict: promotion.Passed})
		}
	}
	p := promotion.Promotion{Rollout: &promotion.Rollout{Batches: []promotion.Batch{batch}, Step: 50}}
	s := &promotion.Snapshot{Stage: stage, Deployments: []promotion.Deployment{{Results: results}}}
	ready := rollout.Gates{Unready: func(*promotion.Promotion, promotion.TargetName) bool { return false }}
	b.ReportAllocs()
	for b.Loop() {
		if step, more := rollout.Next(s, &p, ready); !more || len(step.Targets) != 100 ||
			step.Targets[0] != "cluster-5000" {
			b.Fatal("the next step is the next hundred targets")
		}
	}
}

// BenchmarkJudgeRollout decides about a rollout over many targets that have all reported success, once during the
// verification of the last step and once long after it. Signals and targets are looked up, not compared with each
// other; only the pushes and signals that follow each target's merge grow with the square.
func BenchmarkJudgeRollout(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		for _, over := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d targets, over %t", n, over), func(b *testing.B) {
				s := rolledOut(b, n, over)
				b.ReportAllocs()
				for b.Loop() {
					if d := Decide(s, noon); len(d.Promotions) == 0 != over {
						b.Fatal("what is over stays as it is")
					}
				}
			})
		}
	}
}

// rolledOut is dev with a rollout over n targets, in its last step of ten or just ended.
func rolledOut(b *testing.B, n int, over bool) *promotion.Snapshot {
	p := clusters(b, [2]int{n, n / 10})
	f := freightNo(p, 1)
	run := promotion.Promotion{Number: 1, Freight: f.Ref(), Stage: "dev",
		State: promotion.Verifying, MergeSHA: "m9",
		Rollout: &promotion.Rollout{Batches: p.Stages[0].Strategy.Batches, Step: 10,
			Targets: p.Stages[0].Strategy.Batches[0].Targets[n-n/10:]}}
	deployment := promotion.Deployment{Promotion: 1, Stage: "dev", Freight: f.ID, Warehouse: f.Warehouse,
		Entered: noon.Add(-time.Hour), Commit: "m9"}
	s := &promotion.Snapshot{Pipeline: p, Stage: p.Stages[0], Records: make([][]promotion.Record, 2),
		Freight: []promotion.Freight{f}, Next: 2, NextID: 1,
		Newest: []promotion.Mark{{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number}}}
	var pushes []promotion.Push
	var signals []promotion.Signal
	for step := range 10 {
		pushes = append(pushes,
			promotion.Push{Before: promotion.SHA(fmt.Sprint("m", step-1)), After: promotion.SHA(fmt.Sprint("m", step))})
	}
	for i, t := range p.Stages[0].Strategy.Batches[0].Targets {
		pushes[i*10/n].Paths = append(pushes[i*10/n].Paths, string(t)+".yaml")
		result := promotion.TargetResult{Target: t, Step: 1 + i*10/n, Commit: promotion.SHA(fmt.Sprint("m", i*10/n)),
			Verdict: promotion.Passed, Judged: noon}
		if result.Step == 10 && !over {
			result.Verdict = promotion.Pending
		}
		deployment.Results = append(deployment.Results, result)
		signals = append(signals,
			promotion.Signal{Kind: promotion.KindCheck, ID: int64(i + 1), SHA: result.Commit, App: "github-actions",
				Suite: 1,
				Name:  "smoke " + string(t), State: "success", Started: noon, Ended: noon})
	}
	if over {
		run.State, run.Ended, deployment.Verdict, deployment.Judged = promotion.Succeeded, noon, promotion.Passed, noon
	}
	s.Promotions, s.Deployments = []promotion.Promotion{run}, []promotion.Deployment{deployment}
	s.Evidence = verify.Gather(s, signals, nil, pushes)
	return s
}

// BenchmarkDecideRolledOut decides about a stage of 10,000 targets, all with the latest promotion and a reading.
func BenchmarkDecideRolledOut(b *testing.B) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	api := &promotion.Warehouse{Name: "api", Repo: "acme/deploy"}
	f := promotion.NewFreight(api, 1, "c1", now.Add(-time.Hour))
	stage := &promotion.Stage{Name: "prod", Delivery: promotion.DeliveryPullRequest,
		From: []promotion.Source{{Warehouse: "api"}}, Drift: promotion.DriftReport}
	deployment := promotion.Deployment{
		Promotion: 1, Stage: "prod", Warehouse: "api", Freight: f.ID, Entered: now.Add(-time.Hour), Verdict: promotion.Passed,
		Commit: "m1",
	}
	reading := promotion.Reading{On: promotion.Branch{Repo: api.Repo}, Commit: "m1"}
	for i := range 10_000 {
		t := promotion.Target{Name: promotion.TargetName(fmt.Sprintf("cluster-%d", i))}
		value := promotion.Value{Path: "clusters/" + string(t.Name) + "/values.yaml", Key: "tag", Text: "1"}
		t.Changes = []promotion.Change{
			{Path: value.Path, Set: []promotion.Assignment{{Kind: promotion.ChangeYAML, Key: value.Key}}},
		}
		stage.Targets = append(stage.Targets, t)
		deployment.Results = append(deployment.Results,
			promotion.TargetResult{Target: t.Name, Commit: "m1", Verdict: promotion.Passed})
		deployment.Wrote, reading.Values = append(deployment.Wrote, value), append(reading.Values, value)
	}
	s := &promotion.Snapshot{
		Pipeline: &promotion.Pipeline{Home: "acme/deploy", Warehouses: []*promotion.Warehouse{api},
			Stages: []*promotion.Stage{stage}}, Stage: stage, Next: 2, Records: [][]promotion.Record{nil},
		Freight: []promotion.Freight{f}, Deployments: []promotion.Deployment{deployment},
		Readings: []promotion.Reading{reading},
		Promotions: []promotion.Promotion{{
			Number: 1, Stage: "prod", Freight: promotion.FreightRef{Warehouse: "api", ID: f.ID, Name: f.Name},
			Class: promotion.Automatic, State: promotion.Succeeded, Version: 1,
		}},
	}
	b.ReportAllocs()
	for b.Loop() {
		if d := Decide(s, now); len(d.Promotions) != 0 || len(d.Deployments) != 0 {
			b.Fatal("everything is as it should be, but something was decided")
		}
	}
}
