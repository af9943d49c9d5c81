package app

import "github.com/prometheus/client_golang/prometheus"

// metrics are counted at the two ends of the loop: what comes in, and what goes out.
type metrics struct {
	received   *prometheus.CounterVec // requests to the webhook, by what became of them
	deliveries *prometheus.CounterVec // deliveries handled
	ignored    *prometheus.CounterVec // deliveries that tell us nothing, or that cannot be read
	effects    *prometheus.CounterVec // effects carried out, or tried

	sweeps                       *prometheus.CounterVec // searches for missed deliveries
	missed, redelivered, givenUp prometheus.Counter     // what they found, and what became of it
}

func newMetrics(r *prometheus.Registry) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	plain := func(name, help string) prometheus.Counter { return counter(name, help).WithLabelValues() }
	return &metrics{
		received:   counter("waybill_webhook_requests_total", "Requests to the webhook by what became of them.", "outcome", "event"),
		deliveries: counter("waybill_deliveries_handled_total", "Deliveries whose facts have been recorded.", "event"),
		ignored:    counter("waybill_deliveries_ignored_total", "Deliveries that tell nothing, or that cannot be read.", "event"),
		effects:    counter("waybill_effects_total", "Effects that were tried on GitHub.", "verb"),

		sweeps:      counter("waybill_sweep_runs_total", "Searches for missed deliveries, by how they ended.", "outcome"),
		missed:      plain("waybill_sweep_missed_total", "Deliveries that GitHub attempted and nobody took."),
		redelivered: plain("waybill_sweep_redelivered_total", "Redeliveries that GitHub was asked for."),
		givenUp:     plain("waybill_sweep_given_up_total", "Missed deliveries that will not come, and were made up for by a resync."),
	}
}
