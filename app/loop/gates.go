package loop

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/store"
)

// gates keeps in the database which installations are shut.
type gates struct {
	mu    sync.Mutex
	unset map[int64]bool // those of which the last change could not be written
}

// Gate writes down that an installation is shut or open, so that its work waits or goes on.
func (l *Loop) Gate(installation int64) {
	l.gates.mu.Lock()
	defer l.gates.mu.Unlock()
	now := l.Hub.Shut(installation)
	err := l.Store.Update(context.Background(), func(tx *store.Tx) error {
		return tx.Upkeep.Shut(installation, store.Gate{Until: now.Until, Lasting: now.Outage})
	})
	if err != nil {
		l.gates.unset[installation] = true
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
	for _, installation := range l.unset() {
		l.Gate(installation)
	}
	did, next, err = l.Hub.Probe(ctx)
	if err != nil {
		zerolog.Ctx(ctx).Info().Err(err).Msg("GitHub does not answer yet")
	}
	return did, next, nil
}

// unset returns the installations of which the last change could not be written.
func (l *Loop) unset() (all []int64) {
	l.gates.mu.Lock()
	defer l.gates.mu.Unlock()
	for installation := range l.gates.unset {
		all = append(all, installation)
	}
	return all
}
