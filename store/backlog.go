package store

import (
	"strings"
	"time"
)

// waiting are the tables of the queues, with the columns that say to which queue a row belongs, and the conditions of
// the rows that wait while their account is shut, and while little is left of it. Rows that wait for content wait until
// it opens.
var waiting = []struct{ table, queue, gated, spared, opens string }{
	{"effects", "'effect'", "TRUE", "NOT " + pressing("w"), effectOpens("w")},
	{"deliveries", "'delivery'", "w.attempts > 0", "FALSE", ""},
	{"missed", "'missed'", "TRUE", "TRUE", ""},
	{"clocks", "w.name", "TRUE", "NOT " + isUnready("w.pipeline"), ""},
	{"views", "'view'", "TRUE", "TRUE", viewOpens},
}

// backlog lists when rows that wait are due. Those that are leased are due now, but not those of a process that has
// died: their queue may be paused.
var backlog = func() string {
	all := []string{
		`SELECT CASE WHEN not_before > $1 THEN not_before WHEN version > decided THEN $1 ELSE wake_at END AS due
			FROM stages WHERE (version > decided OR wake_at IS NOT NULL)` + unlessUnready(`stages.pipeline`),
	}
	for _, w := range waiting {
		content, limits, stale := "", "", ""
		if w.opens != "" {
			content = ` WHEN w.run_at < ` + w.opens + ` THEN ` + w.opens
			limits = ` LEFT JOIN content_limits o ON o.account = w.content`
		}
		if w.table == "effects" {
			stale = unlessUnready(`w.pipeline`)
		}
		all = append(all, `SELECT CASE WHEN w.token <> ''
			AND w.leased_until > 0 THEN $1 WHEN w.run_at < u.not_before THEN u.not_before
			WHEN w.run_at < g.until_at AND CASE WHEN g.scarce THEN `+w.spared+` ELSE `+w.gated+` END
				THEN g.until_at`+content+` ELSE w.run_at END
			FROM `+w.table+` w JOIN queues u ON u.name = `+w.queue+` LEFT JOIN gates g ON g.account = w.account`+limits+`
			WHERE w.run_at IS NOT NULL`+stale)
	}
	return `SELECT COUNT(CASE WHEN due <= $1 THEN 1 END), MIN(CASE WHEN due > $1 THEN due END) FROM (
		` + strings.Join(all, `
		UNION ALL `) + `) AS everything`
}()

// Backlog returns how much there is to do right now: stages that are to be decided and the rows of all queues, those
// that are being worked on included; and when something else becomes due, the zero time if nothing will by itself. The
// stages and effects of a stale pipeline wait for its resync.
func (up Upkeep) Backlog() (n int64, next time.Time, err error) {
	found, err := up.tx.one([]any{&n, at(&next)}, backlog, micros(up.tx.Now))
	return n, next, orNotFound(found, err, "count the backlog")
}
