package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheTableOfWhatIsKeptHasEveryTableOfTheSchema(t *testing.T) {
	var tables []string
	for _, found := range regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`).FindAllStringSubmatch(schemaText, -1) {
		tables = append(tables, found[1])
		require.True(t, slices.ContainsFunc(table, func(k Kept) bool { return k.Table == found[1] }),
			"store/retention.go does not say how long rows of %s are kept", found[1])
	}
	seen := map[string]bool{}
	for _, k := range table {
		require.Contains(t, tables, k.Table, "store/retention.go has a table that schema.sql does not have")
		require.False(t, seen[k.name()], "%s is there twice", k.name())
		seen[k.name()] = true
		require.NotEmpty(t, k.Rows, k.name())
		require.Regexp(t, `^[A-Z].*\.$`, k.Why, k.name())
		require.Equal(t, k.Term == OwnerTerm, k.Until != "", "%s: Until is for rows that go with others", k.name())
		limited := !slices.Contains([]Term{OwnerTerm, Forever, AuditTerm}, k.Term)
		require.Equal(t, limited, k.gone != "" && len(k.key) > 0, "%s: how are they removed?", k.name())
	}
}

// TestWhatIsKeptForEverIsNeverDeleted searches the statements of the package for deletions from tables that are kept.
func TestWhatIsKeptForEverIsNeverDeleted(t *testing.T) {
	forever := map[string]bool{}
	for _, k := range table {
		forever[k.Table] = k.Term == Forever
	}
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	deletes, found := regexp.MustCompile(`DELETE FROM (\w+)`), 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, d := range deletes.FindAllStringSubmatch(string(text), -1) {
			found++
			require.False(t, forever[d[1]], "%s deletes rows of %s, which the table says are kept for ever", name, d[1])
		}
	}
	require.NotZero(t, found)
}

func (k *Kept) name() string { return k.Table + ": " + k.Rows }

// columns are the columns of a row that matter to a test; the others are empty.
type columns map[string]any

// with returns the columns with those in others replaced.
func (c columns) with(others columns) columns {
	all := maps.Clone(c)
	maps.Copy(all, others)
	return all
}

// needed is a reason to keep an old row: the columns that differ in it, and the rows beside it.
type needed struct {
	why    string
	row    columns
	beside []besides
}

// besides are rows of a table.
type besides struct {
	table string
	rows  []columns
}

// limited describes how long rows of one kind are kept.
type limited struct {
	at     string                // the column with the age
	id     func(n int64) columns // the columns that tell the rows apart
	old    columns               // a row that is deleted when it is old
	beside []besides             // rows that exist in every case
	also   []columns             // other rows that are deleted
	needed []needed              // rows that are kept, with the reasons
}

// Times around the horizon, in microseconds.
var (
	horizon = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	edge    = horizon.UnixMicro()
	longAgo = horizon.Add(-365 * 24 * time.Hour).UnixMicro()
)

func numbered(column string) func(int64) columns {
	return func(n int64) columns { return columns{column: n} }
}

func named(column string) func(int64) columns {
	return func(n int64) columns { return columns{column: fmt.Sprintf("%05d", n)} }
}

func delivery(n int64) columns { return columns{"seq": n, "id": fmt.Sprint(n)} }

// many returns the rows numbered from to to.
func many(from, to int64, row func(n int64) columns) (all []columns) {
	for n := from; n <= to; n++ {
		all = append(all, row(n))
	}
	return all
}

func one(table string, row columns) besides { return besides{table, []columns{row}} }

var (
	running = columns{"pipeline": 1, "number": 1, "stage": "s1", "class": "manual", "state": "running", "version": 1}
	over    = running.with(columns{"state": "failed", "ended_at": longAgo})
	onMain  = columns{"id": 1, "repo": "a/b", "branch": "main"}
	hosted  = columns{"pipeline": 1, "promotion": 1, "stage": "s1"}
	shown   = columns{"pipeline": 1, "kind": "check", "wanted": "a", "shown": "a"}
)

var limitedRows = map[string]limited{
	"deliveries: that were handled": {
		at: "handled_at", id: delivery, old: columns{"source": "github", "state": "handled"},
		needed: []needed{{"it waits", columns{"state": "waiting", "handled_at": nil}, nil}},
	},
	"deliveries: that were parked": {
		at: "received_at", id: delivery, old: columns{"source": "github", "state": "parked"},
		needed: []needed{{"it waits", columns{"state": "waiting"}, nil}},
	},
	"link_offers: links between Slack and GitHub that were begun": {at: "expires_at", id: named("state"), old: columns{}},
	"pushes: to branches with files of stages": {
		at: "pushed_at", id: numbered("position"), old: columns{"repo": "a/b", "branch": "main", "chain": 1},
		beside: []besides{{"pushes", []columns{
			{"repo": "a/b", "branch": "main", "chain": 1, "position": 1000, "pushed_at": edge + 1},
			{"repo": "a/b", "branch": "live", "chain": 1, "position": 1000, "pushed_at": edge + 1},
		}}},
		needed: []needed{
			{"a deployment is judged by a head of its chain", columns{"chain": 2},
				[]besides{one("ways", onMain.with(columns{"chain": 2, "first": 2, "last": int64(open)}))}},
			{"it is the one that ended a way", columns{"chain": 3, "position": 5},
				[]besides{one("ways", onMain.with(columns{"id": 2, "commit_sha": "c2", "chain": 3, "first": 4, "last": 4}))}},
			{"an open promotion may begin with it", columns{"branch": "live"}, []besides{
				one("stage_branches", columns{"pipeline": 1, "stage": "s1", "repo": "a/b", "branch": "live"}),
				one("promotions", running.with(columns{"queued_at": longAgo})),
			}},
			{"it is the newest of its branch", columns{"branch": "quiet"}, nil},
		},
	},
	"signals: check runs, statuses and deployments": {
		at: "recorded_at", id: numbered("id"), old: columns{"repo": "a/b", "kind": "check", "sha": "c1"},
		beside: []besides{
			one("promotions", over.with(columns{"number": 9})),
			one("attempts", columns{"pipeline": 1, "promotion": 9, "plan_base": "c1", "head_sha": "c1",
				"landed_at": longAgo, "state": "delivered", "built": 1}),
		},
		needed: []needed{
			{"it judges", columns{"id": 77},
				[]besides{one("evidence", columns{"way": 1, "repo": "a/b", "kind": "check", "id": 77})}},
			{"its commit is what a promotion finds as it should be", columns{"sha": "base"}, []besides{
				one("promotions", running),
				one("attempts", columns{"pipeline": 1, "promotion": 1, "plan_base": "base"}),
			}},
			{"its commit is that of a promotion without a pull request", columns{"sha": "landed"}, []besides{
				one("promotions", running.with(columns{"number": 2, "stage": "s2"})),
				one("attempts", columns{"pipeline": 1, "promotion": 2, "head_sha": "landed",
					"landed_at": longAgo, "state": "delivered", "built": 1}),
			}},
			{"its commit merged a promotion", columns{"sha": "merged"}, []besides{
				one("promotions", running.with(columns{"number": 3, "stage": "s3"})),
				one("attempts", columns{"pipeline": 1, "promotion": 3, "repo": "a/b", "pull": 5, "state": "proposed", "built": 1}),
				one("pulls", columns{"repo": "a/b", "number": 5, "state": "merged", "merge_sha": "merged"}),
			}},
		},
	},
	"suites: check suites": {
		at: "recorded_at", id: numbered("id"), old: columns{"repo": "a/b"},
		needed: []needed{{"a check run of it is kept", columns{"id": 77},
			[]besides{one("signals", columns{"repo": "a/b", "id": 1, "suite": 77, "recorded_at": edge})}}},
	},
	"digests: digests of the reports on a commit": {at: "read_at", id: named("sha"), old: columns{"repo": "a/b"}},
	"branch_rules: rules of the branches with stages' files": {
		at: "read_at", id: named("branch"), old: columns{"repo": "a/b"},
	},
	"pulls: pull requests of promotions that were merged or closed": {
		at: "updated_at", id: numbered("number"), old: columns{"repo": "a/b", "state": "closed"},
		also: []columns{{"updated_at": nil}, {"updated_at": nil, "state": "merged", "merge_sha": "m", "merged_at": longAgo}},
		beside: []besides{
			one("promotions", running),
			one("attempts", columns{"pipeline": 1, "promotion": 1, "repo": "a/b", "pull": 77, "state": "proposed", "built": 1}),
		},
		needed: []needed{
			{"it is open", columns{"state": "open"}, nil},
			{"its promotion is open", columns{"number": 77}, nil},
		},
	},
	"label_requests: labels on pull requests that are no freight yet": {
		at: "asked_at", id: named("label"), old: columns{},
	},
	"images: images that were pushed for a commit": {at: "recorded_at", id: named("built_of"), old: columns{}},
	"requests: commands that were answered": {
		at: "answered_at", id: numbered("id"), old: columns{"pipeline": 1},
		needed: []needed{
			{"it is not answered", columns{"answered_at": nil}, nil},
			{"the answer is not written", columns{"id": 77}, []besides{
				one("effects", columns{"pipeline": 1, "key": "reply/77", "state": "due", "run_at": longAgo}),
			}},
		},
	},
	"effects: that were done, given up or withdrawn": {
		at: "done_at", id: named("key"), old: columns{"pipeline": 1, "state": "done"},
		also: []columns{{"state": "void", "done_at": nil, "decided_at": longAgo}, {"state": "failed"}},
		needed: []needed{
			{"it is due", columns{"state": "due", "done_at": nil, "decided_at": longAgo, "run_at": longAgo}, nil},
			{"its promotion is open", columns{"promotion": 1}, []besides{one("promotions", running)}},
			{"what its promotion brought is hosted", columns{"promotion": 2}, []besides{
				one("promotions", over.with(columns{"number": 2})), one("deployments", hosted.with(columns{"promotion": 2})),
			}},
		},
	},
	"approvals: sign-offs and admissions that are over": {
		at: "revoked_at", id: numbered("id"), old: columns{"pipeline": 1, "kind": "admit"},
		also:   []columns{{"kind": "sign-off", "revoked_at": nil, "expires_at": longAgo}},
		needed: []needed{{"it stands", columns{"revoked_at": nil}, nil}},
	},
	"rejects: that were taken back": {
		at: "lifted_at", id: numbered("id"), old: columns{"pipeline": 1},
		needed: []needed{{"it stands", columns{"lifted_at": nil}, nil}},
	},
	"holds: that were lifted": {
		at: "lifted_at", id: numbered("id"), old: columns{"pipeline": 1},
		needed: []needed{{"it stands", columns{"lifted_at": nil}, nil}},
	},
	"views: check runs, comments and labels that show freight": {
		at: "not_before", id: named("surface"), old: shown.with(columns{"freight": "00001"}),
		beside: []besides{{"freight", many(1, newerFreight+3, func(n int64) columns {
			return columns{"pipeline": 1, "id": fmt.Sprintf("%05d", n), "name": n, "warehouse": "w", "merged_at": n}
		})}},
		needed: []needed{
			{"it does not show yet what it should", columns{"wanted": "b"}, nil},
			{"a stage hosts the freight", columns{"freight": "00002"},
				[]besides{one("deployments", hosted.with(columns{"freight": "00002"}))}},
			{"a stage promotes the freight", columns{"freight": "00003"}, []besides{
				one("promotions", running.with(columns{"freight": "00003"})),
			}},
			{"the freight is new", columns{"freight": "00004"}, nil},
		},
	},
	"views: deployments, messages, comments, texts and check runs that show a promotion": {
		at: "not_before", id: named("surface"), old: shown.with(columns{"promotion": 1, "kind": "deployment"}),
		beside: []besides{{"promotions", many(1, maxEnded+3, func(n int64) columns {
			return over.with(columns{"number": n, "place": n})
		})}},
		needed: []needed{
			{"it does not show yet what it should", columns{"wanted": "b"}, nil},
			{"what the promotion brought is hosted", columns{"promotion": 2},
				[]besides{one("deployments", hosted.with(columns{"promotion": 2}))}},
			{"the promotion is open", columns{"promotion": 99},
				[]besides{one("promotions", running.with(columns{"number": 99}))}},
			{"the promotion is among the latest", columns{"promotion": 4}, nil},
		},
	},
	"views: other check runs: of pipeline files, and of guarded pull requests": {
		at: "not_before", id: named("surface"), old: shown.with(columns{"stage": "s1"}),
		beside: []besides{{"views", many(1, newerChecks, func(n int64) columns {
			return shown.with(columns{"stage": "s1", "surface": fmt.Sprint("new", n), "not_before": edge + n})
		})}},
		needed: []needed{
			{"it does not show yet what it should", columns{"wanted": "b"}, nil},
			{"it is new in its stage", columns{"stage": "s2"}, nil},
		},
	},
	"views: answers to jobs that wait before an environment": {
		at: "not_before", id: named("surface"), old: shown.with(columns{"kind": "barrier"}),
		needed: []needed{{"it does not show yet what it should", columns{"wanted": "b"}, nil}},
	},
}

// TestRowsAreKeptUntilTheyAreOldAndNotNeeded stores rows of each kind: one just too old, one just young enough, and old
// ones that an open row needs. Other tests cover the audit trail.
func TestRowsAreKeptUntilTheyAreOldAndNotNeeded(t *testing.T) {
	for i := range table {
		k := &table[i]
		if k.gone == "" {
			continue
		}
		rows, known := limitedRows[k.name()]
		require.True(t, known, "nothing shows when rows go: %s", k.name())
		t.Run(k.name(), func(t *testing.T) { rows.prove(t, k) })
	}
	for name := range limitedRows {
		there := slices.ContainsFunc(table, func(k Kept) bool { return k.name() == name && k.gone != "" })
		require.True(t, there, "there is no %s", name)
	}
}

func (l limited) prove(t *testing.T, k *Kept) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, err := Open(t.Context(), "sqlite://"+path, Collecting(Options{Clock: func() time.Time { return horizon }}))
	require.NoError(t, err)
	defer s.Close()
	db := &writer{t, path, map[string]columns{}}
	for _, b := range l.beside {
		db.insert(b)
	}
	var n int64 = 10
	var deployments []any
	add := func(deployment bool, changes ...columns) {
		n++
		row := l.id(n).with(l.old)
		for _, c := range changes {
			row = row.with(c)
		}
		db.insert(one(k.Table, row))
		if deployment {
			deployments = append(deployments, row[k.key[len(k.key)-1]])
		}
	}
	before := db.keys(k)
	add(false, columns{l.at: edge - 1})
	add(true, columns{l.at: edge})
	for _, c := range l.also {
		add(false, columns{l.at: longAgo}, c)
	}
	for _, c := range l.needed {
		for _, b := range c.beside {
			db.insert(b)
		}
		add(true, columns{l.at: longAgo}, c.row)
	}
	h := Horizon{}
	require.Zero(t, prune(t, s, h, k), "without a horizon nothing goes")
	h = Horizon{Deliveries: horizon, Signals: horizon, Jobs: horizon, Facts: horizon}
	require.EqualValues(t, 1+len(l.also), prune(t, s, h, k))
	require.ElementsMatch(t, texts(append(before, deployments...)), texts(db.keys(k)))
	require.Zero(t, prune(t, s, h, k), "what stays stays")
}

// texts converts values to text so that numbers of all types compare equal.
func texts(all []any) (some []string) {
	for _, v := range all {
		some = append(some, fmt.Sprint(v))
	}
	return some
}

// prune deletes rows of one kind, a few at a time, and returns their number.
func prune(t *testing.T, s *Store, h Horizon, k *Kept) (gone int64) {
	if k.Term == ExpiryTerm && h == (Horizon{}) {
		return 0
	}
	i := slices.IndexFunc(table, func(o Kept) bool { return o.name() == k.name() })
	for p := (Pruning{row: i}); p.row == i; {
		from := p
		require.NoError(t, s.Update(context.Background(), func(tx *Tx) (err error) {
			p, err = tx.Upkeep.Prune(h, from, 3)
			return err
		}))
		gone = p.Gone
	}
	return gone
}

// writer writes rows to the database without the store.
type writer struct {
	t     *testing.T
	path  string
	empty map[string]columns // by table, the columns that must not be NULL
}

func (w *writer) open() *sql.DB {
	db, err := sql.Open("sqlite", w.path)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = db.Close() })
	return db
}

// blank returns an empty row of a table.
func (w *writer) blank(db *sql.DB, table string) columns {
	if row, known := w.empty[table]; known {
		return row
	}
	row := columns{}
	rows, err := db.Query(`SELECT name, type FROM pragma_table_info(?) WHERE "notnull" AND dflt_value IS NULL`, table)
	require.NoError(w.t, err)
	defer rows.Close()
	for rows.Next() {
		var name, kind string
		require.NoError(w.t, rows.Scan(&name, &kind))
		row[name] = map[string]any{"TEXT": "", "BYTEA": []byte{}, "BLOB": []byte{}}[kind]
		if row[name] == nil {
			row[name] = 0
		}
	}
	require.NoError(w.t, rows.Err())
	w.empty[table] = row
	return row
}

func (w *writer) insert(b besides) {
	db := w.open()
	defer db.Close()
	for _, row := range b.rows {
		row = w.blank(db, b.table).with(row)
		names := slices.Sorted(maps.Keys(row))
		var args []any
		for _, name := range names {
			args = append(args, row[name])
		}
		_, err := db.Exec(`INSERT INTO `+b.table+` (`+strings.Join(names, ", ")+`) VALUES (`+
			strings.Repeat("?, ", len(names)-1)+`?)`, args...)
		require.NoError(w.t, err, "%s: %v", b.table, row)
	}
}

// keys returns the last column of the keys of a table.
func (w *writer) keys(k *Kept) (all []any) {
	db := w.open()
	defer db.Close()
	rows, err := db.Query(`SELECT ` + k.key[len(k.key)-1] + ` FROM ` + k.Table)
	require.NoError(w.t, err)
	defer rows.Close()
	for rows.Next() {
		var key any
		require.NoError(w.t, rows.Scan(&key))
		all = append(all, key)
	}
	require.NoError(w.t, rows.Err())
	return all
}

// TestAStepOfRemovalReadsAFewRows reads SQLite's plan of each statement that deletes old rows: the statement lists the
// keys of some rows in order, and finds by an index the rows that they depend on.
func TestAStepOfRemovalReadsAFewRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, err := Open(t.Context(), "sqlite://"+path, Collecting(Options{}))
	require.NoError(t, err)
	defer s.Close()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	for i := range table {
		k := &table[i]
		if k.gone == "" {
			continue
		}
		var args []any
		for range k.key {
			args = append(args, 0)
		}
		query, _ := k.removing(args, 200, horizon)
		steps := planOf(t, db, query)
		var equal []string
		for _, column := range k.key {
			equal = append(equal, column+"=?")
		}
		whole := regexp.QuoteMeta(strings.Join(equal, " AND "))
		byKey := regexp.MustCompile(`^SEARCH ` + k.Table + ` USING .*(INDEX \w+ \(` + whole + `\)|PRIMARY KEY \(rowid=\?\))`)
		require.Regexp(t, byKey, steps[0], query)
		for _, step := range steps[1:] {
			if step != "SCAN p USING INDEX promotions_active" { // at most one active promotion of each stage, once a statement
				require.NotRegexp(t, `^SCAN|TEMP B-TREE FOR ORDER BY`, step, "%s\n\nin %s", step, query)
			}
		}
		list := regexp.MustCompile(`^SEARCH ` + k.Table + ` USING .*(INDEX \w+ \(.*>|PRIMARY KEY \(rowid>)`)
		require.True(t, slices.ContainsFunc(steps, list.MatchString), "%s\n\n%s", steps, query)
	}
}
