package invariant

import (
	"fmt"

	"waybill/internal/torture/ledger"
)

// moved selects what people have moved: who, when and what.
const moved = `SELECT actor, queued_at AS at, 'promotion ' || number AS what FROM promotions
	UNION ALL SELECT actor, held_at, 'hold ' || id FROM holds
	UNION ALL SELECT lifted_by, lifted_at, 'end of hold ' || id FROM holds WHERE lifted_at IS NOT NULL
	UNION ALL SELECT actor, given_at, kind || ' ' || id FROM approvals
	UNION ALL SELECT judged_by, judged_at, 'verdict about ' || promotion FROM deployments WHERE judged_at IS NOT NULL
	UNION ALL SELECT actor, given_at, 'reject ' || id FROM rejects
	UNION ALL SELECT lifted_by, lifted_at, 'end of reject ' || id FROM rejects WHERE lifted_at IS NOT NULL`

// questions are the commands that move nothing.
const questions = `'plan', 'status', 'why', 'history', 'where', 'refresh', 'help'`

// movesByRight checks that nobody moves anything without the right: neither the stranger nor eve, who may read, nor the
// one who has left and whose right may not be remembered any more.
func movesByRight(l *ledger.Ledger, _ ledger.Records) string {
	if !l.Shape.Beset {
		return ""
	}
	if wrong := l.DB.Text(`SELECT actor || ': ' || what FROM (`+moved+`) m WHERE actor IN (?, 'eve')`,
		ledger.Stranger); wrong != "" {
		return wrong
	}
	if wrong := l.DB.Text(`SELECT actor || ': ' || command FROM requests WHERE actor = ? AND outcome = 'done'
		AND json_extract(command, '$.verb') NOT IN (`+questions+`)`, ledger.Stranger); wrong != "" {
		return wrong
	}
	since := l.Intruders.Forgotten()
	if since.IsZero() || l.Clock.Stepped() || l.Shape.Behind() || l.Gaps.Hidden || l.Gaps.Forgot {
		return ""
	}
	// What was asked for in time may be decided late.
	return l.DB.Text(`SELECT actor || ': ' || what FROM (`+moved+`) m WHERE actor = ?1 AND at > ?2 AND NOT EXISTS
		(SELECT 1 FROM requests q WHERE q.actor = ?1 AND q.asked_at <= ?2 AND q.answered_at >= m.at)`,
		ledger.Leaver, since.UnixMicro())
}

// obeysAnActOnce checks that a comment's command was recorded once, whoever tells of it again.
func obeysAnActOnce(l *ledger.Ledger, _ ledger.Records) string {
	if !l.Shape.Beset {
		return ""
	}
	if again := l.DB.Text(`SELECT surface || ' ' || command FROM requests WHERE surface LIKE '%#%/%'
		GROUP BY pipeline, surface, command HAVING COUNT(*) > 1`); again != "" {
		return fmt.Sprintf("recorded again: %s", again)
	}
	return ""
}

// sparesContent checks that a stranger is answered with no content, of which promotions need all that there is.
func sparesContent(l *ledger.Ledger, _ ledger.Records) string {
	if !l.Shape.Beset {
		return ""
	}
	return l.DB.Text(`SELECT command || ' by permission ' || permission || ', ' || surface FROM requests
		WHERE actor = ? AND worded_at IS NOT NULL`, ledger.Stranger)
}
