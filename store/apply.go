package store

import (
	"fmt"
	"reflect"
	"slices"

	"waybill/promotion"
)

// Apply writes a decision on a basis: all of it, or with an error nothing that may stay. ErrConflict says that the
// basis is no longer true: read it again and decide again.
func (lg Ledger) Apply(b Basis, d promotion.Decision) error {
	key, s, lanes := b.Key, b.Snapshot, lanes{before: b.Snapshot, after: d.Promotions}
	replies, err := lg.tx.Requests.repliesTogether(key, d, s.Requests)
	if err != nil {
		return fmt.Errorf("apply the decision about stage %s: %w", key.Stage, err)
	}
	d.Effects = slices.Concat(d.Effects, replies)
	for _, write := range []func() error{
		func() error { return lg.advance(b, d, &lanes.seq) },
		func() error { return lg.moveCounters(key.Pipeline, s, d) },
		func() error { return lg.writePromotions(key.Pipeline, s, d.Promotions) },
		func() error { return lg.writeDeployments(key.Pipeline, d.Deployments) },
		func() error { return lg.tx.evidence.writeWays(b, d.Deployments) },
		func() error { return lg.writeHolds(key.Pipeline, d) },
		func() error { return lg.tx.Requests.markAnswered(key, s.Requests, d.Answered) },
		func() error { return lg.tx.Outbox.oweEffects(key, d.Effects, &lanes) },
		func() error { return lg.tx.Outbox.wantEffects(b, d.Wanted, &lanes) },
		func() error { return lg.writeLog(key.Pipeline, d.Log) },
		func() error { return lg.ripple(key, s, d) },
	} {
		if err := write(); err != nil {
			return fmt.Errorf("apply the decision about stage %s: %w", key.Stage, err)
		}
	}
	return nil
}

// advance moves a stage from the version that a decision saw to the next, which is decided, and notes when the stage
// must be looked at again. Of two decisions on one version, one is lost: its basis is not true any more. A decision
// that changes and wants nothing leaves the version as it is. advance counts the places in the queue of the stage, and
// its effects, and sets seq to the last of these before.
func (lg Ledger) advance(b Basis, d promotion.Decision, seq *int64) error {
	if d.Nothing() && len(d.Wanted) == 0 && b.version == b.decided && b.wake.Equal(d.Wake) {
		return lg.hold(b.Key, `version = $3`, b.version)
	}
	delete(lg.tx.touched, b.Key)
	places := b.NextPlace - 1
	for i := range d.Promotions {
		places = max(places, d.Promotions[i].Place)
	}
	effects := len(d.Effects) + len(d.Wanted)
	found, err := lg.tx.one([]any{seq}, `UPDATE stages SET version = version + 1, decided = version + 1, wake_at = $4,
			places = $5, effects = effects + $6
		WHERE pipeline = $1 AND name = $2 AND version = $3 RETURNING effects`,
		b.Key.Pipeline, b.Key.Stage, b.version, micros(d.Wake), places, effects)
	if err == nil && !found {
		err = ErrConflict
	}
	*seq -= int64(effects)
	return wrap("decide", err)
}

// Lock keeps a stage and the counters of its pipeline as they are until the transaction ends, so that a decision on a
// basis that is read now is not lost.
func (lg Ledger) Lock(key StageKey) error {
	if err := lg.hold(key, `$3 = 0`, 0); err != nil {
		return err
	}
	_, err := lg.tx.one([]any{new(int64)}, `SELECT id FROM pipelines WHERE id = $1`+lg.tx.conn.ForUpdate(), key.Pipeline)
	return wrap("lock the counters of the pipeline", err)
}

// hold locks a stage of which a condition is true, whose parameter is $3.
func (lg Ledger) hold(key StageKey, condition string, arg any) error {
	found, err := lg.tx.one([]any{new(int64)},
		`SELECT version FROM stages WHERE pipeline = $1 AND name = $2 AND `+condition+lg.tx.conn.ForUpdate(),
		key.Pipeline, key.Stage, arg)
	if err == nil && !found {
		err = ErrConflict
	}
	if err != nil {
		return fmt.Errorf("lock stage %s: %w", key.Stage, err)
	}
	return nil
}

// writePromotions writes those that have ended first, so that no index sees two that are never there together.
func (lg Ledger) writePromotions(pipeline int64, s *promotion.Snapshot, promotions []promotion.Promotion) error {
	promotions = slices.Clone(promotions)
	slices.SortStableFunc(promotions, func(a, b promotion.Promotion) int { return order(a) - order(b) })
	for _, p := range promotions {
		if err := lg.tx.Promotions.save(pipeline, s, p, s.Pipeline.FilesOfStep(s.Stage, &p)); err != nil {
			return err
		}
	}
	return nil
}

// order is the order in which the promotions of a decision are written: ends, changes, new ones.
func order(p promotion.Promotion) int {
	switch {
	case p.Version == 0:
		return 2
	case p.State.Ended():
		return 0
	}
	return 1
}

// moveCounters counts the rows of the pipeline that a decision has added: promotions, holds and approvals. ErrConflict
// says that others have been added since the snapshot was taken.
func (lg Ledger) moveCounters(pipeline int64, s *promotion.Snapshot, d promotion.Decision) error {
	seen := added{s.Next - 1, s.NextID - 1}
	now := seen
	for i := range d.Promotions {
		now.number = max(now.number, d.Promotions[i].Number)
	}
	for i := range d.Holds {
		now.id = max(now.id, d.Holds[i].ID)
	}
	for i := range d.Rejects {
		now.id = max(now.id, d.Rejects[i].ID)
	}
	for i := range d.Approvals {
		now.id = max(now.id, d.Approvals[i].ID)
	}
	for _, c := range []struct {
		moves bool
		query string
		args  []any
	}{
		{now.number > seen.number, `UPDATE pipelines SET promotions = $3 WHERE id = $1 AND promotions = $2`,
			[]any{seen.number, now.number}},
		{now.id > seen.id, `UPDATE pipelines SET ids = $3 WHERE id = $1 AND ids = $2`, []any{seen.id, now.id}},
	} {
		if !c.moves {
			continue
		}
		if err := lg.tx.mustChange("count what is new", c.query, append([]any{pipeline}, c.args...)...); err != nil {
			return err
		}
	}
	return nil
}

// added is how far the numbers of promotions and the ids of holds and approvals have been given.
type added struct {
	number promotion.Number
	id     int64
}

// writeDeployments writes those that have ended first, for the same reason.
func (lg Ledger) writeDeployments(pipeline int64, deployments []promotion.Deployment) error {
	for _, ended := range []bool{true, false} {
		for _, s := range deployments {
			if s.Ended() != ended {
				continue
			}
			if err := lg.tx.Deployments.save(pipeline, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeHolds writes holds, approvals and rejects.
func (lg Ledger) writeHolds(pipeline int64, d promotion.Decision) error {
	for _, h := range d.Holds {
		if err := lg.saveHold(pipeline, h); err != nil {
			return err
		}
	}
	for _, a := range d.Approvals {
		if err := lg.saveApproval(pipeline, a); err != nil {
			return err
		}
	}
	for _, r := range d.Rejects {
		if err := lg.saveReject(pipeline, r); err != nil {
			return err
		}
	}
	return nil
}

func (lg Ledger) writeLog(pipeline int64, log []promotion.Entry) error {
	events := make([]Event, len(log))
	for i, e := range log {
		events[i] = eventOf(pipeline, e)
	}
	return lg.tx.Audit.Log(events...)
}

// ripple raises the versions of the stages whose snapshots read rows that have changed here: all of the pipeline read
// holds and rejects, those downstream read the history of the freight here, and of what may still come here.
func (lg Ledger) ripple(key StageKey, s *promotion.Snapshot, d promotion.Decision) error {
	if err := lg.rippleDown(key, s, d); err != nil {
		return err
	}
	for _, deployment := range d.Deployments {
		if !begins(deployment, s) {
			continue
		}
		if err := lg.tx.Readings.outdate(key, &deployment); err != nil {
			return err
		}
		if err := lg.tx.Stages.Touch(key); err != nil { // its commit may have signals that this snapshot did not hold (F5)
			return err
		}
	}
	return nil
}

func (lg Ledger) rippleDown(key StageKey, s *promotion.Snapshot, d promotion.Decision) error {
	if len(d.Holds)+len(d.Rejects) > 0 {
		return lg.tx.Stages.touchAll(key.Pipeline, key.Stage)
	}
	if !slices.ContainsFunc(d.Deployments, func(deployment promotion.Deployment) bool {
		return recordsOther(deployment, s)
	}) && !slices.ContainsFunc(d.Promotions, func(p promotion.Promotion) bool { return withdrawsOther(&p, s) }) {
		return lg.tellWaiting(key, s, d)
	}
	for _, name := range downstreams(s.Pipeline, key.Stage) {
		if err := lg.tx.Stages.Touch(StageKey{key.Pipeline, name}); err != nil {
			return err
		}
	}
	return nil
}

// tellWaiting has the stages downstream decided again where a promotion may wait for freight that is on its way now, or
// does not come any more, because its promotion here has ended without it.
func (lg Ledger) tellWaiting(key StageKey, s *promotion.Snapshot, d promotion.Decision) error {
	if !slices.ContainsFunc(d.Promotions, func(p promotion.Promotion) bool { return bringsOther(&p, s) }) {
		return nil
	}
	for _, name := range downstreams(s.Pipeline, key.Stage) {
		err := lg.tx.Stages.touch(`SELECT pipeline, stage FROM promotions
			WHERE pipeline = $1 AND stage = $2 AND ended_at IS NULL`, key.Pipeline, name)
		if err != nil {
			return err
		}
	}
	return nil
}

// bringsOther reports whether a promotion, as a decision leaves it, brings freight that it did not bring in the
// snapshot, or brings it no more.
func bringsOther(p *promotion.Promotion, s *promotion.Snapshot) bool {
	was := s.Promotion(p.Number)
	return was == nil || p.State.Ended() || was.Early != p.Early
}

// recordsOther reports whether a deployment, as a decision leaves it, makes another record than the one in the
// snapshot.
func recordsOther(deployment promotion.Deployment, s *promotion.Snapshot) bool {
	i := slices.IndexFunc(s.Deployments,
		func(have promotion.Deployment) bool { return have.Promotion == deployment.Promotion })
	if i < 0 {
		return true
	}
	was := &s.Deployments[i]
	return !deployment.Entered.Equal(was.Entered) || !deployment.Left.Equal(was.Left) ||
		deployment.Verdict != was.Verdict || !deployment.Judged.Equal(was.Judged) ||
		!reflect.DeepEqual(deployment.Cause, was.Cause) || !slices.Equal(deployment.Drift.Says, was.Drift.Says) ||
		!deployment.Drift.Righted.Equal(was.Drift.Righted)
}

// withdrawsOther reports whether a promotion, as a decision leaves it, takes back other freight than the one in the
// snapshot, or does so otherwise.
func withdrawsOther(p *promotion.Promotion, s *promotion.Snapshot) bool {
	was := s.Promotion(p.Number)
	if was == nil || !p.Withdraws() {
		return p.Withdraws() || was != nil && was.Withdraws()
	}
	return !was.Withdraws() || was.Merged.IsZero() != p.Merged.IsZero()
}

// begins reports whether a deployment is not in the snapshot, or has come to further targets since.
func begins(deployment promotion.Deployment, s *promotion.Snapshot) bool {
	return !slices.ContainsFunc(s.Deployments, func(have promotion.Deployment) bool {
		return have.Promotion == deployment.Promotion && len(have.Results) == len(deployment.Results)
	})
}

// downstreams returns the stages that take freight after a stage, directly or through pass-through stages.
func downstreams(p *promotion.Pipeline, stage promotion.StageName) []promotion.StageName {
	var found []promotion.StageName
	for _, s := range p.Stages {
		if s.Name == stage || slices.Contains(found, s.Name) || !after(s, stage) {
			continue
		}
		found = append(found, s.Name)
		if s.Delivery == promotion.DeliveryNone {
			found = append(found, downstreams(p, s.Name)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// after reports whether a gate of s names a stage.
func after(s *promotion.Stage, stage promotion.StageName) bool {
	return slices.ContainsFunc(s.From, func(source promotion.Source) bool {
		return source.After != nil && slices.ContainsFunc(source.After.Of,
			func(up *promotion.Stage) bool { return up.Name == stage })
	})
}
