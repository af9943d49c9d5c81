package work_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/work"
)

// asked is an error of a client with the time of the next try; a negative time means never.
type asked time.Duration

func (a asked) Error() string { return "asked" }

func (a asked) Again() (time.Duration, bool) { return max(0, time.Duration(a)), a >= 0 }

func TestAnErrorSaysWhetherItsCallMayBeMadeAgain(t *testing.T) {
	for _, c := range []struct {
		err   error
		after time.Duration
		again bool
	}{
		{nil, 0, false},
		{errors.New("no"), 0, false},
		{asked(-1), 0, false},
		{asked(0), 0, true},
		{fmt.Errorf("open: %w", asked(time.Minute)), time.Minute, true},
		{fmt.Errorf("ask: %w: %w", asked(0), asked(time.Hour)), time.Hour, true},
		{errors.Join(asked(-1), asked(time.Second)), time.Second, true},
	} {
		after, again := work.RetryAfter(c.err), work.Transient(c.err)
		require.Equal(t, c.after, after, c.err)
		require.Equal(t, c.again, again, c.err)
	}
}
