package oracle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/oracle/recorded"
	"waybill/promotion"
)

// TestTypesThatGrowApartAreNoticed: nothing is left out in silence.
func TestTypesThatGrowApartAreNoticed(t *testing.T) {
	type less struct{ Name string }
	type more struct {
		Name string
		Soak time.Duration
	}
	type other struct {
		Name string
		Soak string
	}
	var t1 less
	require.PanicsWithValue(t, "oracle.more.Soak has no counterpart in oracle.less",
		func() { translator(nil).copyTo(&t1, more{}) })
	var t2 more
	require.PanicsWithValue(t, "oracle.more.Soak has no counterpart in oracle.less",
		func() { translator(nil).copyTo(&t2, less{}) })
	require.PanicsWithValue(t, "a time.Duration cannot be made of a string",
		func() { translator(nil).copyTo(&t2, other{}) })
}

// TestACopySharesNothing: the caller may go on with what was recorded.
func TestACopySharesNothing(t *testing.T) {
	p := promotion.Promotion{
		Number: 7, Reason: promotion.Because(promotion.Behind, "6"), Rollout: &promotion.Rollout{Entered: []int{1}},
	}
	var r recorded.Promotion
	translator(nil).copyTo(&r, p)
	p.Reason.Args[0], p.Rollout.Entered[0] = "5", 2
	require.Equal(t, recorded.Promotion{
		Number: 7, Reason: recorded.Reason{Code: "behind", Args: []string{"6"}},
		Rollout: &recorded.Rollout{Entered: []int{1}},
	}, r)
}

// nightly is a freeze from ten in the evening until six.
type nightly struct{}

func (nightly) Until(now time.Time) time.Time {
	begins := now.Add(-22 * time.Hour).Truncate(24 * time.Hour).Add(22 * time.Hour)
	if ends := begins.Add(8 * time.Hour); now.Before(ends) {
		return ends
	}
	return time.Time{}
}

func (nightly) Next(now time.Time) time.Time {
	return now.Add(2 * time.Hour).Truncate(24 * time.Hour).Add(22 * time.Hour)
}

// TestAFreezeIsPlayedAsItWasRecorded asks a freeze and its recording every hour.
func TestAFreezeIsPlayedAsItWasRecorded(t *testing.T) {
	for _, begin := range []time.Time{noon, noon.Add(12 * time.Hour)} {
		w := window(recordWindow(nightly{}, begin))
		at := begin
		for ; at.Before(begin.Add(20 * 24 * time.Hour)); at = at.Add(time.Hour) {
			require.Equal(t, nightly{}.Until(at), w.Until(at), at)
			require.Equal(t, nightly{}.Next(at), w.Next(at), at)
		}
		require.Panics(t, func() { w.Until(begin.Add(-1)) }, "before the recording")
		require.Panics(t, func() { w.Next(begin.Add(100 * 24 * time.Hour)) }, "after it")
	}
}
