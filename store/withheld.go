package store

// The statements that count the rows that are due and wait until GitHub may be asked for their account, or content may
// be made, by their purpose. Their parameters are the most rows to look at, and the time.
var (
	withheldEffects = `SELECT CASE q.rank WHEN 0 THEN 'rollback' WHEN 1 THEN 'promotion' ELSE 'answer' END, COUNT(*)
		FROM (SELECT account, content, rank FROM effects WHERE run_at <= $2 AND token = '' LIMIT $1 + 0) q
		WHERE ` + withheld(`q`, `$2`) + ` OR ` + contentShut(effectOpens(`q`)) + ` GROUP BY q.rank`
	withheldViews = `SELECT 'view', COUNT(*)
		FROM (SELECT account, content FROM views WHERE run_at <= $2 AND token = '' LIMIT $1 + 0) q
		WHERE ` + gate(`q.account`, `$2`, `TRUE`) + ` OR ` + contentShut(viewOpens)
	withheldResyncs = `SELECT 'resync', COUNT(*)
		FROM (SELECT account, pipeline FROM clocks WHERE name = 'resync' AND run_at <= $2 AND token = '' LIMIT $1 + 0) q
		WHERE ` + gate(`q.account`, `$2`, `(NOT scarce OR NOT `+isUnready(`q.pipeline`)+`)`)
)

// contentShut is the condition of rows that wait for content, and for which it opens later.
func contentShut(opens string) string {
	return `EXISTS (SELECT 1 FROM content_limits o WHERE o.account = q.content AND ` + opens + ` > $2)`
}
