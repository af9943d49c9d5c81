package store

import (
	"fmt"
	"strings"
	"time"
)

// Horizon says from when on things are kept that nobody needs any more. A zero time keeps them for ever.
type Horizon struct {
	Deliveries time.Time // webhooks that have been handled
	Signals    time.Time // signals and suites that judge nothing
	Facts      time.Time // what was told of commits, pull requests and people that nothing depends on, and what was done about it
	Audit      time.Time // the audit trail: of each chain only the beginning goes
}

// Pruning is how far somebody who forgets has come. The zero value begins; one that was lost is begun again.
type Pruning struct {
	table int   // which of heaps, and behind them the audit trail
	after []any // the key of the last row that was looked at; nil: none
	Gone  int64 // how many rows went so far
	Done  bool
}

// SignalsKept is how long signals are kept that judge nothing. What they judge may become known later: a push whose
// webhook was lost is delivered again within three days.
const SignalsKept = 72 * time.Hour

// heap is a table of which rows are forgotten. Its rows are looked at a few at a time in the order of their key, so that
// those that are old and stay do not have to be looked at again and again.
type heap struct {
	table string
	key   []string
	gone  string                  // which rows go: $1 is the horizon
	since func(Horizon) time.Time // the horizon
}

func sinceDeliveries(h Horizon) time.Time { return h.Deliveries }

func sinceSignals(h Horizon) time.Time { return h.Signals }

func sinceFacts(h Horizon) time.Time { return h.Facts }

// shownLately is how many check runs of a stage are kept track of, whatever their age: one that is forgotten would be
// made a second time if something happened to its freight.
const shownLately = 200

// lag is pushLag as the database counts.
var lag = fmt.Sprint(pushLag.Microseconds())

// heaps are cleared in this order: a suite goes when no signal of it is left. Promotions, stays and freight are the
// history that decisions and people read, and stay for ever; so do the deliveries that somebody has to look at. Ways and
// evidence go with what they judge. Of pushes those stay that lead along a way, and those that one may begin with.
var heaps = []heap{
	{"deliveries", []string{"id"}, `state = 'handled' AND handled_at < $1`, sinceDeliveries},
	{"pushes", []string{"repo", "branch", "chain", "position"}, `pushed_at < $1
		AND EXISTS (SELECT 1 FROM pushes n WHERE n.repo = pushes.repo AND n.branch = pushes.branch AND n.pushed_at > pushes.pushed_at)
		AND NOT EXISTS (SELECT 1 FROM ways w WHERE w.repo = pushes.repo AND w.branch = pushes.branch AND w.chain = pushes.chain
			AND w.first <= pushes.position AND (w.last = ` + fmt.Sprint(int64(open)) + ` OR pushes.position <= w.last + 1))
		AND NOT EXISTS (SELECT 1 FROM stage_branches l JOIN promotions p ON p.pipeline = l.pipeline AND p.stage = l.stage
			WHERE l.repo = pushes.repo AND l.branch = pushes.branch AND p.ended_at IS NULL AND p.queued_at <= pushes.pushed_at + ` + lag + `)`, sinceFacts},
	{"signals", []string{"repo", "kind", "id"}, `recorded_at < $1
		AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.repo = signals.repo AND e.kind = signals.kind AND e.id = signals.id)
		AND NOT EXISTS (SELECT 1 FROM promotions p JOIN attempts a ON a.pipeline = p.pipeline AND a.promotion = p.number
			LEFT JOIN pulls m ON m.repo = signals.repo AND m.number = a.pull
			WHERE p.ended_at IS NULL AND signals.sha IN (a.plan_base, m.merge_sha))`, sinceSignals},
	{"suites", []string{"repo", "id"}, `recorded_at < $1
		AND NOT EXISTS (SELECT 1 FROM signals s WHERE s.repo = suites.repo AND s.suite = suites.id AND s.suite <> 0)`, sinceSignals},
	{"glances", []string{"repo", "sha"}, `glanced_at < $1`, sinceFacts},
	{"pulls", []string{"repo", "number"}, `state <> 'open' AND updated_at < $1
		AND NOT EXISTS (SELECT 1 FROM attempts a JOIN promotions p ON p.pipeline = a.pipeline AND p.number = a.promotion
			WHERE a.pull = pulls.number AND a.pull <> 0 AND p.ended_at IS NULL)`, sinceFacts},
	{"wishes", []string{"repo", "number", "label"}, `asked_at < $1`, sinceFacts},
	{"images", []string{"image", "built_of"}, `recorded_at < $1`, sinceFacts}, // freight that was there, or came meanwhile, has them
	{"requests", []string{"pipeline", "id"}, `answered_at < $1
		AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.run_at IS NOT NULL AND e.pipeline = requests.pipeline AND e.request = requests.id)`, sinceFacts},
	{"effects", []string{"pipeline", "key"}, `state IN ('done', 'failed', 'void') AND COALESCE(done_at, decided_at) < $1
		AND NOT EXISTS (SELECT 1 FROM promotions p WHERE p.pipeline = effects.pipeline AND p.number = effects.promotion AND p.ended_at IS NULL)
		AND NOT EXISTS (SELECT 1 FROM stays y WHERE y.pipeline = effects.pipeline AND y.promotion = effects.promotion AND y.left_at IS NULL)`, sinceFacts},
	{"approvals", []string{"pipeline", "id"}, `(revoked_at < $1 OR kind = 'sign-off' AND expires_at < $1)`, sinceFacts},
	{"holds", []string{"pipeline", "id"}, `lifted_at < $1`, sinceFacts},
	{"views", []string{"surface"}, `kind = 'check' AND wanted = shown AND run_at IS NULL AND not_before < $1
		AND EXISTS (SELECT 1 FROM views n WHERE n.pipeline = views.pipeline AND n.stage = views.stage AND n.not_before > views.not_before
			ORDER BY n.not_before LIMIT 1 OFFSET ` + fmt.Sprint(shownLately) + `)`, sinceFacts},
}

// Prune looks at the next few rows and forgets those that are older than the horizon and will not be needed again: every
// decision is the same before and after. It returns how far it has come.
func (up Upkeep) Prune(h Horizon, s Pruning, rows int) (Pruning, error) {
	var err error
	switch {
	case s.Done:
	case s.table == len(heaps):
		s, err = up.shortenTrail(h.Audit, s, rows)
	default:
		s, err = up.clear(h, s, rows)
	}
	if err != nil {
		return s, fmt.Errorf("forget what is old: %w", err)
	}
	return s, nil
}

func (up Upkeep) clear(h Horizon, s Pruning, rows int) (Pruning, error) {
	heap := heaps[s.table]
	before := heap.since(h)
	if before.IsZero() {
		return Pruning{table: s.table + 1, Gone: s.Gone}, nil
	}
	last, err := up.keyAfter(heap, s.after, rows)
	if err != nil {
		return s, err
	}
	n, err := up.removeBetween(heap, s.after, last, before)
	if err != nil {
		return s, fmt.Errorf("%s: %w", heap.table, err)
	}
	s.after, s.Gone = last, s.Gone+n
	if last == nil {
		s.table++
	}
	return s, nil
}

// keyAfter returns the key of the row so many rows further on; nil if there are fewer.
func (up Upkeep) keyAfter(h heap, after []any, rows int) ([]any, error) {
	columns := strings.Join(h.key, ", ")
	query := `SELECT ` + columns + ` FROM ` + h.table
	if after != nil {
		query += ` WHERE (` + columns + `) > ` + values(1, len(h.key))
	}
	query += fmt.Sprintf(` ORDER BY %s LIMIT 1 OFFSET $%d + 0`, columns, len(after)+1)
	key := make([]any, len(h.key))
	dest := make([]any, len(h.key))
	for i := range key {
		dest[i] = &key[i]
	}
	found, err := up.tx.one(dest, query, append(after[:len(after):len(after)], rows-1)...)
	if !found {
		return nil, err
	}
	return key, err
}

// removeBetween removes the rows behind one key, up to another and including it, that may go.
func (up Upkeep) removeBetween(h heap, after, last []any, before time.Time) (int64, error) {
	columns := strings.Join(h.key, ", ")
	query, args := `DELETE FROM `+h.table+` WHERE `+h.gone, []any{micros(before)}
	for _, end := range []struct {
		is  string
		key []any
	}{{">", after}, {"<=", last}} {
		if end.key != nil {
			query += ` AND (` + columns + `) ` + end.is + ` ` + values(len(args)+1, len(end.key))
			args = append(args, end.key...)
		}
	}
	return up.tx.exec(query, args...)
}

// values is a row of parameters, of which it is told the first.
func values(first, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", $%d", first+i)
	}
	return "(" + b.String()[2:] + ")"
}
