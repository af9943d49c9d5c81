package torture

import "time"

// perAccount is how many workers of a kind serve an account at a time.
const perAccount = 2

// due finds what is due and could be worked on. Its parameters are the time, the time of leases and perAccount. A row
// whose lease has run out could be, but keeps others of its repository, line or lane waiting until a worker takes it up
// again.
const due = `WITH
	busy AS (
		SELECT 'deliveries' AS queue, account FROM deliveries WHERE leased_until > ?2 AND account <> ''
			GROUP BY account HAVING COUNT(DISTINCT token) >= ?3
		UNION ALL SELECT 'effects', account FROM effects WHERE leased_until > ?2 AND account <> ''
			GROUP BY account HAVING COUNT(DISTINCT token) >= ?3
		UNION ALL SELECT 'views', account FROM views WHERE leased_until > ?2 AND account <> ''
			GROUP BY account HAVING COUNT(DISTINCT token) >= ?3),
	behind AS ( -- effects that wait until others have been carried out
		SELECT e.*, MAX(b.token) AS holder FROM effects e JOIN effects b
			ON b.pipeline = e.pipeline AND b.line = e.line AND b.line <> '' AND b.seq < e.seq AND b.run_at IS NOT NULL
				OR b.lane = e.lane AND b.lane <> '' AND b.token <> '' AND (b.pipeline, b.key) <> (e.pipeline, e.key)
			WHERE e.run_at <= ?1 GROUP BY e.pipeline, e.key),
	kept AS ( -- effects that wait for leases
		SELECT pipeline, stage FROM behind WHERE token = '' AND holder <> ''
		UNION SELECT pipeline, stage FROM effects WHERE run_at <= ?1 AND token = ''
			AND ('effects', account) IN (SELECT queue, account FROM busy))
	SELECT TRIM('delivery ' || id || ' ' || error) FROM deliveries d
		WHERE state = 'waiting' AND run_at <= ?1 AND leased_until <= ?2
		AND ('deliveries', account) NOT IN (SELECT queue, account FROM busy)
		AND NOT EXISTS (SELECT 1 FROM deliveries b WHERE b.account = d.account AND b.repo = d.repo AND b.source = 'github'
			AND b.token <> '' AND b.id <> d.id)
	UNION ALL SELECT 'stage ' || name FROM stages WHERE not_before <= ?1 AND (version > decided OR wake_at <= ?1)
	UNION ALL SELECT TRIM('effect ' || key || ' ' || error) FROM effects WHERE run_at <= ?1 AND leased_until <= ?2
		AND ('effects', account) NOT IN (SELECT queue, account FROM busy)
		AND (pipeline, key) NOT IN (SELECT pipeline, key FROM behind)
	UNION ALL SELECT TRIM('view ' || surface || ' ' || error) FROM views v WHERE run_at <= ?1 AND leased_until <= ?2
		AND ('views', account) NOT IN (SELECT queue, account FROM busy)
		AND (pipeline, stage) NOT IN (SELECT pipeline, stage FROM kept)
		AND NOT EXISTS (SELECT 1 FROM views b WHERE b.lane = v.lane AND b.lane <> '' AND b.token <> ''
			AND b.surface <> v.surface)`

// overlooked names what is due and could be worked on now. What a worker has leased could not, nor could what waits for
// that: in a line or lane, or because its account has as many leases as it may. Of two processes that share a database
// neither knows that the other has died, so that they wait until its leases have run out.
func (w *World) overlooked() []string {
	return w.texts(due, w.programNow().UnixMicro(), time.Now().UnixMicro(), perAccount)
}
