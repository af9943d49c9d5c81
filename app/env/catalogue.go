package env

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Metric describes a metric, for docs/metrics.md.
type Metric struct {
	Name   string
	Type   string
	Labels []string
	Help   string
	Act    string // what an operator does when it rises or is not as it should be
}

// catalogue makes metrics, and knows all that it has made.
type catalogue struct {
	registry prometheus.Registerer
	all      []Metric
}

func (c *catalogue) counter(m Metric) *prometheus.CounterVec {
	made := prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.Name, Help: m.Help}, m.Labels)
	c.add(m, "counter", made)
	return made
}

func (c *catalogue) gauge(m Metric) *prometheus.GaugeVec {
	made := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: m.Name, Help: m.Help}, m.Labels)
	c.add(m, "gauge", made)
	return made
}

func (c *catalogue) histogram(m Metric, buckets ...float64) *prometheus.HistogramVec {
	made := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: m.Name, Help: m.Help, Buckets: buckets}, m.Labels)
	c.add(m, "histogram", made)
	return made
}

func (c *catalogue) add(m Metric, kind string, made prometheus.Collector) {
	c.registry.MustRegister(made)
	c.note(m, kind)
}

func (c *catalogue) note(m Metric, kind string) {
	m.Type = kind
	c.all = append(c.all, m)
}

// most is how many values of labels that come from outside (repositories with their stages, installations) have time
// series of their own in one metric. All further ones share one, with the value "other".
const most = 1000

// bounded bounds the series of a metric by its labels that come from outside.
type bounded struct {
	mu   sync.Mutex
	seen map[[2]string]bool
}

// labels returns the values themselves, or "other" for each of them once there are too many.
func (b *bounded) labels(first, second string) (string, string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	pair := [2]string{first, second}
	if b.seen == nil {
		b.seen = map[[2]string]bool{}
	}
	if !b.seen[pair] && len(b.seen) >= most {
		return "other", "other"
	}
	b.seen[pair] = true
	return first, second
}

// label is labels for one value.
func (b *bounded) label(value string) string {
	value, _ = b.labels(value, "other")
	return value
}
