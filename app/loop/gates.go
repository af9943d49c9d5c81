package loop

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/store"
)

// gates keeps in the database which installations are shut.
type gates struct {
	mu    sync.Mutex
	unset map[int64]error // why the last change of an installation could not be written
}

// Gate writes down that an installation is shut or open, so that its work waits or goes on. If the database takes no
// write, ProbeNext tries again.
func (l *Loop) Gate(installation int64) {
	l.gates.mu.Lock()
	defer l.gates.mu.Unlock()
	now := l.Hub.Shut(installation)
	err := l.Store.Update(context.Background(), func(tx *store.Tx) error {
		return tx.Upkeep.Shut(installation, store.Gate{Until: now.Until, Lasting: now.Outage, Scarce: now.Scarce})
	})
	if err != nil {
		l.gates.unset[installation] = err
		return
	}
	delete(l.gates.unset, installation)
	if now == (gh.Shut{}) {
		l.WakeAll()
	} else {
		l.Wakes.Shut.Notify()
	}
}

// ProbeNext asks GitHub, in an outage of an installation, whether it answers again.
func (l *Loop) ProbeNext(ctx context.Context) (did bool, next time.Time, err error) {
	for installation := range l.unset() {
		l.Gate(installation)
	}
	for installation, err := range l.unset() {
		zerolog.Ctx(ctx).Error().Err(err).Int64(work.KeyInstallation, installation).
			Msg("whether GitHub is asked for this installation cannot be written down")
	}
	did, next, err = l.Hub.Probe(ctx)
	if err != nil {
		zerolog.Ctx(ctx).Info().Err(err).Msg("GitHub does not answer yet")
	}
	return did, next, nil
}

// unset returns the installations of which the last change could not be written, and why.
func (l *Loop) unset() map[int64]error {
	l.gates.mu.Lock()
	defer l.gates.mu.Unlock()
	return maps.Clone(l.gates.unset)
}
