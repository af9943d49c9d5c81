package env

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waybill/app/gh"
	"waybill/promotion"
)

// metrics are counted where deliveries come in and where effects go out.
type metrics struct {
	Received   *prometheus.CounterVec // requests to the webhook, by outcome
	Deliveries *prometheus.CounterVec // deliveries handled
	Ignored    *prometheus.CounterVec // deliveries that carry no facts, or that cannot be read
	Effects    *prometheus.CounterVec // effects that were tried
	requests   *prometheus.CounterVec // requests to GitHub, by the status of the answer
	remaining  *prometheus.GaugeVec   // the requests that an installation has left in its hour
	resyncs    resyncMetrics

	Panics *prometheus.CounterVec // bugs, by the kind of work that they were contained in
	Parked prometheus.Counter     // deliveries set aside for a person

	Sweeps                       *prometheus.CounterVec // searches for missed deliveries
	Missed, Redelivered, GivenUp prometheus.Counter     // the deliveries that they found missing, asked for, and gave up

	Forgotten prometheus.Counter // rows that retention has removed
}

// resyncMetrics describe regular resyncs.
type resyncMetrics struct {
	total  *prometheus.CounterVec
	took   prometheus.Histogram
	at     *prometheus.GaugeVec // when the last complete one ended
	failed *prometheus.GaugeVec // how many have failed since
}

func newMetrics(r *prometheus.Registry) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	plain := func(name, help string) prometheus.Counter { return counter(name, help).WithLabelValues() }
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		r.MustRegister(g)
		return g
	}
	took := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "waybill_resync_duration_seconds", Help: "How long a resync of a pipeline took.",
		Buckets: []float64{0.1, 0.3, 1, 3, 10, 30, 100, 300},
	})
	r.MustRegister(took)
	return &metrics{
		Received: counter("waybill_webhook_requests_total", "Requests to the webhook by what became of them.", "outcome",
			"event"),
		Deliveries: counter("waybill_deliveries_handled_total", "Deliveries whose facts have been recorded.", "event"),
		Ignored: counter("waybill_deliveries_ignored_total", "Deliveries that tell nothing, or that cannot be read.",
			"event"),
		Effects: counter("waybill_effects_total", "Effects that were tried on GitHub.", "verb"),

		Panics: counter("waybill_panics_total", "Bugs that were contained, by what they happened in.", "where"),
		Parked: plain("waybill_deliveries_parked_total", "Deliveries that were set aside for a person to look at."),

		Sweeps:      counter("waybill_sweep_runs_total", "Searches for missed deliveries, by how they ended.", "outcome"),
		Missed:      plain("waybill_sweep_missed_total", "Deliveries that GitHub attempted and nobody took."),
		Redelivered: plain("waybill_sweep_redelivered_total", "Redeliveries that GitHub was asked for."),
		GivenUp: plain("waybill_sweep_given_up_total",
			"Missed deliveries that will not come, and were made up for by a resync."),
		Forgotten: plain("waybill_forgotten_rows_total", "Rows that were old and that nobody needed any more."),
		requests: counter("waybill_github_requests_total",
			"Requests to GitHub by what it answered; 304 costs nothing, 0 is no answer.", "resource", "status"),
		remaining: gauge("waybill_github_remaining", "What is left of an installation's hour.", "installation", "resource"),
		resyncs: resyncMetrics{
			total: counter("waybill_resync_total", "Resyncs of pipelines by result.", "result"),
			took:  took,
			at:    gauge("waybill_resync_last_timestamp_seconds", "When the last complete resync of a pipeline ended.", "repo"),
			failed: gauge("waybill_resync_failures", "Resyncs of a pipeline that have failed since the last complete one.",
				"repo"),
		},
	}
}

// Resynced counts a resync.
func (m *metrics) Resynced(repo promotion.Repo, at time.Time, took time.Duration, failed error) {
	m.resyncs.took.Observe(took.Seconds())
	if failed != nil {
		m.resyncs.total.WithLabelValues("failed").Inc()
		m.resyncs.failed.WithLabelValues(string(repo)).Inc()
		return
	}
	m.resyncs.total.WithLabelValues("complete").Inc()
	m.resyncs.failed.WithLabelValues(string(repo)).Set(0)
	m.resyncs.at.WithLabelValues(string(repo)).Set(float64(at.Unix()))
}

// Called counts a request to GitHub.
func (m *metrics) Called(c gh.Call) {
	m.requests.WithLabelValues(c.Resource, strconv.Itoa(c.Status)).Inc()
	if c.Remaining >= 0 {
		m.remaining.WithLabelValues(strconv.FormatInt(c.Installation, 10), c.Resource).Set(float64(c.Remaining))
	}
}
