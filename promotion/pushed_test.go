package promotion_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestAHeadIsFreightThatComesBehindWhatWasThere(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Kind: promotion.FromPushes, Repo: "acme/api"}
	h := promotion.Head{SHA: "0123456789abcdef", At: fixture.Noon, Count: 7, Title: "Better",
		Author: promotion.Actor{ID: 7, Login: "ann"}}
	for _, c := range []struct {
		name             string
		earliest, latest time.Time
		want             time.Time
	}{
		{"as the commit says", fixture.Noon.Add(-time.Hour), fixture.Noon.Add(time.Hour), fixture.Noon},
		{"nothing was there", time.Time{}, fixture.Noon.Add(time.Hour), fixture.Noon},
		{"the commit was made before what is there already", fixture.Noon.Add(time.Minute), fixture.Noon.Add(time.Hour),
			fixture.Noon.Add(time.Minute)},
		{"our clock has been set back", fixture.Noon.Add(-time.Minute), fixture.Noon.Add(-time.Hour),
			fixture.Noon.Add(-time.Minute)},
		{"the commit says that it will be made", time.Time{}, fixture.Noon.Add(-time.Minute),
			fixture.Noon.Add(-time.Minute)},
	} {
		f := w.Pushed(h, c.earliest, c.latest)
		require.Equal(t, c.want, f.Merged, c.name)
	}
	f := w.Pushed(h, time.Time{}, fixture.Noon)
	require.Equal(t, "api@0123456789", f.Name)
	require.Zero(t, f.Pull)
	require.Equal(t, f.ID, w.Pushed(h, fixture.Noon.Add(time.Hour), fixture.Noon.Add(time.Hour)).ID,
		"whenever it is heard of")
	next := h
	next.SHA, next.Count = "1123456789abcdef", 8
	require.True(t, f.Before(w.Pushed(next, f.Merged, fixture.Noon)),
		"in the same second the branch says which one came first")
	for key, want := range map[string]string{"commit": "0123456789abcdef", "short": "0123456",
		"name": "api@0123456789"} {
		got, has := f.Value(key)
		require.True(t, has)
		require.Equal(t, want, got)
		require.Contains(t, w.Keys(), key)
	}
	require.Len(t, w.Keys(), 3)
}
