package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

// Delayed returns what the work of a promotion waits for besides its pipeline.
func (ob Outbox) Delayed(pipeline int64, n promotion.Number) (d promotion.Delay, err error) {
	var room, open time.Time
	_, err = ob.tx.one([]any{&d.Content, at(&room), &d.Shut, at(&open)}, `SELECT e.content <> '',
			`+effectOpens(`e`)+`, g.account IS NOT NULL, g.until_at
		FROM effects e LEFT JOIN content_limits o ON o.account = e.content
		LEFT JOIN gates g ON g.account = e.account AND (g.lasting OR g.until_at > $3) AND NOT g.scarce
		WHERE e.pipeline = $1 AND e.promotion = $2 AND e.run_at IS NOT NULL AND e.token = ''
			AND (e.content <> '' OR g.account IS NOT NULL) ORDER BY e.seq LIMIT 1`, pipeline, n, micros(ob.tx.Now))
	if d.Until = room; d.Shut {
		d.Content, d.Until = false, open
	}
	return d, wrap(fmt.Sprintf("read what promotion %d waits for", n), err)
}
