package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// What a doctor asks: each answer costs the same however much there is.

// heardRows bounds how many signals of a kind are read for their names.
const heardRows = 1000

// Schema returns the version of the schema of the database.
func (s *Store) Schema() int64 { return schema().Version }

// LastReceived returns when a delivery came last from a source; zero: none is known.
func (in Inbox) LastReceived(source string) (time.Time, error) {
	t, err := in.tx.oneTime(`SELECT received_at FROM deliveries WHERE source = $1 ORDER BY seq DESC LIMIT 1`, source)
	return t, wrap("read when a delivery came last", err)
}

// StillMissed counts the webhooks that GitHub could not deliver and that are still missing, up to a limit.
func (in Inbox) StillMissed() (n int, err error) {
	_, err = in.tx.one([]any{&n}, `SELECT COUNT(*) FROM (SELECT 1 FROM missed LIMIT $1 + 0) q`, censusRows)
	return n, wrap("count missed deliveries", err)
}

// HeardOf returns the names under which signals of a kind are known in a repository, of the newest of them, each once
// with the App that reported it.
func (sg Signals) HeardOf(repo promotion.Repo, kind promotion.SignalKind) ([]promotion.Signal, error) {
	all, err := list(sg.tx, func(s *promotion.Signal) []any { return []any{&s.Kind, &s.App, &s.Name} },
		`SELECT DISTINCT q.kind, q.app, q.name FROM (SELECT kind, app, name FROM signals
			WHERE repo = $1 AND kind = $2 ORDER BY id DESC LIMIT $3 + 0) q ORDER BY q.name, q.app`, repo, kind, heardRows)
	return all, wrap("list the names of signals", err)
}

// Hosting returns the stages of a pipeline that host freight.
func (ds Deployments) Hosting(pipeline int64) ([]promotion.StageName, error) {
	all, err := list(ds.tx, func(s *promotion.StageName) []any { return []any{s} },
		`SELECT DISTINCT stage FROM deployments WHERE pipeline = $1 AND left_at IS NULL ORDER BY stage`, pipeline)
	return all, wrap("list the stages that host freight", err)
}

// FailingInSlack counts the messages that could not be shown in Slack, up to a limit, and returns why, of one of them.
func (up Upkeep) FailingInSlack() (n int, why string, err error) {
	_, err = up.tx.one([]any{&n, &why}, `SELECT COUNT(*), COALESCE(MAX(q.error), '') FROM (
		SELECT * FROM (SELECT error FROM views WHERE run_at IS NOT NULL AND kind = 'slack' AND error <> ''
			LIMIT $1 + 0) AS failing
		UNION ALL SELECT * FROM (SELECT substr(remote_id, `+fmt.Sprint(len(RefusedBySlack)+1)+`) AS error FROM views
			WHERE account = $2 AND kind = 'slack' AND remote_id LIKE '`+RefusedBySlack+`%' LIMIT $1 + 0) AS refused) q`,
		censusRows, AccountSlack)
	return n, why, wrap("count messages that failed", err)
}
