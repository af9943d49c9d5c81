package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/shape"
)

// Database reads the program's database, without any of the program's code.
type Database struct {
	Clock *Clock
	Log   *Journal

	// Neighbour is the account of another installation, whose rows are not part of the history; empty: there is none.
	Neighbour string

	pool     *sql.DB
	conn     *sql.Conn // the only one: what is prepared, a transaction and temporary views belong to a connection
	Dialect  Dialect
	prepared map[string]*sql.Stmt // by query: to compile one takes longer than to run it
	shown    map[stepOf]int       // the first round whose commit was shown
	behind   map[stepOf][]string  // the commits that GitHub refused because they were out of date
	version  int64
	Seen     Records // at the last Refresh
	// Numbered tells which promotions have had the numbers, also those that a lost database knew.
	Numbered map[int64]string
	copied   bool // it is an older copy of itself
	atOnce   bool // a transaction has begun
}

// Ruled reports whether a person has given a verdict in a stage.
func (d *Database) Ruled(stage string) bool {
	return d.Count(`SELECT COUNT(*) FROM requests WHERE stage = ? AND command LIKE '%verdict%'`, stage) > 0
}

// Owes reports whether effects are owed for a stage. Its views are updated after them.
func (d *Database) Owes(stage string) bool {
	return d.Count(`SELECT COUNT(*) FROM effects WHERE stage = ? AND run_at IS NOT NULL`, stage) > 0
}

// awaitsResync reports whether nothing is decided before a resync, or before the first look for missed webhooks after a
// start, which has a time.
func (d *Database) awaitsResync() bool {
	return d.Count(`SELECT COUNT(*) FROM pipelines p JOIN clocks c ON c.name = 'resync' AND c.pipeline = p.id
			AND p.stale_since IS NOT NULL OR c.name = 'sweep' AND p.unswept
		WHERE c.run_at IS NOT NULL`) > 0
}

// HasPull reports whether a pull request is one of a promotion, or of a step of one, in the database.
func (d *Database) HasPull(p githubsim.Pull) bool {
	return d.Count(`SELECT (SELECT COUNT(*) FROM attempts WHERE repo = ?1 AND pull = ?2)
		+ (SELECT COUNT(*) FROM steps WHERE repo = ?1 AND pull = ?2)`, p.Repo, p.Number) > 0
}

// HeldByPeople reports whether a person holds a stage, or the target whose environment a job waits for.
func (d *Database) HeldByPeople(s *shape.Stage, target string) bool {
	return slices.ContainsFunc(append(d.Standing(), d.still(d.Seen.Kept)...), func(o Hold) bool {
		return !o.bot && (o.Stage == "" || o.Stage == s.Name) && (o.Target == "" || !s.Settled || o.Target == target)
	})
}

// PerAccount is the number of workers of one kind that serve an account at a time. At most two serve one repository.
const PerAccount = 3

// due selects the rows that are due and free to be worked on, which those of an account that is shut are not; those of
// a stale pipeline wait for its resync. Its parameters are the time on the program's clock, the real time, which leases
// use, and PerAccount. A row whose lease has expired is free. It keeps other rows of its repository, line or lane
// waiting until a worker takes it again. SQLite would plan it anew whenever it runs if it said leased_until > ?2, which
// the condition of an index resembles.
const due = `WITH
	shut AS (SELECT account FROM gates WHERE until_at > ?1 AND NOT scarce),
	scarce AS (SELECT account FROM gates WHERE until_at > ?1 AND scarce),
	work AS ( -- of all accounts: in which two processes have died, and which is being done
		SELECT EXISTS (SELECT 1 FROM main.deliveries WHERE leased_until + 0 > ?2 AND deaths >= 2)
			OR EXISTS (SELECT 1 FROM main.effects WHERE leased_until + 0 > ?2 AND deaths >= 2)
			OR EXISTS (SELECT 1 FROM main.views WHERE leased_until + 0 > ?2 AND deaths >= 2)
			OR EXISTS (SELECT 1 FROM main.clocks WHERE leased_until + 0 > ?2 AND deaths >= 2)
			OR EXISTS (SELECT 1 FROM main.missed WHERE leased_until + 0 > ?2 AND deaths >= 2) AS suspects),
	leased AS (
		SELECT 'deliveries' AS queue, account, repo, COUNT(DISTINCT token) AS n FROM deliveries WHERE leased_until + 0 > ?2
			GROUP BY account, repo
		UNION ALL SELECT 'effects', account, repo, COUNT(DISTINCT token) FROM effects WHERE leased_until + 0 > ?2
			GROUP BY account, repo
		UNION ALL SELECT 'views', account, repo, COUNT(DISTINCT token) FROM views WHERE leased_until + 0 > ?2
			GROUP BY account, repo),
	busy AS ( -- a repository leaves as many to the others of its account as it has itself
		SELECT l.queue, l.account, r.repo FROM leased l JOIN (
				SELECT account, repo FROM deliveries UNION SELECT account, repo FROM effects UNION SELECT account, repo FROM views
			) r ON r.account = l.account
			GROUP BY l.queue, l.account, r.repo
			HAVING l.account <> '' AND SUM(CASE WHEN l.repo = r.repo AND r.repo <> '' THEN 2 * l.n ELSE l.n END) >= ?3),
	behind AS ( -- effects that wait until others have been carried out
		SELECT e.pipeline, e.key, e.stage, e.token, e.account, e.repo, MAX(b.token) AS holder FROM effects e JOIN effects b
			ON b.pipeline = e.pipeline AND b.line = e.line AND b.line <> '' AND b.seq < e.seq AND b.run_at IS NOT NULL
				OR b.lane = e.lane AND b.lane <> '' AND b.leased_until > 0 AND (b.pipeline, b.key) <> (e.pipeline, e.key)
			WHERE e.run_at <= ?1 GROUP BY e.pipeline, e.key, e.stage, e.token, e.account, e.repo),
	kept AS ( -- effects that wait for leases
		SELECT pipeline, stage FROM behind WHERE token = '' AND holder <> ''
		UNION SELECT pipeline, stage FROM effects WHERE run_at <= ?1 AND token = ''
			AND ('effects', account, repo) IN (SELECT queue, account, repo FROM busy))
	SELECT TRIM('delivery ' || id || ' ' || error) FROM deliveries d
		WHERE state = 'waiting' AND run_at <= ?1 AND leased_until <= ?2
		AND (attempts = 0 OR account NOT IN (SELECT account FROM shut))
		AND (deaths < 2 OR NOT (SELECT suspects FROM work))
		AND ('deliveries', account, repo) NOT IN (SELECT queue, account, repo FROM busy)
		AND NOT EXISTS (SELECT 1 FROM deliveries b WHERE b.account = d.account AND b.repo = d.repo AND b.source = 'github'
			AND b.token <> '' AND b.leased_until + 0 > ?2 AND b.id <> d.id)
	UNION ALL SELECT 'stage ' || name FROM stages WHERE not_before <= ?1 AND (version > decided OR wake_at <= ?1)
		AND (deaths < 2 OR NOT (SELECT suspects FROM work))
		AND pipeline NOT IN (SELECT id FROM pipelines WHERE stale_since IS NOT NULL OR unswept)
	UNION ALL SELECT TRIM('effect ' || key || ' ' || error) FROM effects WHERE run_at <= ?1 AND leased_until <= ?2
		AND account NOT IN (SELECT account FROM shut) AND (rank < 2 OR account NOT IN (SELECT account FROM scarce))
		AND content NOT IN (SELECT account FROM content_limits
			WHERE CASE rank WHEN 0 THEN urgent_at WHEN 1 THEN open_at ELSE words_at END > ?1)
		AND pipeline NOT IN (SELECT id FROM pipelines WHERE stale_since IS NOT NULL OR unswept)
		AND (deaths < 2 OR NOT (SELECT suspects FROM work))
		AND ('effects', account, repo) NOT IN (SELECT queue, account, repo FROM busy)
		AND (pipeline, key) NOT IN (SELECT pipeline, key FROM behind)
	UNION ALL SELECT TRIM('view ' || surface || ' ' || error) FROM views WHERE run_at <= ?1 AND leased_until <= ?2
		AND account NOT IN (SELECT account FROM shut UNION SELECT account FROM scarce)
		AND content NOT IN (SELECT account FROM content_limits WHERE words_at > ?1)
		AND (deaths < 2 OR NOT (SELECT suspects FROM work))
		AND ('views', account, repo) NOT IN (SELECT queue, account, repo FROM busy)
		AND (pipeline, stage) NOT IN (SELECT pipeline, stage FROM kept)`

// Overlooked lists the rows that are due and free to be worked on. Rows that a worker has leased are not free. Neither
// are rows that wait for them in a line or lane, because their account has as many leases as it may, or because they
// are suspect and other suspect work is being done. A process does not notice the death of another that shares its
// database, so the rows of a dead process wait until their leases expire.
func (d *Database) Overlooked() []string {
	return d.Texts(due, d.Clock.Now().UnixMicro(), time.Now().UnixMicro(), PerAccount)
}

// Found returns the files that the program has found, by glob.
func (d *Database) Found() map[string][]string {
	var found struct{ Globs map[string][]string }
	_ = json.Unmarshal([]byte(d.Text(`SELECT found FROM pipelines`)), &found) // empty without a glob
	return found.Globs
}

// Held reports whether a hold stops a promotion. Only holds by people stop a rollback.
func (d *Database) Held(p Promo) bool {
	return slices.ContainsFunc(d.Standing(), func(o Hold) bool { return o.Stops(p) })
}

// Unread reports whether the program has not processed yet what it has been told: a webhook waits, or nothing is
// decided before a resync.
func (d *Database) Unread() bool {
	return d.Count(`SELECT COUNT(*) FROM deliveries WHERE state = 'waiting'`) > 0 || d.awaitsResync()
}

// Occupied says why people had better not change the files of a stage: a promotion is being verified there, the stage
// or one of its targets is held, or it is frozen. It returns "" if nothing of that is so.
func (d *Database) Occupied(s *shape.Stage) string {
	for _, p := range d.Seen.Promotions {
		if p.Stage == s.Name && p.State == "verifying" {
			return fmt.Sprintf("p%d is being verified", p.Number)
		}
	}
	for _, o := range append(d.Standing(), d.still(d.Seen.Kept)...) {
		if (o.Stage == "" || o.Stage == s.Name) && (o.Target == "" || slices.Contains(s.Targets, o.Target)) {
			return fmt.Sprintf("hold %d", o.ID)
		}
	}
	if s.Frozen(d.Clock.Now()) {
		return "it is frozen"
	}
	return ""
}

// Decided reports whether nothing has happened to a stage since the last decision about it.
func (d *Database) Decided(stage string) bool {
	return d.Count(`SELECT COUNT(*) FROM stages WHERE name = ? AND (version > decided OR wake_at <= ?)`, stage,
		d.Clock.Now().UnixMicro()) == 0
}

// OpenRecords opens the database that a URL names, as the program's setting has it, to be read.
func (d *Database) OpenRecords(url string) (err error) {
	if d.Dialect, err = dialectOf(url); err != nil {
		return err
	}
	if d.pool, err = d.Dialect.open(url); err != nil {
		return err
	}
	if d.conn, err = d.pool.Conn(context.Background()); err != nil {
		return err
	}
	return d.leaveOutNeighbour()
}

// query runs a query, which is compiled once for each database.
func (d *Database) query(query string, args ...any) (*sql.Rows, error) {
	one, err := d.prepare(query)
	if err != nil {
		return nil, err
	}
	return one.Query(args...)
}

// AtOnce has do read one state of the database, in a single transaction: to begin one costs as much as a query. On
// PostgreSQL it would cost two, and spare none.
func (d *Database) AtOnce(do func()) {
	if d.atOnce || d.Dialect.schema != "" {
		do()
		return
	}
	d.run("BEGIN")
	d.atOnce = true
	defer func() {
		d.atOnce = false
		d.run("ROLLBACK")
	}()
	do()
}

// run runs a statement without rows.
func (d *Database) run(statement string) {
	one, err := d.prepare(statement)
	if err == nil {
		_, err = one.Exec()
	}
	if err != nil {
		d.Log.Broken(DatabaseCanBeRead, "%s: %v", statement, err)
	}
}

// prepare returns a query as the database has compiled it.
func (d *Database) prepare(query string) (one *sql.Stmt, err error) {
	if one = d.prepared[query]; one != nil {
		return one, nil
	}
	if one, err = d.conn.PrepareContext(context.Background(), d.Dialect.says(query)); err == nil {
		if d.prepared == nil {
			d.prepared = map[string]*sql.Stmt{}
		}
		d.prepared[query] = one
	}
	return one, err
}

// ofPipelines are the tables whose rows belong to pipelines.
var ofPipelines = []string{
	"promotions", "attempts", "approvals", "clocks", "deployments", "effects", "events", "freight", "holds", "requests",
	"stages", "views",
}

// leaveOutNeighbour puts views without the neighbour's rows in the place of the tables.
func (d *Database) leaveOutNeighbour() error {
	if d.Neighbour == "" {
		return nil
	}
	statements := []string{
		`CREATE TEMP VIEW pipelines AS SELECT * FROM main.pipelines WHERE repo = '` + shape.Home + `'`,
		`CREATE TEMP VIEW deliveries AS SELECT * FROM main.deliveries WHERE account <> '` + d.Neighbour + `'`,
	}
	for _, table := range ofPipelines {
		statements = append(statements, fmt.Sprintf(`CREATE TEMP VIEW %[1]s AS SELECT * FROM main.%[1]s
			WHERE pipeline IN (SELECT 0 UNION SELECT id FROM main.pipelines WHERE repo = '%[2]s')`, table, shape.Home))
	}
	for _, statement := range statements {
		if _, err := d.conn.ExecContext(context.Background(), d.Dialect.says(statement)); err != nil {
			return fmt.Errorf("leave out the neighbour: %w", err)
		}
	}
	return nil
}

func (d *Database) CloseRecords() error {
	if d.conn == nil {
		return nil
	}
	d.prepared = nil
	return errors.Join(d.conn.Close(), d.pool.Close())
}

// changed reports whether the program has written anything since the last call.
func (d *Database) changed() bool {
	var version int64
	if err := d.conn.QueryRowContext(context.Background(), d.Dialect.version).Scan(&version); err != nil {
		d.Log.Broken(DatabaseCanBeRead, "%v", err)
	}
	if version == d.version {
		return false
	}
	d.version = version
	return true
}

// Refresh reads the database if the program has written to it. It returns the previous records, and whether there are
// new ones.
func (d *Database) Refresh() (before Records, changed bool) {
	before = d.Seen
	if changed = d.changed(); changed {
		d.Seen = d.load()
		if d.copied {
			before = before.renumbered(d.Seen)
		}
		for number, p := range d.Seen.Promotions {
			if d.Numbered[number] == "" {
				d.Numbered[number] = p.What()
			}
		}
	}
	return before, changed
}

// Reopen opens the database that has taken the place of the one before.
func (d *Database) Reopen(url string) error {
	if err := errors.Join(d.CloseRecords(), d.OpenRecords(url)); err != nil {
		return err
	}
	d.version, d.Seen, d.copied = 0, d.load(), true
	return nil
}

// HasBegun reports whether the database knows a pipeline, and missed webhooks have been looked for. A copy from before
// that is a new database: freight counts from when a pipeline is found.
func (d *Database) HasBegun() bool {
	return d.Count(`SELECT COUNT(*) FROM pipelines, clocks WHERE clocks.name = 'sweep' AND clocks.done_at > 0`) > 0
}

// ForgetLost forgets the numbers that only the lost database knew, and that GitHub does not show. If Waybill took no
// webhook in the lost time either, nothing tells it that the database is a copy, and the numbers come again.
func (d *Database) ForgetLost(shows func(number int64) bool) {
	for number := range d.Numbered {
		if _, still := d.Seen.Promotions[number]; !still && !shows(number) {
			delete(d.Numbered, number)
		}
	}
}

// Unshown reports whether a view of a kind does not yet have its wanted content.
func (d *Database) Unshown(kind string) bool {
	return d.Count(`SELECT COUNT(*) FROM views WHERE kind = ? || '' AND wanted <> shown`, kind) > 0
}

// load reads the current promotions and holds.
func (d *Database) load() Records {
	r := Records{Promotions: map[int64]Promo{}}
	rows, err := d.query(`SELECT number, stage, warehouse, freight, freight_name, class, state, reason, automatic,
		repairs, early, freight_merged_at, freight_number, merged_at, merge_sha, rollout, only_targets, actor, version
		FROM promotions`)
	if err != nil {
		d.Log.Broken(DatabaseCanBeRead, "%v", err)
		return r
	}
	defer rows.Close()
	for rows.Next() {
		var p Promo
		if err := rows.Scan(&p.Number, &p.Stage, &p.Warehouse, &p.Freight, &p.Name, &p.Class, &p.State, &p.Cause,
			&p.Automatic, &p.Repairs, &p.Early,
			&p.freightAt, &p.freightNumber, &p.Merged, &p.MergeSHA, &p.Rollout, &p.Only, &p.By, &p.version); err != nil {
			d.Log.Broken(DatabaseCanBeRead, "%v", err)
		}
		r.Promotions[p.Number] = p
	}
	r.Rounds = d.loadRounds()
	for _, o := range d.loadHolds() {
		if o.Target == "" {
			r.Holds = append(r.Holds, o)
		} else {
			r.Kept = append(r.Kept, o)
		}
	}
	return r
}

// Merging returns the promotions whose merge a worker has claimed.
func (d *Database) Merging() (all []int64) {
	rows, err := d.query(`SELECT promotion FROM effects WHERE verb = 'merge' AND token <> '' ORDER BY promotion`)
	if err != nil {
		d.Log.Broken(DatabaseCanBeRead, "%v", err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			d.Log.Broken(DatabaseCanBeRead, "%v", err)
		}
		all = append(all, n)
	}
	return all
}

func (d *Database) loadRounds() map[int64]Round {
	all := map[int64]Round{}
	rows, err := d.query(`SELECT promotion, step, plan_round, built, late, plan_at,
		(SELECT MIN(e.decided_at) FROM effects e WHERE e.pipeline = a.pipeline AND e.promotion = a.promotion
			AND e.verb = 'plan' AND e.step = a.step AND e.round = a.plan_round),
		repo, base, plan_base, behind FROM attempts a`)
	if err != nil {
		d.Log.Broken(DatabaseCanBeRead, "%v", err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var number int64
		var r Round
		var behind string
		if err := rows.Scan(&number, &r.Step, &r.Plan, &r.Built, &r.Late, &r.At, &r.Asked, &r.Repo, &r.Branch,
			&r.Base, &behind); err != nil {
			d.Log.Broken(DatabaseCanBeRead, "%v", err)
		}
		step := stepOf{number, r.Step}
		if d.shown[step] == 0 {
			d.shown[step] = r.Built
		}
		if behind != "" && !slices.Contains(d.behind[step], behind) {
			d.behind[step] = append(d.behind[step], behind)
		}
		r.First, r.Refused = d.shown[step], len(d.behind[step])
		all[number] = r
	}
	return all
}

// stepOf is a step of a promotion.
type stepOf struct {
	number int64
	step   int
}

func (d *Database) loadHolds() (all []Hold) {
	rows, err := d.query(`SELECT id, stage, actor_id = 0, until_at, target, warehouse FROM holds WHERE lifted_at IS NULL`)
	if err != nil {
		d.Log.Broken(DatabaseCanBeRead, "%v", err)
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var o Hold
		if err := rows.Scan(&o.ID, &o.Stage, &o.bot, &o.until, &o.Target, &o.Warehouse); err != nil {
			d.Log.Broken(DatabaseCanBeRead, "%v", err)
		}
		all = append(all, o)
	}
	return all
}

// Standing returns the holds of whole stages that have not been lifted and have not ended by the program's clock.
func (d *Database) Standing() []Hold { return d.still(d.Seen.Holds) }

// still returns the holds that have not ended by the program's clock.
func (d *Database) still(holds []Hold) []Hold {
	now := d.Clock.Now().UnixMicro()
	return slices.DeleteFunc(slices.Clone(holds), func(o Hold) bool { return o.until.Valid && o.until.Int64 <= now })
}

// Count returns the number that a query selects.
func (d *Database) Count(query string, args ...any) (n int) {
	one, err := d.prepare(query)
	if err == nil {
		err = one.QueryRow(args...).Scan(&n)
	}
	if err != nil {
		d.Log.Broken(DatabaseCanBeRead, "%s: %v", query, err)
	}
	return n
}

// Text returns the first value that a query finds, or "" if it finds none.
func (d *Database) Text(query string, args ...any) string {
	if all := d.Texts(query, args...); len(all) > 0 {
		return all[0]
	}
	return ""
}

// Texts returns the first column of a query.
func (d *Database) Texts(query string, args ...any) []string {
	rows, err := d.query(query, args...)
	if err != nil {
		d.Log.Broken(DatabaseCanBeRead, "%s: %v", query, err)
		return nil
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s any
		if err := rows.Scan(&s); err != nil {
			d.Log.Broken(DatabaseCanBeRead, "%s: %v", query, err)
		}
		all = append(all, fmt.Sprintf("%s", s))
	}
	return all
}
