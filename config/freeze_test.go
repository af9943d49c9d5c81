package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// frozen returns a window of a freeze.
func frozen(t *testing.T, fields, zone string, lasts time.Duration) window {
	t.Helper()
	schedule, err := schedules.Parse("TZ=UTC " + fields)
	require.NoError(t, err)
	place, err := time.LoadLocation(zone)
	require.NoError(t, err)
	return window{schedule, place, lasts}
}

func TestAFreezeIsReadOffTheClocksOfItsPlace(t *testing.T) {
	weekend := frozen(t, "0 16 * * FRI", "Europe/Berlin", 64*time.Hour)
	everyNight := frozen(t, "30 2 * * *", "Europe/Berlin", time.Hour)
	for _, c := range []struct {
		name       string
		window     window
		now, until string
	}{
		{"before it begins", weekend, "2026-01-02T14:59:59Z", ""},
		{"in the moment it begins", weekend, "2026-01-02T15:00:00Z", "2026-01-05T07:00:00Z"},
		{"in the middle", weekend, "2026-01-04T00:00:00Z", "2026-01-05T07:00:00Z"},
		{"in the last moment", weekend, "2026-01-05T06:59:59Z", "2026-01-05T07:00:00Z"},
		{"in the moment it ends", weekend, "2026-01-05T07:00:00Z", ""},
		{"in summer it begins an hour earlier in UTC", weekend, "2026-07-03T14:00:00Z", "2026-07-06T06:00:00Z"},
		{"the clocks go forward inside: 64 hours pass all the same", weekend, "2026-03-29T12:00:00Z", "2026-03-30T07:00:00Z"},
		{"the clocks go back inside", weekend, "2026-10-25T12:00:00Z", "2026-10-26T06:00:00Z"},
		{"the clocks skip its beginning: it is not left out", everyNight, "2026-03-29T01:45:00Z", "2026-03-29T02:30:00Z"},
		{"the day after that", everyNight, "2026-03-30T00:45:00Z", "2026-03-30T01:30:00Z"},
		{"the clocks show its beginning twice: it comes once", everyNight, "2026-10-25T00:45:00Z", "2026-10-25T01:30:00Z"},
		{"and not again", everyNight, "2026-10-25T01:45:00Z", ""},
		{"of those that overlap, the one that began first", frozen(t, "* * * * *", "UTC", 2*time.Minute),
			"2026-01-02T12:00:30Z", "2026-01-02T12:01:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		require.NoError(t, err)
		got := c.window.Until(now)
		if c.until == "" {
			require.True(t, got.IsZero(), "%s: until %s", c.name, got)
			continue
		}
		require.Equal(t, c.until, got.UTC().Format(time.RFC3339), c.name)
	}
}

func TestWhenAFreezeBeginsNext(t *testing.T) {
	weekend := frozen(t, "0 16 * * FRI", "Europe/Berlin", 64*time.Hour)
	everyNight := frozen(t, "30 2 * * *", "Europe/Berlin", time.Hour)
	for _, c := range []struct {
		name      string
		window    window
		now, next string
	}{
		{"before it", weekend, "2026-01-02T14:59:59Z", "2026-01-02T15:00:00Z"},
		{"in the moment it begins", weekend, "2026-01-02T15:00:00Z", "2026-01-09T15:00:00Z"},
		{"the clocks skip its beginning", everyNight, "2026-03-29T00:45:00Z", "2026-03-29T01:30:00Z"},
		{"the clocks show its beginning twice: it comes once", everyNight, "2026-10-25T00:45:00Z", "2026-10-26T01:30:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		require.NoError(t, err)
		require.Equal(t, c.next, c.window.Next(now).UTC().Format(time.RFC3339), c.name)
	}
}

func BenchmarkFrozenUntil(b *testing.B) {
	schedule, _ := schedules.Parse("TZ=UTC 0 16 * * FRI")
	berlin, _ := time.LoadLocation("Europe/Berlin")
	w, now := window{schedule, berlin, 64 * time.Hour}, time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for b.Loop() {
		w.Until(now)
	}
}
