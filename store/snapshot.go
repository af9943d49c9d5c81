package store

import (
	"fmt"
	"slices"
	"time"

	"waybill/promotion"
)

// How much of the past a decision looks at.
const (
	maxFreight  = 1000 // the newest freight of each warehouse that has had no promotion into the stage yet
	maxEnded    = 20   // the latest promotions that have ended
	maxPast     = 20   // the latest stays that have ended
	maxRequests = 100  // what more is asked at a time is answered in later decisions
)

// Basis is the ground of a decision: a snapshot of a stage, and the version of the stage that the snapshot saw.
type Basis struct {
	Key StageKey
	*promotion.Snapshot

	version, decided int64
	wake             time.Time
}

// Snapshot returns everything that a decision about one stage looks at, of the pipeline file p. A stage that p does not
// have was removed from it. Freight that is asked about by id is part of the snapshot, too.
func (lg Ledger) Snapshot(p *promotion.Pipeline, key StageKey, about ...promotion.FreightID) (*promotion.Snapshot, error) {
	b, err := lg.Basis(p, key, about...)
	return b.Snapshot, err
}

// Basis returns a snapshot as Snapshot does, for a decision that Apply writes in a later transaction.
func (lg Ledger) Basis(p *promotion.Pipeline, key StageKey, about ...promotion.FreightID) (Basis, error) {
	if p == nil {
		p = &promotion.Pipeline{}
	}
	b := Basis{Key: key, Snapshot: &promotion.Snapshot{Pipeline: p, Stage: p.Stage(key.Stage)}}
	g := gathering{tx: lg.tx, key: key, meant: about, Basis: &b}
	if g.Stage == nil {
		g.Stage, g.Removed = &promotion.Stage{Name: key.Stage, Index: -1}, true
	}
	for _, gather := range []func() error{
		g.row, g.numbers, g.promotions, g.requests, g.stays, g.holds, g.approvals,
		g.freight, g.records, g.attempts, g.pulls, g.evidence, g.files, g.readiness,
	} {
		if err := gather(); err != nil {
			return Basis{}, fmt.Errorf("take a snapshot of stage %s: %w", key.Stage, err)
		}
	}
	return b, nil
}

// gathering is a snapshot in the making. Its methods read one kind of thing each, in the order in which they need each
// other.
type gathering struct {
	*Basis
	tx  *Tx
	key StageKey

	meant []promotion.FreightID                          // freight that requests mean
	since map[promotion.WarehouseName]*promotion.Freight // the oldest of the freight that has had no promotion here
}

func (g *gathering) row() error {
	found, err := g.tx.one([]any{&g.version, &g.decided, at(&g.wake)},
		`SELECT version, decided, wake_at FROM stages WHERE pipeline = $1 AND name = $2`, g.key.Pipeline, g.key.Stage)
	if err == nil && !found {
		err = ErrUnknownStage
	}
	return err
}

// numbers reads what new promotions, holds and approvals are to be called.
func (g *gathering) numbers() error {
	_, err := g.tx.one([]any{&g.Next, &g.NextID, &g.NextPlace}, `SELECT p.promotions + 1, p.ids + 1, s.places + 1
		FROM pipelines p JOIN stages s ON s.pipeline = p.id WHERE p.id = $1 AND s.name = $2`, g.key.Pipeline, g.key.Stage)
	return err
}

// promotions reads the open ones, the latest that have ended, and those that open ones name as their cause.
func (g *gathering) promotions() (err error) {
	g.Promotions, err = list(g.tx, promotionDest, `SELECT `+promotionColumns+` FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NULL
		UNION SELECT `+promotionColumns+` FROM (SELECT * FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NOT NULL ORDER BY place DESC LIMIT $3 + 0) AS latest
		UNION SELECT `+promotionColumns+` FROM promotions
			WHERE pipeline = $1 AND number IN (SELECT cause FROM promotions WHERE pipeline = $1 AND stage = $2 AND ended_at IS NULL)
		ORDER BY place`, g.key.Pipeline, g.key.Stage, maxEnded)
	return err
}

// stays reads those that last, the latest that have ended, and all of freight that somebody means.
func (g *gathering) stays() (err error) {
	g.Stays, err = list(g.tx, stayDest, `SELECT `+stayColumns+` FROM stays
			WHERE pipeline = $1 AND stage = $2 AND left_at IS NULL
		UNION SELECT `+stayColumns+` FROM (SELECT * FROM stays
			WHERE pipeline = $1 AND stage = $2 AND left_at IS NOT NULL ORDER BY entered_at DESC, promotion DESC LIMIT $3 + 0) AS latest
		ORDER BY entered_at, promotion`, g.key.Pipeline, g.key.Stage, maxPast)
	if err != nil {
		return err
	}
	for _, id := range g.meant {
		more, err := g.tx.Ledger.staysOf(g.key, id)
		if err != nil {
			return err
		}
		g.Stays = mergeStays(g.Stays, more)
	}
	return nil
}

// files reads what the files of the stage say, as far as it hosts something that they could differ from.
func (g *gathering) files() (err error) {
	if slices.ContainsFunc(g.Stays, func(s promotion.Stay) bool { return !s.Ended() }) {
		g.Readings, err = g.tx.Facts.readings(g.key)
	}
	return err
}

// readiness reads what is known of what the targets of the stage must show, if they must show something.
func (g *gathering) readiness() (err error) {
	if slices.ContainsFunc(g.Stage.Targets, func(t promotion.Target) bool { return len(t.Ready) > 0 }) {
		g.Readiness, err = g.tx.Facts.readiness(g.key)
	}
	return err
}

func (g *gathering) holds() (err error) {
	g.Holds, err = g.tx.Ledger.Holds(g.key.Pipeline)
	return err
}

// approvals reads those that stand. An admission that has expired is there until a decision has said so.
func (g *gathering) approvals() (err error) {
	g.Approvals, err = list(g.tx, approvalDest, `SELECT `+approvalColumns+` FROM approvals WHERE pipeline = $1 AND stage = $2
		AND revoked_at IS NULL AND (kind = 'admit' OR expires_at IS NULL OR expires_at > $3) ORDER BY id`,
		g.key.Pipeline, g.key.Stage, micros(g.tx.Now))
	return err
}

// attempts reads those of the promotions that have not ended, and of the latest that have: people want to see their pull
// requests.
func (g *gathering) attempts() (err error) {
	g.Attempts, err = g.tx.Ledger.attempts(`a.pipeline = $1 AND (a.promotion IN (SELECT number FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NULL)
		OR a.promotion IN (SELECT number FROM (SELECT number FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NOT NULL ORDER BY place DESC LIMIT $3 + 0) AS latest))
		ORDER BY a.promotion`, g.key.Pipeline, g.key.Stage, maxEnded)
	return err
}

func (g *gathering) pulls() (err error) {
	g.Pulls, err = list(g.tx, pullDest, `SELECT `+pullColumns+` FROM pulls WHERE (repo, number) IN (
			SELECT a.repo, a.pull FROM promotions o JOIN attempts a ON a.pipeline = o.pipeline AND a.promotion = o.number AND a.pull <> 0
			WHERE o.pipeline = $1 AND o.stage = $2 AND o.ended_at IS NULL)
		ORDER BY number`, g.key.Pipeline, g.key.Stage)
	return err
}

// requests reads what has not been answered, and the freight that is meant by it.
func (g *gathering) requests() (err error) {
	g.Requests, err = list(g.tx, requestDest, `SELECT `+requestColumns+` FROM requests
		WHERE pipeline = $1 AND stage = $2 AND answered_at IS NULL ORDER BY id LIMIT $3 + 0`, g.key.Pipeline, g.key.Stage, maxRequests)
	if err != nil {
		return err
	}
	for _, r := range g.Requests {
		ids, err := g.tx.Ledger.FreightMeant(g.key.Pipeline, r)
		if err != nil {
			return err
		}
		g.meant = append(g.meant, ids...)
	}
	return nil
}
