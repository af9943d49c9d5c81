package promotion_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// back is a promotion of api#1, promotion 5, merged at that minute (0: not yet).
func back(class promotion.Class, state promotion.State, merged int) promotion.Withdrawal {
	w := promotion.Withdrawal{To: promotion.Mark{Warehouse: "api", Merged: fixture.Noon, Number: 1}}
	w.Promotion = promotion.Promotion{
		Number: 5, Class: class, State: state, Freight: promotion.FreightRef{Name: "api#1"},
		By: promotion.Actor{ID: 1, Login: "ann"}, Pins: class == promotion.Rollback,
	}
	if merged != 0 {
		w.Promotion.Merged = fixture.Noon.Add(time.Duration(merged) * time.Minute)
	}
	return w
}

func TestWhatAStageTakesBackItVouchesForNoMore(t *testing.T) {
	passed := func(n promotion.Number, entered, left int) promotion.Deployment {
		d := host(entered, entered+1, promotion.Passed, left)
		d.Promotion = n
		return d
	}
	pinned := back(promotion.Manual, promotion.Succeeded, 60)
	pinned.Promotion.Pins = true
	waits := back(promotion.Manual, promotion.Queued, 0)
	waits.Promotion.Pins = true
	web := back(promotion.Rollback, promotion.Succeeded, 60)
	web.To.Warehouse = "web"
	newer := back(promotion.Rollback, promotion.Succeeded, 60)
	newer.To.Number = 2
	bad := host(20, 21, promotion.Bad, 60)
	for _, c := range []struct {
		name    string
		stays   []promotion.Deployment
		by      promotion.Withdrawal
		verdict promotion.Verdict
		says    string
	}{
		{"a rollback, from when it is asked for", []promotion.Deployment{passed(4, 10, 0)},
			back(promotion.Rollback, promotion.Queued, 0), promotion.Pending,
			"goes back to api#1 (promotion 5, asked for by ann)"},
		{"a rollback, also of what left before", []promotion.Deployment{passed(3, 10, 20)},
			back(promotion.Rollback, promotion.WaitingForMerge, 0), promotion.Pending,
			"goes back to api#1 (promotion 5, asked for by ann)"},
		{"not one that ended before its merge", []promotion.Deployment{passed(4, 10, 0)},
			back(promotion.Rollback, promotion.Cancelled, 0), promotion.Passed, ""},
		{"a rollback that was merged, however it ended", []promotion.Deployment{passed(4, 10, 60)},
			back(promotion.Rollback, promotion.Cancelled, 60), promotion.Pending,
			"went back to api#1 (promotion 5, asked for by ann)"},
		{"not what came after it", []promotion.Deployment{passed(4, 10, 60), passed(6, 70, 0)},
			back(promotion.Rollback, promotion.Succeeded, 60), promotion.Passed, ""},
		{"not what came after it and left", []promotion.Deployment{passed(4, 10, 60), passed(6, 70, 80)},
			back(promotion.Rollback, promotion.Succeeded, 60), promotion.Passed, ""},
		{"not what came in the same moment, behind it", []promotion.Deployment{passed(6, 60, 60)},
			back(promotion.Rollback, promotion.Succeeded, 60), promotion.Passed, ""},
		{"what came after it and has no verdict yet brings nothing back",
			[]promotion.Deployment{passed(4, 10, 60), host(70, 0, promotion.Pending, 0)},
			back(promotion.Rollback, promotion.Succeeded, 60), promotion.Pending,
			"went back to api#1 (promotion 5, asked for by ann)"},
		{"a promotion of older freight, from its merge", []promotion.Deployment{passed(4, 10, 60)}, pinned,
			promotion.Pending, "went back to api#1 (promotion 5, asked for by ann)"},
		{"not before", []promotion.Deployment{passed(4, 10, 0)}, waits, promotion.Passed, ""},
		{"not of another warehouse", []promotion.Deployment{passed(4, 10, 60)}, web, promotion.Passed, ""},
		{"not what it goes back to", []promotion.Deployment{passed(4, 10, 60)}, newer, promotion.Passed, ""},
		{"what failed stays failed", []promotion.Deployment{passed(3, 10, 20), bad},
			back(promotion.Rollback, promotion.Succeeded, 60), promotion.Bad, ""},
	} {
		f := promotion.Freight{Warehouse: "api", Merged: fixture.Noon, Number: 2}
		r := promotion.NewRecord(&f, c.stays, []promotion.Withdrawal{c.by})
		require.Equal(t, c.verdict, r.Verdict, c.name)
		require.Equal(t, c.says, r.Withdrawn, c.name)
		require.Equal(t, c.verdict == promotion.Passed && !c.stays[len(c.stays)-1].Ended(), !r.Since.IsZero(), c.name)
	}
}

func TestAStayBeforeItWasTakenBackCountsForNoSoak(t *testing.T) {
	f := promotion.Freight{Warehouse: "api", Merged: fixture.Noon, Number: 2}
	first, again := host(10, 11, promotion.Passed, 60), host(70, 71, promotion.Passed, 80)
	first.Promotion, again.Promotion = 4, 6
	by := []promotion.Withdrawal{back(promotion.Rollback, promotion.Succeeded, 60)}
	r := promotion.NewRecord(&f, []promotion.Deployment{first, again}, by)
	require.Equal(t, promotion.Record{Verdict: promotion.Passed, Longest: 9 * time.Minute}, r)
}

func TestDriftTakesBackAsLongAsItLasts(t *testing.T) {
	at := func(minutes int) time.Time { return fixture.Noon.Add(time.Duration(minutes) * time.Minute) }
	differs := promotion.Drift{Count: 1, By: fixture.Bob, Says: []promotion.Value{{Path: "dev.yaml", Key: "tag"}}}
	righted := promotion.Drift{Count: 1, Righted: at(40)}
	with := func(d promotion.Deployment, drift promotion.Drift) promotion.Deployment {
		d.Drift = drift
		return d
	}
	long := host(0, 0, promotion.Passed, 9)
	const says = "has something else in its files (dev.yaml tag, pushed by bob)"
	for _, c := range []struct {
		name  string
		stays []promotion.Deployment
		want  promotion.Record
	}{
		{"the freight that is there", []promotion.Deployment{long, with(host(10, 11, promotion.Passed, 0), differs)},
			promotion.Record{Hosted: true, Withdrawn: says}},
		{"also when the present stay has no verdict",
			[]promotion.Deployment{long, with(host(10, 0, promotion.Pending, 0), differs)},
			promotion.Record{Hosted: true, Withdrawn: says}},
		{"the soak starts anew when the files are right",
			[]promotion.Deployment{long, with(host(10, 11, promotion.Passed, 0), righted)},
			promotion.Record{Verdict: promotion.Passed, Since: at(40), Hosted: true}},
		{"the soak counts from there when it has left",
			[]promotion.Deployment{long, with(host(10, 11, promotion.Passed, 60), righted)},
			promotion.Record{Verdict: promotion.Passed, Longest: 20 * time.Minute}},
		{"it does not come back by leaving", []promotion.Deployment{with(host(10, 11, promotion.Passed, 60), differs)},
			promotion.Record{Withdrawn: says}},
		{"it comes back by coming anew", []promotion.Deployment{with(host(10, 11, promotion.Passed, 60), differs),
			host(70, 71, promotion.Passed, 0)},
			promotion.Record{Verdict: promotion.Passed, Since: at(71), Hosted: true}},
		{"what failed stays failed", []promotion.Deployment{with(host(10, 11, promotion.Bad, 0), differs)},
			promotion.Record{Verdict: promotion.Bad, Hosted: true}},
		{"what was ignored counts",
			[]promotion.Deployment{with(host(10, 11, promotion.Passed, 0), promotion.Drift{Count: 1})},
			promotion.Record{Verdict: promotion.Passed, Since: at(11), Hosted: true}},
	} {
		require.Equal(t, c.want, promotion.NewRecord(&promotion.Freight{}, c.stays, nil), c.name)
	}
}

func TestTheLatestStayDecidesWhetherFreightIsTakenBack(t *testing.T) {
	f := promotion.Freight{ID: "b", Warehouse: "api", Merged: fixture.Noon, Number: 2}
	older := promotion.Freight{ID: "a", Warehouse: "api", Merged: fixture.Noon, Number: 1}
	first, again := host(10, 11, promotion.Passed, 60), host(70, 71, promotion.Passed, 0)
	first.Promotion, again.Promotion = 4, 6
	first.Freight, again.Freight = f.ID, f.ID
	went := back(promotion.Rollback, promotion.Succeeded, 60).Promotion
	went.Freight.ID = older.ID
	s := promotion.Snapshot{
		Freight: []promotion.Freight{older, f}, Promotions: []promotion.Promotion{went},
		Deployments: []promotion.Deployment{first},
	}
	require.True(t, s.TakenBack(&f))
	s.Deployments = append(s.Deployments, again)
	require.False(t, s.TakenBack(&f), "it came again")
	require.False(t, s.TakenBack(&older))
}
