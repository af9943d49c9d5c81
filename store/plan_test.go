package store

import (
	"cmp"
	"database/sql"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// reads runs the queries of the server's normal work.
func reads(tx *Tx, p *promotion.Pipeline, key StageKey) []error {
	fact := func(_ bool, err error) error { return err }
	sha, repo := promotion.SHA("m"), promotion.Repo("h/h")
	errs := []error{
		fact(tx.Signals.Record(promotion.Signal{Repo: repo, Kind: promotion.KindCheck, ID: 1, SHA: sha, Ended: tx.Now})),
		fact(tx.Signals.RecordSuite(promotion.Suite{Repo: repo, ID: 1, SHA: sha, Completed: true})),
		fact(tx.Branches.RecordPush(promotion.Push{Repo: repo, Branch: "main", Before: sha, After: "b", At: tx.Now})),
		fact(tx.Signals.Record(promotion.Signal{Repo: repo, Kind: promotion.KindCheck, ID: 2, SHA: "b", Name: "x"})),
		fact(tx.Branches.RecordPush(promotion.Push{Repo: repo, Branch: "main", Before: "b", After: "c", At: tx.Now})),
		fact(tx.Pulls.Record(promotion.Pull{
			Repo: repo, Number: 1, State: promotion.PullOpen, HeadSHA: sha, Base: "main",
		})),
		tx.Pulls.BumpAt(repo, sha),
		tx.Pulls.BumpInto(repo, "main"),
	}
	_, err := tx.Ledger.Snapshot(p, key)
	errs = append(errs, err)
	_, _, e1 := tx.Outbox.ClaimEffect(Claim{})
	_, _, e2 := tx.Views.ClaimView(Claim{})
	_, _, e3 := tx.Inbox.ClaimDelivery(Claim{})
	_, _, e4 := tx.Stages.NextUndecided(key, false)
	_, e5 := tx.Pipelines.Outlook(1)
	_, e12 := tx.Promotions.Active(1)
	_, e6 := tx.Outbox.EffectsOf(key.Pipeline, 1)
	_, _, e7 := tx.Inbox.ClaimMissed(Claim{}, 1)
	_, e9 := tx.Inbox.DeliveriesBefore(DeliveryParked, 0, 1)
	_, e8 := tx.Inbox.MissedBefore(tx.Now)
	_, e13 := tx.Inbox.ClaimNext(&Delivery{Source: "github", Repo: "r"}, 2, Claim{})
	_, e11 := tx.Views.ClaimMore(&View{Surface: "s", Lease: Lease{token: "t"}}, Claim{})
	_, e10 := tx.Inbox.RecordMissed(Missed{GUID: "g", First: tx.Now, RunAt: tx.Now})
	var p1 Pruning
	for e := error(nil); e == nil && !p1.Done; {
		p1, e = tx.Upkeep.Prune(Horizon{Deliveries: tx.Now, Facts: tx.Now, Audit: tx.Now}, p1, 1)
		errs = append(errs, e)
	}
	return append(append(errs, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13), looks(tx, key)...)
}

// looks runs the queries behind the API.
func looks(tx *Tx, key StageKey) []error {
	_, e1 := tx.Promotions.Latest(key, 0, 10)
	_, e2 := tx.Promotions.Latest(StageKey{Pipeline: key.Pipeline}, 5, 10)
	_, e3 := tx.Freight.Before(key.Pipeline, "w", FreightPlace{Merged: 1}, 10)
	_, e4 := tx.Freight.Newest(key.Pipeline, "w", 10)
	_, e5 := tx.Deployments.Of(key.Pipeline, "f")
	_, e6 := tx.Audit.Events(key.Pipeline, 1, 10)
	_, e7 := tx.Audit.Events(ServerChain, 1, 10)
	_, e8 := tx.Audit.LastEvent(key.Pipeline)
	_, e9 := tx.Pipelines.After("h/a", 10)
	e10 := tx.Audit.Log(Event{Pipeline: key.Pipeline, Kind: EventAlert})
	c, e11 := tx.Audit.Chain(key.Pipeline)
	_, e12 := tx.Audit.Trail(c, 1, 10)
	_, e13 := tx.Audit.NoteChains(10)
	_, _, e14 := tx.Promotions.Passages(key.Pipeline, tx.Now)
	_, e15 := tx.Ledger.HoldsSince(key.Pipeline, tx.Now)
	return []error{e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15}
}

// growing matches scans of tables that grow with every pull request.
var growing = regexp.MustCompile(
	`^SCAN (deliveries|missed|freight|promotions|attempts|deployments|signals|suites|pushes|pulls|` +
		`approvals|requests|effects|events|views|[a-z])\b`,
)

// endless matches the indexes that begin with all promotions a pipeline or a stage ever had.
var endless = regexp.MustCompile(`USING (COVERING )?INDEX promotions_(pipeline|stage) \(`)

// whole matches searches through all rows of a pipeline in a table that grows with its promotions.
var whole = regexp.MustCompile(
	`INDEX sqlite_autoindex_(promotions|attempts|steps|deployments|freight|effects|approvals|requests)_1 \(pipeline=\?\)`,
)

// few matches the indexes that contain only open rows.
var few = regexp.MustCompile(
	`USING (COVERING )?INDEX ((deliveries|effects|missed|views)_(queue|leased|stage|line|lane)|promotions_open)`,
)

// ofCommit matches a condition on a commit, with the alias of its table if it has one.
var ofCommit = regexp.MustCompile(`(?:\b([a-z])\.)?\b(?:before_|after_)?sha (?:=|IN \(SELECT) `)

// withoutCommit returns a step that searches for a commit along all heads of a branch, or all runs in a repository,
// instead of using the index of commits; "" if every step uses it. SQLite chooses such a step if the statement also
// names a chain, a position or an id, or orders by it, because it does not know how many rows there are.
func withoutCommit(query string, steps []string) string {
	for _, found := range ofCommit.FindAllStringSubmatch(query, -1) {
		table := cmp.Or(found[1], "(pushes|signals)")
		for _, step := range steps {
			if regexp.MustCompile(`^SEARCH `+table+` `).MatchString(step) && !strings.Contains(step, "sha=?") {
				return step
			}
		}
	}
	return ""
}

func TestNoStatementReadsATableThatGrowsFromEndToEnd(t *testing.T) {
	var all statements
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, err := Open(t.Context(), "sqlite://"+path, Collecting(Options{}, &all))
	require.NoError(t, err)
	defer s.Close()
	dev := promotion.OnePlace(&promotion.Stage{
		Name: "dev", From: []promotion.Source{{Warehouse: "w"}}, Delivery: promotion.DeliveryPullRequest,
	}, promotion.Target{
		Changes: []promotion.Change{{Path: "x"}}, Verify: []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "x"}},
	})
	prod := promotion.OnePlace(&promotion.Stage{
		Name: "prod", Index: 1,
		From:     []promotion.Source{{Warehouse: "w", After: &promotion.Gate{Of: []*promotion.Stage{dev}, Need: 1}}},
		Delivery: promotion.DeliveryPullRequest,
	}, promotion.Target{
		Changes: dev.Targets[0].Changes, Verify: []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "y"}},
	})
	p := &promotion.Pipeline{Home: "h/h", Branch: "main", Stages: []*promotion.Stage{dev, prod}}
	require.NoError(t, s.Update(t.Context(), func(tx *Tx) error {
		require.NoError(t, tx.Pipelines.Save(PipelineRow{ID: 1, Repo: "h/h", Branch: "main"}, p))
		for i, key := range []StageKey{{1, "dev"}, {1, "prod"}} {
			f := promotion.NewFreight(&promotion.Warehouse{Name: "w", Repo: "r/r"}, i, promotion.SHA(key.Stage), tx.Now)
			_, err := tx.Freight.Record(1, f)
			require.NoError(t, err)
			snapshot, err := tx.Ledger.Basis(p, key)
			require.NoError(t, err)
			require.NoError(t, tx.Ledger.Apply(snapshot, promotion.Decision{
				Promotions: []promotion.Promotion{{
					Number: snapshot.Next, Stage: key.Stage, Freight: promotion.FreightRef{Warehouse: "w", ID: f.ID},
					Class: promotion.Manual, State: promotion.Verifying, Queued: tx.Now, Merged: tx.Now, MergeSHA: "m",
				}},
				Deployments: []promotion.Deployment{{
					Promotion: snapshot.Next, Stage: key.Stage, Warehouse: "w", Freight: f.ID, Entered: tx.Now, Commit: "m",
					Results: []promotion.TargetResult{{Step: 1, Commit: "m"}},
				}},
				Wanted: []promotion.Effect{{Verb: promotion.Merge, Stage: key.Stage, Promotion: snapshot.Next}},
			}))
			for _, err := range reads(tx, p, key) {
				require.NoError(t, err)
			}
		}
		return nil
	}))
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	for query := range all.all {
		if aFew.MatchString(query) {
			continue // a deletion's first step has no key to begin at; TestAStepOfRemovalReadsAFewRows checks the others
		}
		for _, step := range planOf(t, db, query) {
			require.False(t, growing.MatchString(step) && !few.MatchString(step), "%s\n\nin %s", step, query)
			assert.NotRegexp(t, whole, step, query)
			require.False(t, endless.MatchString(step) && !strings.Contains(query, "number > 0"), "%s\n\nin %s", step, query)
		}
	}
}

func TestCommitsAreLookedUpByTheirIndex(t *testing.T) {
	t.Parallel() // wait for the tests of the package that run the statements
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, err := Open(t.Context(), "sqlite://"+path, Options{})
	require.NoError(t, err)
	defer s.Close()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	for query := range everything.all {
		if ofCommit.MatchString(query) {
			assert.Empty(t, withoutCommit(query, planOf(t, db, query)),
				"write chain + 0, position + 0 or id + 0 in %s", query)
		}
	}
}

// planned matches the statements that search for rows.
var planned = regexp.MustCompile(`^(SELECT|UPDATE|DELETE|WITH)`)

// aFew matches the statements that read the next few rows in the order of their key.
var aFew = regexp.MustCompile(`(?s)LIMIT 1 OFFSET \$|^DELETE.* LIMIT \$`)

// planOf returns the steps of SQLite's plan for a statement.
func planOf(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	if !planned.MatchString(query) {
		return nil // a statement that runs once at the start may be slow
	}
	args := make([]any, 40) // as many as the longest statement has
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	require.NoError(t, err)
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &step))
		steps = append(steps, step)
	}
	require.NoError(t, rows.Err())
	return steps
}
