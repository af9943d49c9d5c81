package store

import "time"

// Backlog returns how much there is to do right now: deliveries, undecided stages, effects, views, resyncs, clocks and the
// sweep for missed deliveries, those that are being done included; and when something else becomes due, the zero time if
// nothing will by itself.
func (up Upkeep) Backlog() (n int64, next time.Time, err error) {
	const due = `
		SELECT CASE WHEN holder <> '' THEN $1 ELSE run_at END AS run_at FROM deliveries WHERE state = 'waiting'
		UNION ALL SELECT CASE WHEN state = 'doing' THEN $1 ELSE run_at END FROM effects WHERE state IN ('due', 'doing')
		UNION ALL SELECT CASE WHEN holder <> '' THEN $1 ELSE run_at END FROM views WHERE wanted <> shown
		UNION ALL SELECT CASE WHEN not_before > $1 THEN not_before WHEN version > decided THEN $1 ELSE wake_at END FROM stages WHERE version > decided OR wake_at IS NOT NULL
		UNION ALL SELECT CASE WHEN run_at < ask_at THEN ask_at ELSE run_at END FROM missed, sweep
		UNION ALL SELECT due FROM sweep
		UNION ALL SELECT CASE WHEN resync_holder <> '' THEN $1 ELSE resync_due END FROM pipelines
		UNION ALL SELECT CASE WHEN holder <> '' THEN $1 ELSE due_at END FROM clocks`
	found, err := up.tx.one([]any{&n, at(&next)}, `SELECT COUNT(CASE WHEN run_at <= $1 THEN 1 END), MIN(CASE WHEN run_at > $1 THEN run_at END)
		FROM (`+due+`) AS waiting`, micros(up.tx.Now))
	return n, next, orNotFound(found, err, "count the backlog")
}
