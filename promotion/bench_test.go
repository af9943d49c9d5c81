package promotion

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkDecide decides for a stage that takes 1,000 pieces of freight after three upstreams, none of which all three
// have verified and soaked: the case in which the whole of the freight is looked at. The goal is below 20 µs and no
// allocation.
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
func fleet(freight, need int) (*Snapshot, time.Time) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	home := &Warehouse{Name: "api", Repo: "acme/deploy"}
	p := &Pipeline{Home: "acme/deploy", Warehouses: []*Warehouse{home}}
	gate := &Gate{Need: need, Soak: time.Hour}
	s := &Snapshot{Pipeline: p, Next: 1}
	for i, name := range []StageName{"a", "b", "c"} {
		up := &Stage{Name: name, Index: i, Changes: []Change{{Path: "x"}}, From: []Source{{Warehouse: "api"}}}
		p.Stages, gate.Of = append(p.Stages, up), append(gate.Of, up)
		records := make([]Record, freight)
		for j := range records {
			if j%2 == 0 {
				records[j] = Record{Verdict: Passed, Since: now.Add(-30 * time.Minute)}
			}
		}
		s.Records = append(s.Records, records)
	}
	s.Stage = &Stage{Name: "prod", Index: 3, Automatic: true, Queue: QueueLatest, Changes: []Change{{Path: "y"}},
		From: []Source{{Warehouse: "api", After: gate}}}
	p.Stages = append(p.Stages, s.Stage)
	s.Records = append(s.Records, nil)
	for i := range freight {
		s.Freight = append(s.Freight, NewFreight(home, i+1, SHA(fmt.Sprintf("%040d", i)), now.Add(time.Duration(i-freight)*time.Minute)))
	}
	return s, now
}

// BenchmarkRolloutPlan plans the next step of a rollout over 10,000 targets, half of which have been updated. The goal is
// below 5 ms.
func BenchmarkRolloutPlan(b *testing.B) {
	s := &Stage{Name: "prod"}
	batch := Batch{Name: "all", AtOnce: 100}
	var parts []Part
	for i := range 10_000 {
		t := TargetName(fmt.Sprintf("cluster-%d", i))
		s.Targets = append(s.Targets, Target{Name: t})
		batch.Targets = append(batch.Targets, t)
		if i < 5_000 {
			parts = append(parts, Part{Target: t, Verdict: Passed})
		}
	}
	r := Rollout{Batches: []Batch{batch}, Step: 50}
	b.ReportAllocs()
	for b.Loop() {
		if step, more := r.next(s, parts); !more || len(step.Targets) != 100 || step.Targets[0] != "cluster-5000" {
			b.Fatal("the next step is the next hundred targets")
		}
	}
}
