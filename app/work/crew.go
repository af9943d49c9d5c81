package work

import (
	"cmp"
	"time"

	"waybill/store"
)

// Workers says how many pieces of work of each kind are done at a time; 0 is the default. A piece of work waits for
// GitHub most of the time, not for a processor, so that the numbers bound the memory. No account has more pieces than
// there is room left for others: it takes as many accounts as a number says to use that up.
type Workers struct {
	Intake  int // deliveries
	Effects int // effects
	Views   int // views, those that are shown together counted as one
	Resyncs int // resyncs of pipelines
	// PerInstallation is how many pieces of a kind are done for one installation at a time.
	PerInstallation int
}

// WithDefaults fills in the default numbers.
func (w Workers) WithDefaults() Workers {
	w.Intake, w.Effects = cmp.Or(w.Intake, 512), cmp.Or(w.Effects, 512)
	w.Views, w.Resyncs = cmp.Or(w.Views, 512), cmp.Or(w.Resyncs, 64)
	w.PerInstallation = cmp.Or(w.PerInstallation, 8)
	return w
}

// Claim returns a claim with a lease of some length, which leaves work for each installation to others if it has as
// many pieces as it may have.
func (w Workers) Claim(c store.Claim, lease time.Duration) store.Claim {
	c.Limit = func(string) int { return w.PerInstallation }
	return c.For(lease)
}
