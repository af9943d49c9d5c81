package intake

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestOneIsInTheLaneAndTheNextComesWhenItHasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLane()
		leave, err := l.enter(t.Context())
		require.NoError(t, err)
		in := false
		go func() {
			next, err := l.enter(t.Context())
			in = err == nil
			next()
		}()
		synctest.Wait()
		require.False(t, in)
		gone, end := context.WithCancel(t.Context())
		end()
		_, err = l.enter(gone)
		require.ErrorIs(t, err, context.Canceled)
		leave()
		synctest.Wait()
		require.True(t, in)
	})
}
