package work

import (
	"cmp"
	"time"

	"waybill/store"
)

// Workers says how many workers there are of each kind; 0 is the default. A worker waits for GitHub most of the time,
// not for a processor.
type Workers struct {
	Intake  int // handle deliveries
	Effects int // carry out effects
	Views   int // show views
	Resyncs int // resync pipelines
	// PerInstallation is how many workers of a kind serve one installation at a time; 0 is half of them, so that an
	// installation that answers slowly leaves workers to the others.
	PerInstallation int
}

// WithDefaults fills in the default numbers.
func (w Workers) WithDefaults() Workers {
	w.Intake, w.Effects = cmp.Or(w.Intake, 4), cmp.Or(w.Effects, 8)
	w.Views, w.Resyncs = cmp.Or(w.Views, 4), cmp.Or(w.Resyncs, 2)
	return w
}

// Claim returns the claim of one of several workers of a kind.
func (w Workers) Claim(workers int, lease time.Duration) store.Claim {
	return store.Claim{Lease: lease, Limit: cmp.Or(w.PerInstallation, max(1, workers/2))}
}
