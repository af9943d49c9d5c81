package app

import "github.com/prometheus/client_golang/prometheus"

// metrics are counted at the two ends of the loop: what comes in, and what goes out.
type metrics struct {
	received   *prometheus.CounterVec // requests to the webhook, by what became of them
	deliveries *prometheus.CounterVec // deliveries handled
	ignored    *prometheus.CounterVec // deliveries that tell us nothing, or that cannot be read
	effects    *prometheus.CounterVec // effects carried out, or tried
}

func newMetrics(r *prometheus.Registry) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	return &metrics{
		received:   counter("waybill_webhook_requests_total", "Requests to the webhook by what became of them.", "outcome", "event"),
		deliveries: counter("waybill_deliveries_handled_total", "Deliveries whose facts have been recorded.", "event"),
		ignored:    counter("waybill_deliveries_ignored_total", "Deliveries that tell nothing, or that cannot be read.", "event"),
		effects:    counter("waybill_effects_total", "Effects that were tried on GitHub.", "verb"),
	}
}
