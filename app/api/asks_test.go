package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/quota"
	"waybill/promotion"
)

// TestWhoMayNotWriteGivesFewCommands: each of them, and all of them together, on one pipeline within an hour.
func TestWhoMayNotWriteGivesFewCommands(t *testing.T) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	s := &Server{clock: func() time.Time { return now }, asks: quota.New()}
	given := func(pipeline, who int64) (n int) {
		for s.taken(pipeline, promotion.Actor{ID: who}) == 0 {
			n++
		}
		return n
	}
	require.Equal(t, askedOfReader, given(1, 7))
	require.Equal(t, askedOfReader, given(2, 7), "another pipeline is another")
	all := askedOfReader
	for who := int64(8); who < 100; who++ {
		all += given(1, who)
	}
	require.Equal(t, askedOfReaders, all)
	now = now.Add(20 * time.Minute)
	require.Equal(t, 40*time.Minute, s.taken(1, promotion.Actor{ID: 7}))
	now = now.Add(40 * time.Minute)
	require.Equal(t, askedOfReader, given(1, 7))
}
