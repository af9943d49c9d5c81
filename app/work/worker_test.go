package work_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/work"
	"waybill/store"
)

// TestAPieceThatWaitsDelaysNoOther checks that later pieces are taken while there is room, and one more when the
// waiting piece ends.
func TestAPieceThatWaitsDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var rooms []int
		begun, end := 0, make(chan struct{})
		w := work.Worker{Name: "test", Width: 3, Take: func(_ context.Context, c store.Claim) (work.Piece, time.Time, error) {
			rooms = append(rooms, c.Room)
			return func(context.Context) error {
				begun++
				<-end
				return errors.New("an error of one is none of the others")
			}, time.Time{}, nil
		}}
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			w.Work(ctx, t.Context(), time.Now)
		}()
		synctest.Wait()
		require.Equal(t, 3, begun)
		require.Equal(t, []int{3, 2, 1}, rooms)
		end <- struct{}{}
		synctest.Wait()
		require.Equal(t, 4, begun)
		stop()
		synctest.Wait()
		select {
		case <-stopped:
			t.Fatal("it does not wait for the pieces that have begun")
		default:
		}
		close(end)
		<-stopped
	})
}
