package env

import (
	"strconv"
	"time"

	"waybill/app/gh"
	"waybill/promotion"
)

// Outcomes of tries, for metrics.
const (
	TriedDone   = "done"
	TriedAgain  = "again"
	TriedFailed = "failed"
)

// Resynced counts a resync.
func (m *metrics) Resynced(repo promotion.Repo, at time.Time, took time.Duration, failed error) {
	m.resyncTook.WithLabelValues().Observe(took.Seconds())
	of := m.repos.label(string(repo))
	if failed != nil {
		m.resyncs.WithLabelValues("failed").Inc()
		m.unresynced.WithLabelValues(of).Inc()
		return
	}
	m.resyncs.WithLabelValues("complete").Inc()
	m.unresynced.WithLabelValues(of).Set(0)
	m.resynced.WithLabelValues(of).Set(float64(at.Unix()))
}

// Called counts a request to GitHub.
func (m *metrics) Called(c gh.Call) {
	m.requests.WithLabelValues(c.Route(), strconv.Itoa(c.Status)).Inc()
	m.requestTook.WithLabelValues(c.Route()).Observe(c.Took.Seconds())
	if c.Remaining >= 0 {
		of := m.installations.label(strconv.FormatInt(c.Installation, 10))
		m.remaining.WithLabelValues(of, c.Resource).Set(float64(c.Remaining))
		if c.Reset >= 0 {
			m.reset.WithLabelValues(of, c.Resource).Set(float64(c.Reset))
		}
	}
}

// Answered records whether GitHub answered the last request for an installation.
func (m *metrics) Answered(installation int64, did bool) {
	answered := 0.0
	if did {
		answered = 1
	}
	m.answered.WithLabelValues(m.installations.label(strconv.FormatInt(installation, 10))).Set(answered)
}

// Tried counts a try of an effect.
func (m *metrics) Tried(v promotion.Verb, outcome string, took time.Duration) {
	m.effects.WithLabelValues(string(v), outcome).Inc()
	m.effectTook.WithLabelValues(string(v)).Observe(took.Seconds())
}

// Shown counts a try to show a view of a kind.
func (m *metrics) Shown(kind, outcome string) { m.views.WithLabelValues(kind, outcome).Inc() }

// Decided counts a decision on a stage of a pipeline, and the promotions that it has ended.
func (m *metrics) Decided(home promotion.Repo, d promotion.Decision, took time.Duration, failed error) {
	m.decisionTook.WithLabelValues().Observe(took.Seconds())
	outcome := "changed"
	switch {
	case failed != nil:
		outcome = "failed"
	case d.Nothing():
		outcome = "nothing"
	}
	m.decisions.WithLabelValues(outcome).Inc()
	if failed != nil {
		return
	}
	class := map[promotion.Number]promotion.Class{}
	for _, p := range d.Promotions {
		class[p.Number] = p.Class
	}
	for _, e := range d.Log {
		if e.State != "" && e.State.Ended() {
			repo, stage := m.stages.labels(string(home), string(e.Stage))
			m.promotions.WithLabelValues(repo, stage, string(class[e.Promotion]), string(e.State)).Inc()
		}
	}
}
