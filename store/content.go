package store

import (
	"cmp"
	"context"
	"time"

	"waybill/promotion"
)

// ContentPace is how many pull requests and comments an installation makes at most.
type ContentPace struct {
	PerMinute int // 18 if zero
	PerHour   int // 140 if zero
}

// contentReserve is how many more there may be if they are urgent: rollbacks, and the ends of promotions.
var contentReserve = ContentPace{PerMinute: 2, PerHour: 10}

// words is how many of them may be words: a third is left to promotions, whatever people ask and whatever shows.
func (p ContentPace) words() ContentPace {
	return ContentPace{PerMinute: max(p.PerMinute*2/3, 1), PerHour: max(p.PerHour*2/3, 1)}
}

func (p ContentPace) withDefaults() ContentPace {
	return ContentPace{PerMinute: cmp.Or(p.PerMinute, 18), PerHour: cmp.Or(p.PerHour, 140)}
}

// makingLasts is how long making content may take at most. One whose end is not known counts from then on.
const makingLasts = time.Minute

// TakeContent counts a piece of content that an installation is about to make, under the lease of the context. It may
// not be made yet if there is no room for it, or others wait for that: then wait is for how long, as far as is known.
func (s *Store) TakeContent(ctx context.Context, installation int64) (wait time.Duration, err error) {
	account := accountOf(installation)
	l, leased := ctx.Value(leaseKey{}).(Lease)
	token := l.token
	if !leased {
		token = s.newToken()
	}
	err = s.Update(ctx, func(tx *Tx) error {
		wait, err = tx.takeContent(account, token)
		return err
	})
	return wait, wrap("count content", err)
}

func (tx *Tx) takeContent(account, token string) (wait time.Duration, err error) {
	var counted, view, waiting bool
	var rank int
	var open, urgent, words time.Time
	_, err = tx.one([]any{&counted, &view, &rank, at(&open), at(&urgent), at(&words), &waiting}, `SELECT
		EXISTS (SELECT 1 FROM content WHERE token = $1), EXISTS (SELECT 1 FROM views WHERE token = $1),
		COALESCE((SELECT rank FROM effects WHERE token = $1 LIMIT 1), $3),
		(SELECT open_at FROM content_limits WHERE account = $2), (SELECT urgent_at FROM content_limits WHERE account = $2),
		(SELECT words_at FROM content_limits WHERE account = $2),
		EXISTS (SELECT 1 FROM effects b WHERE b.content = $2
			AND b.rank <= COALESCE((SELECT rank FROM effects WHERE token = $1 LIMIT 1), $3) AND `+awaits(`$4`)+`)
		OR NOT EXISTS (SELECT 1 FROM effects WHERE token = $1)
			AND EXISTS (SELECT 1 FROM views WHERE content = $2 AND run_at <= $4 AND token = '')`,
		token, account, rankOfViews, micros(tx.Now))
	if err != nil || counted { // when its work was claimed
		return 0, err
	}
	said := view || rank == rankWords
	switch {
	case said:
		open = words
	case rank == rankUrgent:
		open = urgent
	}
	if waiting || open.After(tx.Now) {
		return max(open.Sub(tx.Now), time.Second), nil
	}
	return 0, tx.countContent(account, token, said)
}

// countContent counts a piece of content.
func (tx *Tx) countContent(account, token string, words bool) error {
	_, err := tx.exec(`INSERT INTO content (token, account, made_at, words) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, token, account, micros(tx.Now.Add(makingLasts)), words)
	if err == nil {
		err = tx.limitContent(account)
	}
	return err
}

// limitContent finds when an account may make more content.
func (tx *Tx) limitContent(account string) error {
	p := tx.store.content
	urgent, open, words, err := tx.roomForContent(account, ContentPace{
		PerMinute: p.PerMinute + contentReserve.PerMinute, PerHour: p.PerHour + contentReserve.PerHour,
	}, p, p.words())
	if err != nil {
		return err
	}
	words = promotion.Later(words, open)
	_, err = tx.exec(`INSERT INTO content_limits (account, open_at, urgent_at, words_at, shut_at)
		VALUES ($1, $2, $3, $4, 0) ON CONFLICT (account) DO UPDATE SET
			open_at = CASE WHEN content_limits.shut_at > $2 THEN content_limits.shut_at ELSE $2 END,
			urgent_at = CASE WHEN content_limits.shut_at > $3 THEN content_limits.shut_at ELSE $3 END,
			words_at = CASE WHEN content_limits.shut_at > $4 THEN content_limits.shut_at ELSE $4 END`,
		account, micros(open), micros(urgent), micros(words))
	return err
}

// roomForContent returns when an account may make more content that is urgent, that is not, and that is words: whenever
// it does, no more than the pace of each is made in any minute and in any hour before.
func (tx *Tx) roomForContent(account string, urgent, usual, words ContentPace) (
	urgentAt, open, wordsAt time.Time, err error,
) {
	var made [6]time.Time // when the last piece was made that fills a minute, and an hour
	last := func(kind, parameter string) string {
		return `(SELECT made_at FROM content WHERE account = $1` + kind + ` ORDER BY made_at DESC
			LIMIT 1 OFFSET ` + parameter + ` + 0)`
	}
	_, err = tx.one([]any{at(&made[0]), at(&made[1]), at(&made[2]), at(&made[3]), at(&made[4]), at(&made[5])},
		`SELECT `+last(``, `$2`)+`, `+last(``, `$3`)+`, `+last(``, `$4`)+`, `+last(``, `$5`)+`,
			`+last(` AND words`, `$6`)+`, `+last(` AND words`, `$7`), account, urgent.PerMinute-1, urgent.PerHour-1,
		usual.PerMinute-1, usual.PerHour-1, words.PerMinute-1, words.PerHour-1)
	from := func(minute, hour time.Time) time.Time {
		at := tx.Now
		if !minute.IsZero() {
			at = promotion.Later(at, minute.Add(time.Minute))
		}
		if !hour.IsZero() {
			at = promotion.Later(at, hour.Add(time.Hour))
		}
		return at
	}
	return from(made[0], made[1]), from(made[2], made[3]), from(made[4], made[5]), err
}

// MadeContent notes that content which was counted under the lease of the context has been made, or refused, whoever
// has the work by now. If GitHub wants no more for a while, none is made for as long.
func (s *Store) MadeContent(ctx context.Context, installation int64, shut time.Duration) error {
	l, _ := ctx.Value(leaseKey{}).(Lease)
	account := accountOf(installation)
	return wrap("note that content was made", s.update(context.WithoutCancel(ctx), s.db.Update, func(tx *Tx) error {
		_, err := tx.exec(`UPDATE content SET made_at = $2 WHERE token = $1`, l.token, micros(tx.Now))
		if err == nil && shut > 0 {
			_, err = tx.exec(`UPDATE content_limits SET shut_at = $2 WHERE account = $1`, account, micros(tx.Now.Add(shut)))
		}
		if err == nil { // what was made an hour ago counts no more
			_, err = tx.exec(`DELETE FROM content WHERE account = $1 AND made_at <= $2`, account,
				micros(tx.Now.Add(-time.Hour)))
		}
		if err == nil {
			err = tx.limitContent(account)
		}
		return err
	}))
}

// The places of work that waits to make content.
const (
	rankUrgent = iota // a promotion that goes back, and the end of one
	rankPromotion
	rankWords
	rankOfViews // views have no column for it
)

// isWords reports whether an effect says something.
func isWords(v promotion.Verb) bool { return v == promotion.Tell || v == promotion.Reply }

// rank is the place of an effect among the work that waits to make content.
func (l lanes) rank(e promotion.Effect) int {
	if isWords(e.Verb) {
		return rankWords
	}
	if p := l.promotion(e.Promotion); e.Verb == promotion.Close || p != nil && p.Class == promotion.Rollback {
		return rankUrgent
	}
	return rankPromotion
}

// awaits is the condition of an effect that can be carried out as soon as there is room for its content.
func awaits(now string) string {
	return `b.content <> '' AND b.run_at <= ` + now + ` AND b.token = '' AND NOT ` + withheld(`b`, now) + `
		AND ` + fenceOpens(`b`, now) +
		unlessUnready(`b.pipeline`)
}

// When there is room for the content of an effect, and for that of a view.
func effectOpens(e string) string {
	return `CASE ` + e + `.rank WHEN 0 THEN o.urgent_at WHEN 1 THEN o.open_at ELSE o.words_at END`
}

const viewOpens = `o.words_at`

// mayMake is the condition of rows that do not wait for content, or for which there is room and no effect waits that
// goes before.
func mayMake(opens, before string) string {
	return `(q.content = '' OR EXISTS (SELECT 1 FROM content_limits o WHERE o.account = q.content AND ` + opens + ` <= $1)
		AND NOT EXISTS (SELECT 1 FROM effects b WHERE b.content = q.content
			AND ` + awaits(`$1`) + and(before) + `))`
}
