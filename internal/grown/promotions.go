package grown

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// StagesOf is how many stages take each freight of the warehouse api, one after the other: s0, s1 and so on.
const StagesOf = 4

// Rest is the stage that takes from the warehouse web only.
const Rest = "rest"

// Promotions writes the rows of a number of promotions of a pipeline into its database, one a second until now. The
// stages of the pipeline are s0 to s3 and rest. Each has its files where the pipeline is, writes a file with its name,
// such as s0.yaml, and waits for a check with its name, such as smoke-s0. The stages s0 to s3 take from the warehouse
// api; s3 and rest take from web.
//
// First, freight of web is promoted to rest and to s3, where it stays. Then freight of api is promoted to s0, s1, s2
// and s3. Each check reports on the head after the merge, because the push of that head cancels the run on the merge.
// So the deployment in rest is older than as many pushes as there are promotions. The lines of the audit trail have no
// hashes.
func Promotions(tb testing.TB, path string, pipeline int64, promotions int) {
	tb.Helper()
	require.Greater(tb, promotions, StagesOf)
	begin := time.Now().Add(-time.Duration(promotions) * time.Second).UnixMicro()
	k := openBulk(tb, path, "$N", fmt.Sprint(promotions+arrivals), "$T", fmt.Sprint(begin), "$S", fmt.Sprint(StagesOf),
		"$P", fmt.Sprint(pipeline), "$R", text(Rest))
	for _, view := range pastViews {
		k.run(view)
	}
	for _, rows := range pastRows {
		k.run(`INSERT INTO ` + rows.into + ` ` + rows.query)
	}
	k.run(`INSERT INTO chains (pipeline, seq, hash, removed_seq, removed_hash, noted_seq) VALUES ($P, 0, '', 0, '', 0)
		ON CONFLICT DO NOTHING`)
	k.run(`UPDATE chains SET seq = 3 * $N, hash = printf('%064d', 3 * $N) WHERE pipeline = $P`)
	k.run(`UPDATE counters SET n = $N + 1 WHERE name = 'push'`)
	k.run(`UPDATE pipelines SET promotions = $N WHERE id = $P`)
	k.run(`UPDATE stages SET places = (SELECT MAX(place) FROM past WHERE past.stage = stages.name),
		effects = 2 * (SELECT MAX(place) FROM past WHERE past.stage = stages.name) WHERE pipeline = $P`)
	k.close()
}

// arrivals is the number of promotions that bring freight of web.
const arrivals = 2

// pastViews define the sources of the rows. Each row of past is a promotion, i after the first, which merged the commit
// m(i) at the time at. The next push came at the time judged, with the head on which the check reported.
var pastViews = []string{
	`CREATE TEMP VIEW numbered AS ` + upTo(`$N`) + `SELECT i, i + 1 AS number, $T + i * 1000000 AS at,
		CASE WHEN i = 0 THEN $R WHEN i = 1 THEN 's' || ($S - 1) ELSE 's' || ((i - 2) % $S) END AS stage,
		CASE WHEN i < 2 THEN 'web' ELSE 'api' END AS warehouse,
		CASE WHEN i < 2 THEN 1 ELSE (i - 2) / $S + 1 END AS freight_number,
		CASE WHEN i < 2 THEN $T ELSE $T + ((i - 2) / $S * $S + 2) * 1000000 END AS freight_at FROM n`,
	`CREATE TEMP VIEW past AS SELECT *, at + 1000000 AS judged,
		warehouse || freight_number AS freight, warehouse || '#' || freight_number AS freight_name,
		freight_number + CASE WHEN i > 1 AND stage = 's' || ($S - 1) THEN 1 ELSE 0 END AS place,
		printf('m%039d', i) AS merge, printf('m%039d', i + 1) AS later, printf('h%039d', i) AS head,
		'waybill/' || number AS branch, 'https://github.test/pull/' || number AS url,
		CASE WHEN i > 1 AND i + $S < $N THEN at + $S * 1000000 END AS gone FROM numbered`,
}

// pastRows are the rows of each table.
var pastRows = []struct{ into, query string }{
	{`freight (pipeline, id, warehouse, name, merged_at, number, pull, repo, sha, author_id, author, title, contents,
		unread, recorded_at)`,
		`SELECT $P, freight, warehouse, freight_name, freight_at, freight_number, freight_number, 'acme/' || warehouse,
		printf('%040d', freight_number), 5, 'ann', 'A change', '{}', FALSE, freight_at FROM past
		WHERE i = 0 OR i > 1 AND (i - 2) % $S = 0`},
	{`promotions (pipeline, number, stage, place, warehouse, freight, freight_name, freight_merged_at, freight_number,
		class, automatic, state, reason, actor_id, actor, cause, queued_at, started_at, merged_at, ended_at, merge_sha,
		pins, rollout, version)`,
		`SELECT $P, number, stage, place, warehouse, freight, freight_name, freight_at, freight_number,
		'manual', FALSE, 'succeeded', '', 5, 'ann', 0, at, at, at, judged, merge, FALSE,
		'{"batches":[{"name":"","targets":[""],"atOnce":1}],"step":1,"batch":0,"targets":[""]}', 3 FROM past`},
	{`attempts (pipeline, promotion, plan_round, plan_base, plan_at, plan_paths, plan_hash, plan_problem, plan_work,
		prepared_round, prepared_branch, prepared_base, prepared_head, state, built, branch, base_sha, head_sha, pull,
		url, failure, unmergeable, tried, observed_at, repo, base)`,
		`SELECT $P, number, 1, 'b', at, '["' || stage || '.yaml"]', 'x', '', x'', 1, branch, 'b', head, 'proposed', 1, branch,
		'b', head, number, url, '', '', 0, NULL, $H, $B FROM past`},
	{`deployments (pipeline, promotion, stage, warehouse, freight, entered_at, left_at, verdict, judged_at, cause,
		judged_by_id, judged_by, plan, commit_sha, since_at, results)`,
		`SELECT $P, number, stage, warehouse, freight, at, gone, 'passed', judged, '', 0, '', 'x', merge, at,
		'[{"target":"","step":1,"commit":"' || merge || '","since":' || at || ',"verdict":"passed","judged":' || judged
		|| '}]' FROM past`},
	{`effects (pipeline, key, stage, promotion, seq, verb, round, freight, outcome, reason, request, surface, line,
		lane, fenced, owed, state, account, repo, priority, attempts, token, leased_until, result, error, decided_at,
		tried_at, done_at)`,
		`SELECT $P, v.verb || '/' || number || '/1', stage, number, 2 * place - 2 + v.n, v.verb, 1, '', '', '', 0, '',
		'', '', TRUE, FALSE, 'done', '3', $H, 1, 1, '', 0, '', '', at, at, at
		FROM past CROSS JOIN (SELECT 1 AS n, 'open' AS verb UNION ALL SELECT 2, 'merge') AS v`},
	{`pulls (repo, number, head, head_sha, base, state, merge_sha, merged_at, actor_id, actor, url, conflicts, revision,
		updated_at, head_at, head_heard_at)`,
		`SELECT $H, number, branch, head, $B, 'merged', merge, at, 5, 'ann', url, FALSE, 2, at, at, at FROM past`},
	{`pushes (repo, branch, chain, position, before_sha, after_sha, seq, pushed_at, paths)`,
		`SELECT $H, $B, 1, number, printf('m%039d', i - 1), merge, number, at, '["' || stage || '.yaml"]' FROM past
		UNION ALL SELECT $H, $B, 1, $N + 1, printf('m%039d', $N - 1), printf('m%039d', $N), $N + 1, $T + $N * 1000000,
		'["other.yaml"]'`},
	{`suites (repo, id, sha, app, branch, completed, conclusion, recorded_at)`,
		`SELECT $H, number, later, 'github-actions', $B, TRUE, 'success', judged FROM past`},
	{`signals (repo, kind, id, sha, app, suite, name, state, url, started_at, ended_at, observed_at, recorded_at)`,
		`SELECT $H, 'check', number, later, 'github-actions', number, 'smoke-' || stage, 'success',
		'https://github.test/run', judged, judged, judged, judged FROM past`},
	{`ways (id, pipeline, stage, target, repo, branch, commit_sha, chain, first, last, folded, fold_at)`,
		`SELECT number, $P, stage, '', $H, $B, merge, 1, number, COALESCE((SELECT MIN(n.i) FROM numbered AS n
			WHERE n.i > past.i AND n.i < past.i + 2 * $S AND n.stage = past.stage), 9223372036854775807), 'null', 50
		FROM past WHERE gone IS NULL`},
	{`evidence (way, repo, kind, id)`, `SELECT number, $H, 'check', number FROM past WHERE gone IS NULL`},
	{`deliveries (seq, id, source, guid, event, action, repo, installation, state, received_at, account, priority,
		attempts, token, leased_until, handled_at, error, sha256, body)`,
		`SELECT number, 'github:' || i, 'github', i, 'check_run', 'completed', $H, 3, 'handled', at, '3', 1, 1, '', 0,
		at, '', printf('%064d', i), zeroblob(300) FROM past`},
	{`events (pipeline, seq, at, stage, promotion, kind, word, sha, reason, actor_id, actor, source, text, outcome, plan,
		typed, rule, hash)`,
		`SELECT $P, 3 * i + e.n, at, stage, number, 'state', e.word, '', '', 5, 'ann', 'decide', '', '', '', '', '',
		printf('%064d', 3 * i + e.n) FROM past CROSS JOIN (SELECT 1 AS n, 'queued' AS word
			UNION ALL SELECT 2, 'verifying' UNION ALL SELECT 3, 'succeeded') AS e`},
	{`views (surface, pipeline, stage, kind, wanted, shown, remote_id, node, not_before, account, repo,
		priority, attempts, token, leased_until, error)`,
		`SELECT 'check:$P/' || stage || '/' || freight, $P, stage, 'check', 'as it is', 'as it is', i, '', 0, '3',
		$H, 1, 1, '', 0, '' FROM past`},
}
