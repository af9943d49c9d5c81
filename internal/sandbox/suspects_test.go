package sandbox

import (
	"database/sql"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/store"
)

// exec runs a statement on the database while no program has it.
func (s *tenants) exec(query string, args ...any) {
	s.Helper()
	db, err := sql.Open("sqlite", s.file)
	require.NoError(s, err)
	defer db.Close()
	_, err = db.ExecContext(s.ctx, query, args...)
	require.NoError(s, err)
}

// handled reports whether all deliveries are handled.
func (s *tenants) handled() bool {
	var census store.Census
	err := s.service.Store.View(s.ctx, func(tx *store.Tx) (err error) {
		census, err = tx.Upkeep.Census()
		return err
	})
	require.NoError(s, err)
	return census.Queues["deliveries"].Due == 0
}

// TestASuspectWaitsForOneOfAnotherKindAtMost has two processes die in the middle of the resyncs of a slow installation,
// which take more than a minute each, and of two comments elsewhere. Suspects are worked on one at a time. Time is that
// of a bubble.
func TestASuspectWaitsForOneOfAnotherKindAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTenants(t, zerolog.Nop().WithContext(t.Context()), 1, 4, 0)
		s.serve()
		s.until("all is handled", s.handled)
		s.stop()
		s.exec(`UPDATE clocks SET deaths = 2, run_at = 0 WHERE name = 'resync' AND account <> (
			SELECT CAST(installation AS TEXT) FROM pipelines WHERE repo = $1)`, home)
		begun := time.Now()
		s.exec(`UPDATE deliveries SET deaths = 2, run_at = $1, attempts = 2, state = 'waiting', handled_at = NULL
			WHERE event = 'issue_comment'`, begun.Add(30*time.Second).UnixMicro())
		s.wire.late = 12*time.Second + 300*time.Millisecond
		s.start()
		for time.Sleep(time.Minute); !s.handled(); time.Sleep(time.Second) {
			require.Less(t, time.Since(begun), 3*time.Minute)
		}
	})
}
