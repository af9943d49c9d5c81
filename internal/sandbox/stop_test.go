package sandbox

import (
	"database/sql"
	"math/rand/v2"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// orderly is the time within which a process must stop.
const orderly = 10 * time.Second

// TestAProcessThatIsAskedToStopEndsWellAndInTimeF2 stops the real process while GitHub delays the answer to its merge.
// After a short delay the process records the merge before it ends. After a long one the next start looks the merge up.
// Nothing happens twice.
func TestAProcessThatIsAskedToStopEndsWellAndInTimeF2(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		signal   os.Signal
		silence  time.Duration
		recorded bool // before the process ended
	}{
		"the answer comes soon":  {syscall.SIGTERM, 500 * time.Millisecond, true},
		"the answer comes never": {os.Interrupt, time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHunt(t, rand.New(rand.NewPCG(1, 0)))
			merging, over := make(chan struct{}), make(chan struct{})
			h.github.Faults().FailNext(routes[promotion.Merge], githubsim.Fault{After: func() {
				close(merging)
				select {
				case <-time.After(row.silence):
				case <-over:
				}
			}})
			h.mergeOne()
			h.victim.start()
			<-merging
			begun := time.Now()
			require.NoError(t, h.victim.process.Signal(row.signal))
			h.until(h.victim.gone, "the process has ended")
			close(over)
			require.Less(t, time.Since(begun), orderly)
			require.Equal(t, 0, h.victim.exitCode(), h.victim.log.String())
			require.Equal(t, row.recorded, h.merges() == 1)
			h.finish()
		})
	}
}

// merges counts the merges that are recorded as done.
func (h *hunt) merges() (n int) {
	db, err := sql.Open("sqlite", h.victim.database)
	require.NoError(h.t, err)
	defer db.Close()
	require.NoError(h.t, db.QueryRow(`SELECT COUNT(*) FROM effects WHERE verb = 'merge' AND state = 'done'`).Scan(&n))
	return n
}

// TestASecondSignalEndsTheProcessAtOnce: the process does not wait for GitHub any longer.
func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel()
	h := newHunt(t, rand.New(rand.NewPCG(1, 0)))
	merging, over := make(chan struct{}), make(chan struct{})
	h.github.Faults().FailNext(routes[promotion.Merge], githubsim.Fault{After: func() { close(merging); <-over }})
	h.mergeOne()
	h.victim.start()
	<-merging
	require.NoError(t, h.victim.process.Signal(syscall.SIGTERM))
	h.until(func() bool { return !h.victim.listens() }, "the first signal has been heard")
	require.NoError(t, h.victim.process.Signal(syscall.SIGTERM))
	begun := time.Now()
	h.until(h.victim.gone, "the process has ended")
	require.Less(t, time.Since(begun), 2*time.Second, "it waited for GitHub")
	require.NotZero(t, h.victim.exitCode())
	close(over)
	h.finish()
}

// listens reports whether the process answers requests.
func (v *victim) listens() bool {
	client := http.Client{Timeout: time.Second}
	answer, err := client.Get("http://" + v.address + "/healthz")
	if err != nil {
		return false
	}
	answer.Body.Close()
	return true
}
