package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waybill/promotion"
)

// EffectState is the state of an effect.
type EffectState string

const (
	// EffectDue is to be carried out.
	EffectDue EffectState = "due"
	// EffectDoing has been claimed. When its lease is over it may be claimed again, and is then looked up first.
	EffectDoing EffectState = "doing"
	// EffectDone has happened.
	EffectDone EffectState = "done"
	// EffectFailed has been given up.
	EffectFailed EffectState = "failed"
	// EffectVoid was no longer wanted before it began. It is due again when it is wanted again.
	EffectVoid EffectState = "void"
)

// Effect is something to be done on the outside, as the outbox keeps it.
type Effect struct {
	promotion.Effect
	Pipeline int64
	Lease    Lease // of one that was claimed
	State    EffectState
	Attempts int // how often it has been claimed; with more than one it may have happened already
	RunAt    time.Time
	Result   string
	Error    string // of the last attempt that failed
	Decided  time.Time
	Tried    time.Time // when it was last claimed
	Done     time.Time // when it was done or given up
	// Rejection says that GitHub refuses the effect at the moment; zero if it does not. It is tried again at RunAt.
	Rejection promotion.Rejection
	// Withdrawn says of one that was claimed that it is no longer wanted. It may have happened: its last worker died.
	Withdrawn bool
	content   string // the account for whose content it has waited; '': it has not
}

const effectColumns = `pipeline, stage, promotion, step, verb, round, freight, outcome, reason, request, surface,
	CASE token WHEN '' THEN state ELSE 'doing' END, attempts, run_at, result, error, decided_at, tried_at, done_at,
	refusal, refused_at, given_up_at, state = 'void', content`

func (e *Effect) dest() []any {
	return []any{
		&e.Pipeline, &e.Stage, &e.Promotion, &e.Step, &e.Verb, &e.Round, &e.Freight, &e.Outcome, because(&e.Reason),
		&e.Request, &e.Surface, &e.State, &e.Attempts, at(&e.RunAt), &e.Result, &e.Error, at(&e.Decided), at(&e.Tried),
		at(&e.Done), &e.Rejection.Words, at(&e.Rejection.Since), at(&e.Rejection.Until), &e.Withdrawn, &e.content,
	}
}

// rejected reports whether GitHub refuses the effect at the moment.
func (e *Effect) rejected() bool { return !e.Rejection.Since.IsZero() }

// EffectsOf returns the effects of a promotion of a pipeline with their results, in the order of decision.
func (ob Outbox) EffectsOf(pipeline int64, n promotion.Number) ([]Effect, error) {
	all, err := list(ob.tx, (*Effect).dest, `SELECT `+effectColumns+` FROM effects
		WHERE pipeline = $1 AND promotion = $2 ORDER BY seq`, pipeline, n)
	if err != nil {
		return nil, fmt.Errorf("list the effects of promotion %d: %w", n, err)
	}
	return all, nil
}

// oweEffects adds effects that happen even if a later decision differs. One that is there already happens once.
func (ob Outbox) oweEffects(key StageKey, effects []promotion.Effect, l *lanes) error {
	for _, e := range effects {
		if err := ob.addEffect(key, e, l, `DO NOTHING`); err != nil {
			return err
		}
	}
	return nil
}

// wantEffects makes the effects of a stage that have not begun, and are not owed, be exactly those that are wanted. One
// that is fenced is withdrawn even while it is being tried: its worker looks before it begins.
func (ob Outbox) wantEffects(b Basis, wanted []promotion.Effect, l *lanes) error {
	key := b.Key
	var due []dueEffect
	if b.wants {
		var err error
		due, err = list(ob.tx, (*dueEffect).dest, `SELECT key, state = 'void' FROM effects
			WHERE pipeline = $1 AND stage = $2 AND run_at IS NOT NULL AND (token = '' OR fenced) AND NOT owed`,
			key.Pipeline, key.Stage)
		if err != nil {
			return fmt.Errorf("list what is due: %w", err)
		}
	}
	for _, d := range due {
		if !slices.ContainsFunc(wanted, func(e promotion.Effect) bool { return e.Key() == d.key }) {
			if _, err := ob.tx.exec(`UPDATE effects SET state = 'void', run_at = CASE token WHEN '' THEN NULL ELSE run_at END
				WHERE pipeline = $1 AND key = $2 AND (token = '' OR fenced)`, key.Pipeline, d.key); err != nil {
				return fmt.Errorf("withdraw %s: %w", d.key, err)
			}
		}
	}
	for _, e := range wanted {
		if slices.Contains(due, dueEffect{key: e.Key()}) {
			continue
		}
		err := ob.addEffect(key, e, l, `(pipeline, key) DO UPDATE SET state = 'due', run_at = $15, seq = $5,
			refusal = '', refused_at = NULL, given_up_at = NULL, account = EXCLUDED.account, repo = EXCLUDED.repo
			WHERE effects.state = 'void'`)
		if err != nil {
			return err
		}
	}
	return nil
}

// dueEffect is an effect that waits for a worker, or has one, and may be withdrawn.
type dueEffect struct {
	key       promotion.EffectKey
	withdrawn bool
}

func (d *dueEffect) dest() []any { return []any{&d.key, &d.withdrawn} }

// Withdrawn reports whether an effect that is being tried is no longer wanted, and must not begin.
func (ob Outbox) Withdrawn(e *Effect) (is bool, err error) {
	_, err = ob.tx.one([]any{&is}, `SELECT state = 'void' FROM effects WHERE pipeline = $1 AND key = $2`,
		e.Pipeline, e.Key())
	return is, wrap("look whether it is wanted: "+string(e.Key()), err)
}

// addEffect writes an effect; conflict is the clause for one that is there already.
func (ob Outbox) addEffect(key StageKey, e promotion.Effect, l *lanes, conflict string) error {
	elsewhere, account := accountElsewhere(e)
	l.seq++
	_, err := ob.tx.exec(
		`INSERT INTO effects (pipeline, key, stage, promotion, step, seq, verb, round, freight, outcome, reason, request,
				surface, line, lane, fenced, owed, state, account, repo, priority, run_at, attempts, token, leased_until, error,
				result, decided_at, rank)
			SELECT $1, $2, $3, $4, $16, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $17, $19, 'due',
			CASE WHEN $20 THEN CAST(p.installation AS TEXT) ELSE $21 END, p.repo, $18, $15, 0, '', 0, '', '', $15, $22
			FROM pipelines p WHERE p.id = $1
			ON CONFLICT `+conflict,
		key.Pipeline, e.Key(), key.Stage, e.Promotion, l.seq, e.Verb, e.Round, e.Freight, e.Outcome, because(&e.Reason),
		e.Request, e.Surface, lineOf(e), l.of(e), micros(ob.tx.Now), e.Step, e.Verb.Is(promotion.Fenced), l.priorityOf(e),
		e.Verb.Is(promotion.Owed), !elsewhere, account, l.rank(e),
	)
	if err != nil {
		return fmt.Errorf("write down %s: %w", e.Key(), err)
	}
	return nil
}

// accountElsewhere is the account of an effect that asks GitHub nothing: an answer in Slack, or to the API.
func accountElsewhere(e promotion.Effect) (is bool, account string) {
	switch surface, _, _ := strings.Cut(e.Surface, ":"); surface {
	case "slack":
		return true, AccountSlack
	case "api":
		return true, ""
	}
	return false, ""
}

// lineOf names the line of an effect: effects on one promotion's branch and pull request happen in the order of
// decision.
func lineOf(e promotion.Effect) string {
	if !e.Verb.Is(promotion.Ordered) {
		return ""
	}
	return "promotion/" + e.Promotion.String()
}

// lanes knows where the promotions of a stage write to, as they are after a decision, and the order of its effects.
type lanes struct {
	seq    int64 // of the last effect that was written
	before *promotion.Snapshot
	after  []promotion.Promotion // those that have changed
}

// of names the lane of an effect: merges and commits into one branch go one at a time.
func (l lanes) of(e promotion.Effect) string {
	if !e.Verb.Is(promotion.Exclusive) {
		return ""
	}
	into := l.before.Pipeline.FilesOf(l.before.Stage)
	if p := l.promotion(e.Promotion); p != nil {
		into = l.before.Pipeline.FilesOfStep(l.before.Stage, p)
	}
	return "merge:" + into.String()
}

// priorityOf is that of an effect: a person waits for the answer to a command, and a rollback, and the end of a
// promotion, go before what others want of the branch.
func (l lanes) priorityOf(e promotion.Effect) int {
	if e.Verb.Is(promotion.Urgent) || l.rank(e) == rankUrgent {
		return 0
	}
	return 1
}

// promotion returns a promotion as it is after the decision, or nil.
func (l lanes) promotion(n promotion.Number) *promotion.Promotion {
	for _, all := range [][]promotion.Promotion{l.after, l.before.Promotions} {
		for i := range all {
			if all[i].Number == n {
				return &all[i]
			}
		}
	}
	return nil
}
