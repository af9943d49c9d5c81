package oracle

import (
	"fmt"
	"time"
	"waybill/internal/oracle/recorded"
	"waybill/promotion"
	"waybill/promotion/decide"
)

// Pair is one call of Decide and its result.
type Pair struct {
	From     string // the story or the history
	Call     int    // of Decide there, from 1 on
	Now      time.Time
	Pipeline *recorded.Pipeline
	Snapshot *recorded.Snapshot
	Decision *recorded.Decision
}

// String names the pair.
func (p *Pair) String() string {
	return fmt.Sprintf("%s, call %d, stage %s", p.From, p.Call, p.Snapshot.Stage)
}

// Recorder records the decisions of one story or history. It is for one goroutine at a time.
type Recorder struct {
	from      string
	calls     int
	pipelines map[*promotion.Pipeline]*recorded.Pipeline
	pairs     []*Pair
}

// NewRecorder returns a recorder for the story or history of that name.
func NewRecorder(from string) *Recorder {
	return &Recorder{from: from, pipelines: map[*promotion.Pipeline]*recorded.Pipeline{}}
}

// Decide is promotion.Decide, and records its call. It records the same call with one thing changed, too, so that the
// oracle knows the answers to questions that come up rarely. It panics when its arguments cannot be recorded.
func (r *Recorder) Decide(s *promotion.Snapshot, now time.Time) promotion.Decision {
	r.calls++
	d := r.record(r.from, s, now)
	other, then, how := varied(s, now, r.calls)
	r.record(r.from+" "+how, &other, then)
	return d
}

func (r *Recorder) record(from string, s *promotion.Snapshot, now time.Time) promotion.Decision {
	pipeline := r.pipelines[s.Pipeline]
	if pipeline == nil {
		pipeline = recordPipeline(s.Pipeline, now)
		r.pipelines[s.Pipeline] = pipeline
	}
	snapshot := recordSnapshot(s)
	d := decide.Decide(s, now)
	r.pairs = append(r.pairs, &Pair{
		From: from, Call: r.calls, Now: now.Round(0).UTC(),
		Pipeline: pipeline, Snapshot: snapshot, Decision: decisionOf(d),
	})
	return d
}

// Pairs returns what was recorded, in the order of the calls.
func (r *Recorder) Pairs() []*Pair { return r.pairs }
