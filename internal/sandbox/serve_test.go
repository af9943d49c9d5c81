package sandbox

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app"
	"waybill/config"
)

// clockFile names the file from which this test binary, started as a server, reads the time. The released binary does
// not have it.
const clockFile = "WAYBILL_TEST_CLOCK"

// serveByClock is `waybill serve` with a clock that a test controls.
func serveByClock() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx = zerolog.New(os.Stderr).Level(zerolog.InfoLevel).With().Timestamp().Logger().WithContext(ctx)
	settings, err := config.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	service, err := app.NewService(ctx, settings, app.World{Clock: warp(os.Getenv(clockFile)).now})
	if err != nil {
		return err
	}
	defer service.Close()
	listener, err := net.Listen("tcp", settings.Listen)
	if err != nil {
		return err
	}
	return service.Serve(ctx, listener)
}

// warp is a file with a clock that several processes read. A test can set it and make it run fast. The file holds the
// real time of the setting, the time it was set to, and the speed.
type warp string

// newWarp returns a clock that shows the real time.
func newWarp(t *testing.T) warp {
	w := warp(filepath.Join(t.TempDir(), "clock"))
	w.set(t, time.Now(), 1)
	return w
}

// set makes the clock show a time from now on, and run at a multiple of the real speed.
func (w warp) set(t *testing.T, to time.Time, speed int) {
	t.Helper()
	text := fmt.Sprintf("%d %d %d", time.Now().UnixNano(), to.UnixNano(), speed)
	require.NoError(t, os.WriteFile(string(w)+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(string(w)+".new", string(w))) // readers never see half of the file
}

// now returns the time on the clock.
func (w warp) now() time.Time {
	text, err := os.ReadFile(string(w))
	if err != nil {
		return time.Now() // the test has ended
	}
	var at [3]int64
	for i, word := range strings.Fields(string(text)) {
		at[i], _ = strconv.ParseInt(word, 10, 64) // set wrote it
	}
	return time.Unix(0, at[1]+(time.Now().UnixNano()-at[0])*at[2])
}

// byClock makes the process use a clock from its next start on.
func (v *victim) byClock(w warp) {
	self, err := os.Executable()
	require.NoError(v.t, err)
	v.binary, v.env = self, append(v.env, clockFile+"="+string(w))
}
