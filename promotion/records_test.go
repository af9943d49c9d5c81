package promotion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stay writes a stay by minutes: when it began, when it was judged, when it ended (0: it lasts).
func stay(entered, judged int, v Verdict, left int) Stay {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	s := Stay{Entered: at(entered), Verdict: v}
	if v != Pending {
		s.Judged = at(judged)
	}
	if left != 0 {
		s.Left = at(left)
	}
	return s
}

func TestWhatAStageKnowsOfAFreight(t *testing.T) {
	since := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for _, c := range []struct {
		name  string
		stays []Stay
		want  Record
	}{
		{"nothing, when it was never there", nil, Record{}},
		{"nothing, while it is not judged", []Stay{stay(0, 0, Pending, 0)}, Record{}},
		{"nothing, when it left before its verification finished (A9)", []Stay{stay(0, 0, Pending, 60)}, Record{}},
		{"nothing, when nobody could tell", []Stay{stay(0, 10, Undecided, 60)}, Record{}},
		{"it soaks since it was verified", []Stay{stay(0, 10, Passed, 0)}, Record{Verdict: Passed, Since: since(10)}},
		{"it soaks since it came, when it brought its verdict along", []Stay{stay(0, -60, Passed, 0)}, Record{Verdict: Passed, Since: since(0)}},
		{"how long it stayed once it was verified", []Stay{stay(0, 10, Passed, 60)}, Record{Verdict: Passed, Longest: 50 * time.Minute}},
		{"how long it stayed, when it brought its verdict along", []Stay{stay(0, -60, Passed, 20)}, Record{Verdict: Passed, Longest: 20 * time.Minute}},
		{"its longest stay (A8)", []Stay{stay(0, 0, Passed, 120), stay(200, 200, Passed, 230), stay(300, 300, Passed, 0)},
			Record{Verdict: Passed, Longest: 2 * time.Hour, Since: since(300)}},
		{"it is bad, whatever was before", []Stay{stay(0, 0, Passed, 60), stay(100, 110, Bad, 0)}, Record{Verdict: Bad, Longest: time.Hour}},
		{"it is good again, and its stays count", []Stay{stay(0, 0, Passed, 60), stay(100, 110, Bad, 120), stay(130, 140, Passed, 0)},
			Record{Verdict: Passed, Longest: time.Hour, Since: since(140)}},
		{"a verification that is pending revokes nothing", []Stay{stay(0, 0, Passed, 60), stay(100, 0, Pending, 0)}, Record{Verdict: Passed, Longest: time.Hour}},
		{"a stay that ended before its verdict has no length", []Stay{stay(0, 10, Passed, 5)}, Record{Verdict: Passed}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, NewRecord(c.stays)) })
	}
}

func TestABadRecordSaysWhy(t *testing.T) {
	bad := stay(0, 10, Bad, 0)
	bad.Cause = Because(FailedCheck, "smoke")
	require.Equal(t, Record{Verdict: Bad, Cause: new(bad.Cause)}, NewRecord([]Stay{bad}))
}

func TestWhenAFreightHasSoaked(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Record
		want instant
	}{
		{"never, when it is not verified", Record{}, never},
		{"never, when it is bad, however long it has been there", Record{Verdict: Bad, Longest: 5 * time.Hour}, never},
		{"an hour after it was verified", Record{Verdict: Passed, Since: noon}, instantOf(noon.Add(time.Hour))},
		{"always, when it once stayed for an hour", Record{Verdict: Passed, Longest: time.Hour}, always},
		{"never, when it left after 59 minutes", Record{Verdict: Passed, Longest: 59 * time.Minute}, never},
		{"an hour after it was verified again", Record{Verdict: Passed, Longest: 59 * time.Minute, Since: noon}, instantOf(noon.Add(time.Hour))},
	} {
		require.Equal(t, c.want, c.r.soakedFrom(time.Hour), c.name)
	}
	left := Record{Verdict: Passed}
	require.Equal(t, always, left.soakedFrom(0), "without soak a verdict is enough")
}
