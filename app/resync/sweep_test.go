package resync

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/app/work"
)

// now is the time in these tests.
var now = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestADeliveryIsMissedIfNoAttemptWasAcceptedF4(t *testing.T) {
	ago := func(d time.Duration, id int64, guid string, code int) gh.Attempt {
		return gh.Attempt{ID: id, GUID: guid, At: now.Add(-d), Code: code}
	}
	again := func(a gh.Attempt) gh.Attempt {
		a.Redelivery = true
		return a
	}
	for claim, c := range map[string]struct {
		attempts []gh.Attempt // the newest first
		missed   []int64      // the attempts to repeat
		accepted []string
	}{
		"refused":          {[]gh.Attempt{ago(0, 1, "a", 502)}, []int64{1}, nil},
		"sent elsewhere":   {[]gh.Attempt{ago(0, 1, "a", 302)}, []int64{1}, nil},
		"the oldest first": {[]gh.Attempt{ago(0, 2, "b", 502), ago(0, 1, "a", 502)}, []int64{1, 2}, nil},
		"accepted":         {[]gh.Attempt{ago(0, 1, "a", 202)}, nil, []string{"a"}},
		"accepted the second time": {[]gh.Attempt{again(ago(0, 2, "a", 202)), ago(0, 1, "a", 502)}, nil,
			[]string{"a"}},
		"refused twice":                    {[]gh.Attempt{again(ago(0, 2, "a", 502)), ago(0, 1, "a", 502)}, []int64{1}, nil},
		"refused again after it was known": {[]gh.Attempt{again(ago(0, 2, "a", 502))}, nil, nil},
		"still under way":                  {[]gh.Attempt{ago(underWay-1, 1, "a", 0)}, nil, nil},
		"never answered":                   {[]gh.Attempt{ago(underWay, 1, "a", 0)}, []int64{1}, nil},
		"sent twice":                       {[]gh.Attempt{ago(0, 2, "a", 502), ago(0, 1, "a", 502)}, []int64{1}, nil},
	} {
		missed, accepted := neverAccepted(c.attempts, now)
		var ids []int64
		for _, m := range missed {
			ids = append(ids, m.Attempt)
		}
		require.Equal(t, c.missed, ids, claim)
		require.Equal(t, c.accepted, accepted, claim)
	}
}

func TestTheNextSweepReadsOnBehindTheLastOneF4(t *testing.T) {
	attempts := []gh.Attempt{{At: now}, {At: now.Add(-time.Hour)}}
	require.Equal(t, now.Add(-sweepOverlap), readUpTo(time.Time{}, attempts))
	require.Equal(t, now, readUpTo(now, attempts), "it never reads further back")
	require.Equal(t, now, readUpTo(now, nil))
}

func TestARedeliveryIsWaitedForLongerEachTimeF4(t *testing.T) {
	require.Equal(t, 15*time.Minute, askAgain(1, nil))
	require.Equal(t, time.Hour, askAgain(3, nil))
	require.Less(t, askAgain(1, http.ErrServerClosed), work.RedeliveryBackoff.Base, "GitHub was not asked")
}
