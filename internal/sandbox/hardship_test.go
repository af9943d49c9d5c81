package sandbox

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newHardship returns a hunt under load whose process works already.
func newHardship(t *testing.T, before ...func(*victim)) (*hunt, *load) {
	t.Helper()
	h := newHuntWith(t, rand.New(rand.NewPCG(1, 0)), before...)
	l := newLoad(t, h.github, h.victim, 2, 30*time.Millisecond)
	h.victim.start()
	h.until(h.victim.ready, "it is ready")
	h.mergeOne()
	h.until(func() bool { return len(promotionPulls(h.github, home)) > 0 && l.answered(http.StatusAccepted) > 0 },
		"it works")
	return h, l
}

// weather waits for a condition while CI reports, and requires that the process still runs.
func (h *hunt) weather(so func() bool, what string) {
	h.t.Helper()
	h.until(func() bool { h.runCI(); return so() }, what)
	require.False(h.t, h.victim.gone(), h.victim.log.String())
}

// recovers requires that the same process works again, lets all work end, and checks the result.
func (h *hunt) recovers(l *load) {
	h.t.Helper()
	taken := l.answered(http.StatusAccepted)
	h.weather(func() bool { return h.victim.ready() && l.answered(http.StatusAccepted) > taken+10 },
		"it works again by itself")
	l.stop()
	h.github.Redeliver(1000) // the webhooks that the process refused
	h.weather(h.done, "what was begun is done")
	h.mergeOne()
	h.finish()
	l.check(h.t, h.victim.database)
}

// TestAFullDiskLosesNothingAndIsOverByItself fills the disk under the database of the real process. Until there is room
// again, the process acknowledges no webhooks and is not ready. The test mounts a small tmpfs as this disk and so needs
// root, which CI has.
func TestAFullDiskLosesNothingAndIsOverByItself(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk).CombinedOutput(); err != nil {
		if os.Getuid() == 0 && os.Getenv("CI") != "" {
			require.NoError(t, err, "CI can mount a tmpfs: %s", out)
		}
		t.Skipf("a disk to fill takes root, to mount a tmpfs: %s", out)
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", disk).Run()) })
	h, l := newHardship(t, func(v *victim) { v.database = filepath.Join(disk, "waybill.db") })

	ballast := filepath.Join(disk, "ballast")
	fill(t, ballast)
	refused := l.answered(http.StatusServiceUnavailable)
	h.weather(func() bool { return l.answered(http.StatusServiceUnavailable) > refused+10 && !h.victim.ready() },
		"webhooks are refused")
	require.Contains(t, h.victim.trouble(), "no space left on the disk: make room")
	require.NoError(t, os.Remove(ballast))
	h.recovers(l)
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			size /= 2
		}
	}
}

// TestADatabaseThatSomebodyLocksIsWaitedFor has another program hold the write lock, as a manual backup may.
func TestADatabaseThatSomebodyLocksIsWaitedFor(t *testing.T) {
	t.Parallel()
	h, l := newHardship(t)
	other, err := sql.Open("sqlite", "file:"+h.victim.database+"?_pragma=busy_timeout(5000)")
	require.NoError(t, err)
	defer other.Close()
	one, err := other.Conn(t.Context())
	require.NoError(t, err)
	_, err = one.ExecContext(t.Context(), `BEGIN IMMEDIATE`)
	require.NoError(t, err)
	refused := l.answered(http.StatusServiceUnavailable)
	h.weather(func() bool { return l.answered(http.StatusServiceUnavailable) > refused },
		"it gives up waiting for the lock")
	require.Contains(t, h.victim.trouble(), "in use by another process")
	_, err = one.ExecContext(context.Background(), `ROLLBACK`)
	require.NoError(t, err)
	require.NoError(t, one.Close())
	h.recovers(l)
}

// TestASecondProcessOnOneDatabaseSaysWhoHasIt checks that the second process names the first and does not disturb it.
func TestASecondProcessOnOneDatabaseSaysWhoHasIt(t *testing.T) {
	t.Parallel()
	h, l := newHardship(t)
	second := newVictim(t, h.github)
	second.database = h.victim.database
	second.start()
	h.until(second.gone, "the second process has ended")
	require.Equal(t, 1, second.exitCode())
	require.Contains(t, second.log.String(),
		"in use by another process (process "+h.victim.pid()+"): stop it first, or choose another path")
	h.github.SetWebhookURL("http://" + h.victim.address + "/api/github/hook")
	h.recovers(l)
}

// TestADatabaseThatCannotBeWrittenIsRefusedWithTheRemedy checks that a process without write access to its database
// does not start. Root may write everywhere, so the process runs as another user, and the test needs root.
func TestADatabaseThatCannotBeWrittenIsRefusedWithTheRemedy(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("to run the process as another user takes root")
	}
	for name, modes := range map[string][2]os.FileMode{"the file": {0o444, 0o777}, "the directory": {0o666, 0o555}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("/tmp", "waybill-read-only-") // a path that the user nobody can reach
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
			h := newHuntWith(t, rand.New(rand.NewPCG(1, 0)), func(v *victim) { v.database = filepath.Join(dir, "waybill.db") })
			require.NoError(t, os.Remove(h.victim.database+".lock"))
			for file, mode := range map[string]os.FileMode{h.victim.database: modes[0], dir: modes[1]} {
				require.NoError(t, os.Chmod(file, mode))
			}
			h.victim.as(nobody)
			h.victim.start()
			h.until(h.victim.gone, "the process has ended")
			require.Equal(t, 1, h.victim.exitCode())
			said := h.victim.log.String()
			require.Contains(t, said, h.victim.database)
			require.Regexp(t, "cannot be written to: (give this user write permission on|the file is read-only; run chmod)",
				said)
			require.Equal(t, 1, strings.Count(strings.TrimSpace(said), "\n")+1, said)
		})
	}
}

// nobody is the ID of a user without rights on most systems.
const nobody = 65534

// TestAProcessThatSleptForLongerThanItsLeasesDoesNothingTwice stops the real process in the middle of its work, as a
// suspended machine does, until its leases and connections have expired.
func TestAProcessThatSleptForLongerThanItsLeasesDoesNothingTwice(t *testing.T) {
	t.Parallel()
	clock := newWarp(t)
	h, l := newHardship(t, func(v *victim) { v.byClock(clock) })
	for range number(t, "WAYBILL_NAPS", 3) {
		h.mergeOne()
		time.Sleep(time.Duration(h.random.IntN(500)) * time.Millisecond) // a random moment of the work
		require.NoError(t, h.victim.process.Signal(syscall.SIGSTOP))
		clock.set(t, clock.now().Add(2*time.Minute), 1) // a lease lasts one minute
		time.Sleep(200 * time.Millisecond)
		require.NoError(t, h.victim.process.Signal(syscall.SIGCONT))
		h.weather(h.done, "what was merged is everywhere")
	}
	h.recovers(l)
}
