package env

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"
)

var updateDocs = flag.Bool("update-docs", false, "write docs/metrics.md anew")

// observed returns an Env with its registry.
func observed(t *testing.T) (*Env, *prometheus.Registry) {
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	registry := prometheus.NewRegistry()
	return New(Options{Store: db, Clock: time.Now, Metrics: registry}), registry
}

// TestThePageOnMetricsIsWhatTheProgramMeasures keeps docs/metrics.md true.
func TestThePageOnMetricsIsWhatTheProgramMeasures(t *testing.T) {
	e, _ := observed(t)
	const file, begin, end = "../../docs/metrics.md", "<!-- the table: make docs -->\n", "<!-- end of the table -->\n"
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	var b strings.Builder
	b.WriteString("| metric | type, labels | it is | what to do |\n|---|---|---|---|\n")
	for _, m := range e.Metrics.catalogue.all {
		require.NotEmpty(t, m.Act, m.Name)
		kind := m.Type
		for _, label := range m.Labels {
			kind += ", `" + label + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, kind, m.Help, m.Act)
	}
	want := before + begin + b.String() + end + after
	if *updateDocs {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(page), "docs/metrics.md is out of date: run make docs")
	for word := range strings.FieldsFuncSeq(before+after, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z')
	}) {
		if strings.HasPrefix(word, "waybill_") {
			require.Contains(t, b.String(), "`"+strings.TrimSuffix(word, "_bucket")+"`", "of an example")
		}
	}
}

// TestLabelsFromOutsideMakeABoundedNumberOfSeries: a server with more repositories than that counts the rest together.
func TestLabelsFromOutsideMakeABoundedNumberOfSeries(t *testing.T) {
	e, registry := observed(t)
	for i := range 3 * most {
		home := promotion.Repo("acme/" + strconv.Itoa(i))
		e.Metrics.Decided(home, promotion.Decision{
			Promotions: []promotion.Promotion{{Number: 1, Class: promotion.Manual}},
			Log:        []promotion.Entry{{Stage: "dev", Promotion: 1, State: promotion.Succeeded}},
		}, time.Second, nil)
		e.Metrics.Resynced(home, time.Now(), time.Second, nil)
		e.Metrics.Called(gh.Call{Installation: int64(i), Method: "GET", Path: "/repos/acme/" + strconv.Itoa(i) + "/x" +
			strconv.Itoa(i), Status: 200, Resource: "core", Remaining: 1})
	}
	families, err := registry.Gather()
	require.NoError(t, err)
	seen := map[string]int{}
	for _, f := range families {
		seen[f.GetName()] = len(f.GetMetric())
	}
	for _, name := range []string{
		"waybill_promotions_total", "waybill_resync_last_timestamp_seconds", "waybill_resync_failures",
		"waybill_github_remaining",
	} {
		require.Equal(t, most+1, seen[name], name)
	}
	require.Equal(t, 1, seen["waybill_github_requests_total"])
}

// TestMetricsAreReadFromTheDatabaseAtMostOnceInSomeSeconds: anybody may ask for them.
func TestMetricsAreReadFromTheDatabaseAtMostOnceInSomeSeconds(t *testing.T) {
	db, err := store.Open(t.Context(), "sqlite://"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{})
	require.NoError(t, err)
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	c := newCensus(&catalogue{}, db, func() time.Time { return now })
	_, first := c.take()
	require.NoError(t, first.err)
	require.Positive(t, first.bytes)
	require.NoError(t, db.Close())
	now = now.Add(censusEvery - 1)
	_, again := c.take()
	require.NoError(t, again.err)
	now = now.Add(1)
	_, failed := c.take()
	require.Error(t, failed.err)
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Equal(t, "waybill_database_readable", families[0].GetName())
	require.Zero(t, families[0].GetMetric()[0].GetGauge().GetValue())
}
