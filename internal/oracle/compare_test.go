package oracle

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"waybill/internal/oracle/recorded"
	"waybill/promotion"
	"waybill/promotion/decide"

	"github.com/stretchr/testify/require"
)

// full is a decision in which no field is zero.
func full(t *testing.T) *recorded.Decision {
	d := new(recorded.Decision)
	fill(reflect.ValueOf(d).Elem())
	require.Empty(t, Differences(d, copyOf(d)))
	return d
}

// fill makes every field of a value something.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case v.Kind() == reflect.String:
		v.SetString("something")
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(7)
	}
}

func copyOf(d *recorded.Decision) *recorded.Decision {
	c := new(recorded.Decision)
	translator(nil).copyTo(c, *d)
	return c
}

// leaves calls each with every place of a value that is not made of others, and every list.
func leaves(v reflect.Value, each func(reflect.Value)) {
	switch {
	case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
		for i := range v.NumField() {
			leaves(v.Field(i), each)
		}
	case v.Kind() == reflect.Pointer:
		leaves(v.Elem(), each)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			leaves(v.Index(i), each)
		}
		each(v)
	default:
		each(v)
	}
}

// TestEveryPlaceOfADecisionIsCompared changes one place of a decision after the other.
func TestEveryPlaceOfADecisionIsCompared(t *testing.T) {
	was, now := full(t), full(t)
	places := 0
	leaves(reflect.ValueOf(now).Elem(), func(place reflect.Value) {
		before := reflect.ValueOf(place.Interface())
		place.SetZero()
		if before.Kind() == reflect.Slice {
			place.Set(before.Slice(0, 1))
		}
		require.Len(t, Differences(was, now), 1)
		place.Set(before)
		places++
	})
	require.Empty(t, Differences(was, now))
	require.Greater(t, places, 200)
}

func TestDifferencesSayWhereAndHow(t *testing.T) {
	was, now := &recorded.Decision{Wake: noon}, &recorded.Decision{Log: []recorded.Entry{{State: "queued"}}}
	was.Holds, now.Holds = []recorded.Hold{{ID: 1}, {ID: 2}}, []recorded.Hold{{ID: 1}}
	was.Stays = []recorded.Stay{{Verdict: "passed", Wrote: []recorded.Value{}}}
	now.Stays = []recorded.Stay{{Verdict: "failed"}}
	var lines []string
	for _, d := range Differences(was, now) {
		lines = append(lines, d.String())
	}
	require.Equal(t, []string{
		`Stays[0].Verdict: recorded "passed", now "failed"`,
		`Stays[0].Wrote: recorded [], now null`,
		`Holds[1]: recorded {"ID":2}, now nothing`,
		`Log[0]: recorded nothing, now {"State":"queued"}`,
		`Wake: recorded "2026-01-05T12:00:00Z", now "0001-01-01T00:00:00Z"`,
	}, lines)
}

var noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

// TestAWrongCoreIsReported holds a core that is wrong in one way against two histories.
func TestAWrongCoreIsReported(t *testing.T) {
	for field, wrong := range map[string]func(d *promotion.Decision){
		"Wake":    func(d *promotion.Decision) { d.Wake = d.Wake.Add(time.Nanosecond) },
		"Log":     func(d *promotion.Decision) { d.Log = append(d.Log, promotion.Entry{State: promotion.Failed}) },
		"Ripples": func(d *promotion.Decision) { d.Ripples = !d.Ripples },
		"panic":   func(*promotion.Decision) { panic("the rules undo each other") },
	} {
		r := checkSome(t, wrong, nil)
		require.Equal(t, r.Pairs, r.Differing)
		require.Equal(t, map[string]int{field: r.Pairs}, r.Fields)
		require.Len(t, r.First, shown)
		require.True(t, strings.HasPrefix(r.First[0], "torture seed 2197, call 1, stage "), r.First[0])
		require.Contains(t, r.String(), r.First[0])
	}
}

// TestWantedDifferencesAreCountedApart changes the wake times of all decisions, and wants that of a third of them.
func TestWantedDifferencesAreCountedApart(t *testing.T) {
	later := func(d *promotion.Decision) { d.Wake = d.Wake.Add(time.Minute) }
	r := checkSome(t, later, []Wanted{{
		Reason: "they are later",
		Covers: func(p *Pair, now *recorded.Decision) bool {
			return p.Call%3 == 0 && now.Wake.Sub(p.Decision.Wake) == time.Minute
		},
	}})
	require.Equal(t, r.Pairs, r.Differing+r.Wanted["they are later"])
	require.Equal(t, r.Differing, r.Fields["Wake"])
	require.NotZero(t, r.Differing)
	require.NotZero(t, r.Wanted["they are later"])
	require.Contains(t, r.String(), "wanted: they are later")
}

// checkSome makes the decisions of two histories again, changes each, and reports.
func checkSome(t *testing.T, change func(*promotion.Decision), wanted []Wanted) *Report {
	file, err := os.Open("testdata/histories-rare.jsonl.gz")
	require.NoError(t, err)
	defer file.Close()
	r, err := Check(file, func(s *promotion.Snapshot, now time.Time) promotion.Decision {
		d := decide.Decide(s, now)
		change(&d)
		return d
	}, wanted)
	require.NoError(t, err)
	return r
}
