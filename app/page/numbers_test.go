package page

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

func TestAChartIsAsHighAsItsHighestBar(t *testing.T) {
	day := func(i int) time.Time { return time.Date(2026, 3, i, 0, 0, 0, 0, time.UTC) }
	c := chartOf([]api.Period{
		{From: day(1), Deployments: 4, Failed: 2}, {From: day(2)}, {From: day(3), Deployments: 1},
	}, "day")
	require.Equal(t, []int{30, 150, 100, 4}, []int{c.Width, c.Whole, c.Base, c.Most})
	require.Equal(t, "1 Mar: 4 deployed, 2 failed", c.Bars[0].Says)
	require.Equal(t, []int{1, 0, 100, 50}, []int{c.Bars[0].X, c.Bars[0].Y, c.Bars[0].Did, c.Bars[0].Fell})
	require.Equal(t, []int{21, 75, 25, 0}, []int{c.Bars[2].X, c.Bars[2].Y, c.Bars[2].Did, c.Bars[2].Fell})
	require.Equal(t, "1 Mar 2026 3 Mar 2026", c.First()+" "+c.Last())
	require.Empty(t, chartOf(nil, "week").First())
	require.Zero(t, chartOf([]api.Period{{From: day(1)}}, "day").Most)
}

func TestDurationsAreInTheirTwoLargestUnits(t *testing.T) {
	for seconds, want := range map[int64]string{
		0: "0 s", 1: "1 s", 59: "59 s", 3599: "59 min", 3600: "1 h", 3660: "1 h 1 min", 47*3600 + 59: "47 h",
		48 * 3600: "2 days", 50 * 3600: "2 days 2 h",
	} {
		require.Equal(t, want, took(seconds))
	}
}

func TestHowLongMostTook(t *testing.T) {
	require.Equal(t, "of one change", typical(&api.Spread{Count: 1, P90: 60}, "change"))
	require.Equal(t, "half of 12; nine of ten within 1 min", typical(&api.Spread{Count: 12, P90: 60}, "change"))
}
