package store

import (
	"fmt"
	"slices"

	"waybill/promotion"
)

const stayColumns = `promotion, stage, warehouse, freight, entered_at, left_at, verdict, judged_at, cause, judged_by_id, judged_by,
	plan, commit_sha, since_at, wrote, drift, parts, short`

func stayDest(s *promotion.Stay) []any {
	return []any{&s.Promotion, &s.Stage, &s.Warehouse, &s.Freight, at(&s.Entered), at(&s.Left), &s.Verdict, at(&s.Judged),
		because(&s.Cause), &s.JudgedBy.ID, &s.JudgedBy.Login, &s.Plan, &s.Commit, at(&s.Since), asValues(&s.Wrote), driftColumn{&s.Drift},
		partsColumn{&s.Parts}, &s.Short}
}

// Hosted returns the stays that last in a pipeline: what each of its stages hosts now, of each warehouse.
func (tx *Tx) Hosted(pipeline int64) ([]promotion.Stay, error) {
	all, err := list(tx, stayDest, `SELECT `+stayColumns+` FROM stays WHERE pipeline = $1 AND left_at IS NULL ORDER BY stage, warehouse`, pipeline)
	if err != nil {
		return nil, fmt.Errorf("list what is hosted: %w", err)
	}
	return all, nil
}

// StaysOf returns the stays of a freight in the stages of a pipeline, in the order they began.
func (tx *Tx) StaysOf(pipeline int64, id promotion.FreightID) ([]promotion.Stay, error) {
	all, err := list(tx, stayDest, `SELECT `+stayColumns+` FROM stays WHERE pipeline = $1 AND freight = $2 ORDER BY entered_at, promotion`, pipeline, id)
	if err != nil {
		return nil, fmt.Errorf("list the stays of %s: %w", id, err)
	}
	return all, nil
}

// Parts returns what a promotion has brought to which targets; none if it has no rollout, or nothing of it is merged.
func (tx *Tx) Parts(n promotion.Number) (parts []promotion.Part, err error) {
	if _, err = tx.one([]any{partsColumn{&parts}}, `SELECT parts FROM stays WHERE promotion = $1`, n); err != nil {
		return nil, fmt.Errorf("read the targets of promotion %d: %w", n, err)
	}
	return parts, nil
}

// saveStay writes a stay that is new or has changed.
func (tx *Tx) saveStay(pipeline int64, s promotion.Stay) error {
	_, err := tx.exec(`INSERT INTO stays (promotion, pipeline, stage, warehouse, freight, entered_at, left_at, verdict, judged_at, cause,
			judged_by_id, judged_by, plan, commit_sha, since_at, wrote, drift, parts, short)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
		ON CONFLICT (promotion) DO UPDATE SET left_at = $7, verdict = $8, judged_at = $9, cause = $10, judged_by_id = $11,
			judged_by = $12, plan = $13, commit_sha = $14, since_at = $15, wrote = $16, drift = $17,
			parts = $18, short = $19`,
		s.Promotion, pipeline, s.Stage, s.Warehouse, s.Freight, micros(s.Entered), micros(s.Left), s.Verdict, micros(s.Judged),
		because(&s.Cause), s.JudgedBy.ID, s.JudgedBy.Login, s.Plan, s.Commit, micros(s.Since),
		asValues(&s.Wrote), driftColumn{&s.Drift}, partsColumn{&s.Parts}, s.Short)
	if err != nil {
		return fmt.Errorf("save the stay of promotion %d: %w", s.Promotion, conflict(err))
	}
	return nil
}

// maxWatched bounds how many commits GitHub is asked about at once.
const maxWatched = 50

// Watched returns the commits whose signals may judge what a promotion brought: its own, and the heads of the branch that
// followed it, of which only the newest if there are many. There are none once what it brought has left.
func (tx *Tx) Watched(pipeline int64, n promotion.Number) ([]promotion.SHA, error) {
	stays, err := list(tx, stayDest, `SELECT `+stayColumns+` FROM stays WHERE promotion = $1 AND left_at IS NULL`, n)
	if err != nil || len(stays) == 0 {
		return nil, err
	}
	on, err := tx.filesOf(StageKey{pipeline, stays[0].Stage})
	if err != nil {
		return nil, err
	}
	pushes, err := tx.pushesSince(on, stays[0].Entered)
	if err != nil {
		return nil, fmt.Errorf("list the commits after %s: %w", stays[0].Commit, err)
	}
	var followed []promotion.SHA
	head := stays[0].Commit
	for _, push := range pushes {
		if push.Before == head {
			head = push.After
			followed = append(followed, head)
		}
	}
	watched := append([]promotion.SHA{stays[0].Commit}, followed[max(0, len(followed)-maxWatched):]...)
	for i := range slices.Backward(stays[0].Parts) {
		if part := &stays[0].Parts[i]; part.Step > 0 && part.Verdict != promotion.Passed && !slices.Contains(watched, part.Commit) && len(watched) < 2*maxWatched {
			watched = append(watched, part.Commit)
		}
	}
	return watched, nil
}
