package torture

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/torture/ledger"
)

// TestNothingIsOverlookedThatWaitsForALease checks that Overlooked lists the due rows, except those that wait for a
// lease that has not expired. With two processes, one that dies leaves such leases.
func TestNothingIsOverlookedThatWaitsForALease(t *testing.T) {
	const lane = "effects a lane=l lease=1m, effects b lane=l"
	for rows, want := range map[string]string{
		"": "",

		"views a":                   "view a",
		"views a run=1m":            "",
		"views a lease=1m":          "",
		"views a lease=-1m":         "view a",
		"views a lease=1m, views b": "view b",
		"views a lease=1m, views b lease=1m, views c":                            "", // seed 8792
		"views a lease=1m, views b lease=-1m, views c":                           "view b, view c",
		"views a lease=1m, views b lease=1m token=a, views c":                    "view c", // a and b are shown together
		"views a lease=1m, views b lease=1m, views c account=2":                  "view c",
		"views a lease=1m, views b lease=1m, effects c":                          "effect c",
		"views a account= lease=1m, views b account= lease=1m, views c account=": "view c",

		"effects a":           "effect a",
		"effects a lease=-1m": "effect a",
		"effects a lease=1m, effects b lease=1m, effects c":                "",
		"effects a lease=1m, effects b lease=1m, effects c, views d":       "",
		"effects a line=l seq=1 lease=1m, effects b line=l seq=2":          "",
		"effects a line=l seq=1 lease=1m, effects b line=l seq=2, views c": "",
		"effects a line=l seq=1 run=1m, effects b line=l seq=2":            "",
		"effects a line=l seq=1 run=1m, effects b line=l seq=2, views c":   "view c", // no row is leased
		"effects a line=l seq=2 lease=1m, effects b line=l seq=1":          "effect b",
		lane:                          "",
		lane + ", views c":            "",
		lane + ", views c stage=prod": "view c",
		"effects a lease=1m, views b": "view b",

		"gates a until=1m, effects b, views c, deliveries d, deliveries e attempts=1": "delivery d",
		"gates a until=-1m, effects b":          "effect b",
		"gates a until=1m, effects b account=2": "effect b",

		"deliveries a":                                   "delivery a",
		"deliveries a lease=-1m":                         "delivery a",
		"deliveries a lease=1m, deliveries b":            "",
		"deliveries a lease=-1m, deliveries b lease=-1m": "delivery a, delivery b", // they were claimed together
		"deliveries a lease=1m, deliveries b repo=r":     "delivery b",
		"deliveries a lease=1m, deliveries b repo=r lease=1m, deliveries d repo=q lease=1m, deliveries c repo=s": "",
	} {
		t.Run(rows, func(t *testing.T) {
			d := &ledger.Database{Clock: &ledger.Clock{}, Log: &ledger.Journal{}}
			require.NoError(t, d.OpenRecords(queuesWith(t, rows)))
			t.Cleanup(func() { require.NoError(t, d.CloseRecords()) })
			require.Equal(t, want, strings.Join(d.Overlooked(), ", "))
			require.Nil(t, d.Log.Failure)
		})
	}
}

// queuesWith makes a database with rows that have been due for a second, and returns its URL. The text gives each row's
// table, name and columns.
func queuesWith(t *testing.T, rows string) (url string) {
	template, err := emptyDatabase()
	require.NoError(t, err)
	file := filepath.Join(fast(t), "waybill.db")
	require.NoError(t, os.WriteFile(file, template, 0o600))
	db, err := sql.Open("sqlite", "file:"+file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	for row := range strings.SplitSeq(rows, ", ") {
		if words := strings.Fields(row); len(words) > 0 {
			addRow(t, db, words[0], words[1], words[2:])
		}
	}
	return "sqlite://" + file
}

// addRow adds a row to a queue. Each item of said sets a column, or the time until the row is due, or until its lease
// expires.
func addRow(t *testing.T, db *sql.DB, table, name string, said []string) {
	columns := map[string]any{
		"account": "1", "repo": "acme/deploy", "stage": "dev", "source": "github", "state": "due", "seq": name[0],
		"run_at": time.Now().Add(-time.Second).UnixMicro(), "id": name, "key": name, "surface": name,
	}
	if table == "deliveries" {
		columns["state"] = "waiting"
	}
	for _, s := range said {
		what, value, _ := strings.Cut(s, "=")
		switch what {
		case "run", "lease", "until":
			d, err := time.ParseDuration(value)
			require.NoError(t, err)
			column := map[string]string{"run": "run_at", "lease": "leased_until", "until": "until_at"}[what]
			columns[column] = time.Now().Add(d).UnixMicro()
			if _, has := columns["token"]; what == "lease" && !has {
				columns["token"] = name
			}
		default:
			columns[what] = value
		}
	}
	names, marks, values := []string{}, []string{}, []any{}
	found, err := db.Query(`SELECT name, type FROM pragma_table_info(?) WHERE "notnull" = 1 OR name = 'run_at'`, table)
	require.NoError(t, err)
	defer found.Close()
	for found.Next() {
		var column, kind string
		require.NoError(t, found.Scan(&column, &kind))
		value, said := columns[column]
		if !said {
			value = map[string]any{"TEXT": "", "BYTEA": ""}[kind]
		}
		if value == nil {
			value = 0
		}
		names, marks, values = append(names, column), append(marks, "?"), append(values, value)
	}
	require.NoError(t, found.Err())
	insert := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, table, strings.Join(names, ", "), strings.Join(marks, ", "))
	_, err = db.Exec(insert, values...)
	require.NoError(t, err)
}
