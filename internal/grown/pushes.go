package grown

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Pushes are pushes to a branch that change no file of a stage. Each has check runs in a suite, which no stage waits
// for.
type Pushes struct {
	Count    int
	Checks   int       // on each head: ci-0, ci-1 and so on
	Known    int       // the heads are called m(Known+1), m(Known+2) and so on
	From     string    // the head before them; empty: m(Known)
	To       string    // the last of them; empty: m(Known+Count)
	Runs     int64     // a number below the ids of the check runs and of their suites
	Since    time.Time // the time of the first push; one more follows each minute
	Recorded time.Time // when the check runs and suites arrived
}

// Write writes the pushes into a database that no process has open, in which no pull request is open and no check was
// cancelled.
func (p Pushes) Write(tb testing.TB, path string) {
	tb.Helper()
	if p.Count == 0 {
		return
	}
	p.From, p.To = cmp.Or(p.From, fmt.Sprint("m", p.Known)), cmp.Or(p.To, fmt.Sprint("m", p.Known+p.Count))
	k := openBulk(tb, path, "$N", fmt.Sprint(p.Count), "$C", fmt.Sprint(p.Checks), "$K", fmt.Sprint(p.Known),
		"$F", text(p.From), "$L", text(p.To), "$I", fmt.Sprint(p.Runs), "$T", fmt.Sprint(p.Since.UnixMicro()),
		"$A", fmt.Sprint(p.Recorded.UnixMicro()))
	require.Zero(tb, k.number(`SELECT COUNT(*) FROM pulls WHERE state = 'open'`), "open pull requests")
	require.Zero(tb, k.number(`SELECT COUNT(*) FROM pushes WHERE before_sha IN ($F, $L) OR after_sha = $L`),
		"pushes on top of %s", p.From)
	for _, statement := range pushedRows {
		k.run(statement)
	}
	if p.Checks > 0 {
		for _, statement := range checkedRows {
			k.run(statement)
		}
	}
	k.close()
}

// pushedRows write the rows that the store writes for pushes. The table tip is the end of the chain that they follow.
var pushedRows = []string{
	`CREATE TEMP TABLE tip AS SELECT chain, position, (SELECT n FROM counters WHERE name = 'push') AS seq
		FROM (SELECT chain, position, 1 AS known FROM pushes WHERE repo = $H AND branch = $B AND after_sha = $F
			UNION ALL SELECT COALESCE(MAX(chain), 0) + 1, 0, 0 FROM pushes WHERE repo = $H AND branch = $B)
		ORDER BY known DESC LIMIT 1`,
	`CREATE TEMP TABLE heads AS ` + upTo(`$N`) + `SELECT i, $T + i * 60000000 AS at,
		CASE i WHEN 0 THEN $F ELSE 'm' || ($K + i) END AS since,
		CASE i + 1 WHEN $N THEN $L ELSE 'm' || ($K + i + 1) END AS sha FROM n`,
	`INSERT INTO pushes (repo, branch, chain, position, before_sha, after_sha, seq, pushed_at, paths)
		SELECT $H, $B, chain, position + i + 1, since, sha, seq + i + 1, at, '["other.yaml"]' FROM heads, tip`,
	`UPDATE counters SET n = n + $N WHERE name = 'push'`,
	`UPDATE readings SET commit_sha = $L WHERE repo = $H AND branch = $B AND commit_sha = $F`,
	`UPDATE stages SET version = version + 1, not_before = 0 WHERE (pipeline, name) IN (SELECT pipeline, stage
		FROM ways WHERE repo = $H AND branch = $B AND commit_sha = $F AND chain = 0)`,
	`UPDATE ways SET chain = (SELECT chain FROM tip), first = (SELECT position FROM tip)
		WHERE repo = $H AND branch = $B AND commit_sha = $F AND chain = 0`,
}

// checkedRows write the check runs on the heads.
var checkedRows = []string{
	`INSERT INTO suites (repo, id, sha, app, branch, completed, conclusion, recorded_at)
		SELECT $H, $I + i * $C + 1, sha, 'github-actions', $B, TRUE, 'success', $A FROM heads`,
	upTo(`$C`) + `INSERT INTO signals (repo, kind, id, sha, app, suite, name, state, url, started_at, ended_at,
			observed_at, recorded_at)
		SELECT $H, 'check', $I + heads.i * $C + n.i + 1, sha, 'github-actions', $I + heads.i * $C + 1, 'ci-' || n.i,
		'success', 'https://github.test/run', at, at, at, $A FROM heads, n`,
}
