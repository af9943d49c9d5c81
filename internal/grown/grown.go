// Package grown fills databases as years of work fill them, for benchmarks.
package grown

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// StagesOf is how many stages the freight of a grown database has passed: s0, s1 and so on.
const StagesOf = 4

// Grow writes the rows of so many promotions of a pipeline that has the stages s0 to s3 into its database, which nobody
// has open: with a few statements and without indexes, which are made at the end. The last promotion of each stage is
// still hosted. The audit trail is not chained.
func Grow(b testing.TB, path string, pipeline int64, promotions int) {
	b.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=cache_size(-200000)&_pragma=temp_store(MEMORY)")
	require.NoError(b, err)
	db.SetMaxOpenConns(1)
	run := func(statement string) {
		_, err := db.Exec(statement)
		require.NoError(b, err, statement)
	}
	var indexes []string
	rows, err := db.Query(`SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`)
	require.NoError(b, err)
	var drops []string
	for rows.Next() {
		var name, text string
		require.NoError(b, rows.Scan(&name, &text))
		drops, indexes = append(drops, `DROP INDEX `+name), append(indexes, text)
	}
	require.NoError(b, rows.Close())
	begin := time.Now().Add(-time.Duration(promotions) * time.Second).UnixMicro()
	run(strings.Join(drops, ";"))
	run(`DROP TRIGGER events_are_not_slipped_in`)
	for _, rows := range grownRows {
		query := `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $N) ` + rows.query
		query = strings.NewReplacer("$N", fmt.Sprint(promotions), "$T", fmt.Sprint(begin), "$S", fmt.Sprint(StagesOf), "$P", fmt.Sprint(pipeline)).Replace(query)
		run(`INSERT INTO ` + rows.into + ` ` + query)
	}
	run(fmt.Sprintf(`INSERT INTO chains (pipeline, seq, hash, removed_seq, removed_hash, noted_seq)
			VALUES (%[1]d, 0, '', 0, '', 0);
		UPDATE chains SET seq = %[2]d, hash = printf('%%064d', %[2]d) WHERE pipeline = %[1]d`, pipeline, 3*promotions))
	run(fmt.Sprintf(`UPDATE counters SET n = %d`, promotions))
	run(fmt.Sprintf(`UPDATE pipelines SET promotions = %d WHERE id = %d`, promotions, pipeline))
	run(fmt.Sprintf(`UPDATE stages SET places = %[1]d, effects = 2 * %[1]d WHERE pipeline = %[2]d`, promotions/StagesOf+1, pipeline))
	for _, index := range indexes {
		run(index)
	}
	require.NoError(b, db.Close())
}

// grownRows are the rows of $N promotions of pipeline $P through $S stages, one a second since $T. i numbers the promotion, i / $S its
// freight, and i % $S its stage. All but the last of each stage have left.
var grownRows = []struct{ into, query string }{
	{`freight (pipeline, id, warehouse, name, merged_at, number, pull, repo, sha, author_id, author, title, contents, recorded_at)`,
		`SELECT $P, 'f' || (i / $S), 'api', 'api#' || (i / $S), $T + i * 1000000, i / $S, i / $S, 'acme/api', printf('%040d', i / $S),
		5, 'ann', 'A change', 'null', $T + i * 1000000 FROM n WHERE i % $S = 0`},
	{`promotions (pipeline, number, stage, place, warehouse, freight, freight_name, freight_merged_at, freight_number,
		class, automatic, state, reason, actor_id, actor, cause, queued_at, started_at, merged_at, ended_at, merge_sha, pins, version)`,
		`SELECT $P, i + 1, 's' || (i % $S), i / $S + 1, 'api', 'f' || (i / $S), 'api#' || (i / $S), $T + (i / $S) * $S * 1000000, i / $S,
		'manual', FALSE, 'succeeded', '', 5, 'ann', 0, $T + i * 1000000, $T + i * 1000000, $T + i * 1000000, $T + i * 1000000,
		printf('m%039d', i), FALSE, 3 FROM n`},
	{`attempts (pipeline, promotion, plan_round, plan_base, plan_at, plan_paths, plan_hash, plan_problem, plan_work,
		prepared_round, prepared_branch, prepared_base, prepared_head, state, built, branch, base_sha, head_sha, pull, url, failure,
		unmergeable, tried, observed_at, repo, base)`,
		`SELECT $P, i + 1, 1, 'b', $T + i * 1000000, '["a.yaml"]', 'x', '', x'', 1, 'waybill/' || i, 'b', printf('h%039d', i), 'proposed', 1,
		'waybill/' || i, 'b', printf('h%039d', i), i + 1, 'https://github.test/pull', '', '', 0, NULL, 'acme/deploy', 'main' FROM n`},
	{`stays (pipeline, promotion, stage, warehouse, freight, entered_at, left_at, verdict, judged_at, cause,
		judged_by_id, judged_by, plan, commit_sha, since_at)`,
		`SELECT $P, i + 1, 's' || (i % $S), 'api', 'f' || (i / $S), $T + i * 1000000,
		CASE WHEN i + $S < $N THEN $T + (i + $S) * 1000000 END, 'passed', $T + i * 1000000, '', 0, '', '', printf('m%039d', i), $T + i * 1000000 FROM n`},
	{`effects (pipeline, key, stage, promotion, seq, verb, round, freight, outcome, reason, request, surface, line,
		lane, fenced, owed, state, account, repo, priority, attempts, token, leased_until, result, error, decided_at, tried_at, done_at)`,
		`SELECT $P, v.verb || '/' || (i + 1) || '/1', 's' || (i % $S), i + 1, 2 * (i / $S) + v.n, v.verb, 1, '', '', '', 0, '', '',
		'', TRUE, FALSE, 'done', '3', 'acme/deploy', 1, 1, '', 0, '', '', $T + i * 1000000, $T + i * 1000000, $T + i * 1000000 FROM n CROSS JOIN (SELECT 1 AS n, 'open' AS verb UNION ALL SELECT 2, 'merge') AS v`},
	{`pulls (repo, number, head, head_sha, base, state, merge_sha, merged_at, actor_id, actor, url, conflicts, revision, updated_at)`,
		`SELECT 'acme/deploy', i + 1, 'waybill/' || i, printf('h%039d', i), 'main', 'merged', printf('m%039d', i), $T + i * 1000000, 0, '',
		'https://github.test/pull', FALSE, 1, $T + i * 1000000 FROM n`},
	{`pushes (repo, branch, chain, position, before_sha, after_sha, seq, pushed_at, paths)`,
		`SELECT 'acme/deploy', 'main', 1, i, printf('m%039d', i - 1), printf('m%039d', i), i + 1, $T + i * 1000000, '["a.yaml"]' FROM n`},
	{`suites (repo, id, sha, app, branch, completed, conclusion, recorded_at)`,
		`SELECT 'acme/deploy', i + 1, printf('m%039d', i), 'github-actions', 'main', TRUE, 'success', $T + i * 1000000 FROM n`},
	{`signals (repo, kind, id, sha, app, suite, name, state, url, started_at, ended_at, observed_at, recorded_at)`,
		`SELECT 'acme/deploy', 'check', i + 1, printf('m%039d', i), 'github-actions', i + 1, 'smoke', 'success', 'https://github.test/run',
		$T + i * 1000000, $T + i * 1000000, $T + i * 1000000, $T + i * 1000000 FROM n`},
	{`ways (id, pipeline, stage, target, repo, branch, commit_sha, chain, first, last, folded, fold_at)`,
		`SELECT i + 1, $P, 's' || (i % $S), '', 'acme/deploy', 'main', printf('m%039d', i), 1, i, i, 'null', 100 FROM n WHERE i + $S >= $N`},
	{`evidence (way, repo, kind, id)`,
		`SELECT i + 1, 'acme/deploy', 'check', i + 1 FROM n WHERE i + $S >= $N`},
	{`deliveries (seq, id, source, guid, event, action, repo, installation, state, received_at, account, priority,
		attempts, token, leased_until, handled_at, error, sha256, body)`,
		`SELECT i + 1, 'github:' || i, 'github', i, 'check_run', 'completed', 'acme/deploy', 3, 'handled', $T + i * 1000000,
		'3', 1, 1, '', 0, $T + i * 1000000, '', printf('%064d', i), zeroblob(300) FROM n`},
	{`events (pipeline, seq, at, stage, promotion, kind, word, sha, reason, actor_id, actor, source, text, outcome, plan,
		typed, rule, hash)`,
		`SELECT $P, 3 * i + e.n, $T + i * 1000000, 's' || (i % $S), i + 1, 'state', e.word, '', '', 5, 'ann',
		'decide', '', '', '', '', '', printf('%064d', 3 * i + e.n)
		FROM n CROSS JOIN (SELECT 1 AS n, 'queued' AS word
			UNION ALL SELECT 2, 'verifying' UNION ALL SELECT 3, 'succeeded') AS e`},
	{`views (surface, pipeline, stage, kind, lane, wanted, shown, remote_id, node, not_before, account, repo,
		priority, attempts, token, leased_until, error)`,
		`SELECT 'check:$P/s' || (i % $S) || '/f' || (i / $S), $P, 's' || (i % $S), 'check', '', 'as it is', 'as it is', i, '', 0, '3',
		'acme/deploy', 1, 1, '', 0, '' FROM n`},
}
