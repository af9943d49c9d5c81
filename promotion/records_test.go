package promotion_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// host returns a deployment that began, was judged and ended at these minutes (0: it has not ended).
func host(entered, judged int, v promotion.Verdict, left int) promotion.Deployment {
	at := func(minutes int) time.Time { return fixture.Noon.Add(time.Duration(minutes) * time.Minute) }
	s := promotion.Deployment{Entered: at(entered), Verdict: v}
	if v != promotion.Pending {
		s.Judged = at(judged)
	}
	if left != 0 {
		s.Left = at(left)
	}
	return s
}

func TestWhatAStageKnowsOfAFreight(t *testing.T) {
	since := func(minutes int) time.Time { return fixture.Noon.Add(time.Duration(minutes) * time.Minute) }
	for _, c := range []struct {
		name  string
		stays []promotion.Deployment
		want  promotion.Record
	}{
		{"nothing, when it was never there", nil, promotion.Record{}},
		{"nothing, while it is not judged", []promotion.Deployment{host(0, 0, promotion.Pending, 0)},
			promotion.Record{Hosted: true}},
		{"nothing, when it left before its verification finished (A9)",
			[]promotion.Deployment{host(0, 0, promotion.Pending, 60)}, promotion.Record{}},
		{"nothing, when nobody could tell", []promotion.Deployment{host(0, 10, promotion.Undecided, 60)}, promotion.Record{}},
		{"it soaks since it was verified", []promotion.Deployment{host(0, 10, promotion.Passed, 0)},
			promotion.Record{Verdict: promotion.Passed, Since: since(10), Hosted: true}},
		{"it soaks since it came, when it brought its verdict along",
			[]promotion.Deployment{host(0, -60, promotion.Passed, 0)},
			promotion.Record{Verdict: promotion.Passed, Since: since(0), Hosted: true}},
		{"how long it stayed once it was verified", []promotion.Deployment{host(0, 10, promotion.Passed, 60)},
			promotion.Record{Verdict: promotion.Passed, Longest: 50 * time.Minute}},
		{"how long it stayed, when it brought its verdict along", []promotion.Deployment{host(0, -60, promotion.Passed, 20)},
			promotion.Record{Verdict: promotion.Passed, Longest: 20 * time.Minute}},
		{"its longest deployment (A8)",
			[]promotion.Deployment{host(0, 0, promotion.Passed, 120), host(200, 200, promotion.Passed, 230),
				host(300, 300, promotion.Passed, 0)},
			promotion.Record{Verdict: promotion.Passed, Longest: 2 * time.Hour, Since: since(300), Hosted: true}},
		{"it is bad, whatever was before",
			[]promotion.Deployment{host(0, 0, promotion.Passed, 60), host(100, 110, promotion.Bad, 0)},
			promotion.Record{Verdict: promotion.Bad, Longest: time.Hour, Hosted: true}},
		{"it is good again, and its stays count",
			[]promotion.Deployment{host(0, 0, promotion.Passed, 60), host(100, 110, promotion.Bad, 120),
				host(130, 140, promotion.Passed, 0)},
			promotion.Record{Verdict: promotion.Passed, Longest: time.Hour, Since: since(140), Hosted: true}},
		{"a verification that is pending revokes nothing",
			[]promotion.Deployment{host(0, 0, promotion.Passed, 60), host(100, 0, promotion.Pending, 0)},
			promotion.Record{Verdict: promotion.Passed, Longest: time.Hour, Hosted: true}},
		{"one that ended before its verdict has no length", []promotion.Deployment{host(0, 10, promotion.Passed, 5)},
			promotion.Record{Verdict: promotion.Passed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, promotion.NewRecord(&promotion.Freight{}, c.stays, nil))
		})
	}
}

func TestABadRecordSaysWhy(t *testing.T) {
	bad := host(0, 10, promotion.Bad, 0)
	bad.Cause = promotion.Because(promotion.FailedCheck, "smoke")
	require.Equal(t, promotion.Record{Verdict: promotion.Bad, Cause: new(bad.Cause), Hosted: true},
		promotion.NewRecord(&promotion.Freight{}, []promotion.Deployment{bad}, nil))
}
