package resync

import (
	"context"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// rereadCandidates finds out which candidates there are, of which nobody may have told.
func (rs *Resyncer) rereadCandidates(ctx context.Context, l *look) (work.Record, error) {
	if !l.p.Guards() {
		return nil, nil
	}
	var known []store.Candidate
	err := rs.Store.View(ctx, func(tx *store.Tx) (err error) {
		known, err = tx.Facts.Candidates(l.row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	there, all, err := rs.openCandidates(ctx, l)
	if err != nil {
		return nil, err
	}
	return work.InOrder(append(all, func(tx *store.Tx) error {
		return work.RecordAll(known, func(c store.Candidate) error {
			if there[c.Ref] || l.lost != nil { // what could not be looked at is not gone
				return nil
			}
			return learn.Dismiss(tx, l.row.ID, l.p, c, "It is closed, goes into another branch, or there are too many others.")
		})
	})), nil
}

// openCandidates looks at every candidate that GitHub lists, and returns which there are.
func (rs *Resyncer) openCandidates(ctx context.Context, l *look) (there map[string]bool, all []work.Record, err error) {
	there = map[string]bool{}
	for _, into := range l.p.GuardedBranches() {
		err := rs.lookIn(ctx, l, into.Repo, func(client *gh.Client) error {
			some, err := rs.openInto(ctx, client, l, into, there)
			all = append(all, some...)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return there, all, nil
}

func (rs *Resyncer) openInto(
	ctx context.Context, client *gh.Client, l *look, into promotion.Branch, there map[string]bool,
) (all []work.Record, err error) {
	pulls, err := client.NewestPulls(ctx, into.Name)
	if err != nil {
		return nil, err
	}
	groups, err := client.Groups(ctx, into.Name)
	if err != nil {
		return nil, err
	}
	for _, pull := range pulls {
		if pull.Here && learn.IsOurs(pull.Branch) {
			continue
		}
		c := learn.CandidatePull(l.p, into, pull.Number, pull.Head, pull.Updated)
		there[c.Ref] = true
		rec, err := rs.learn.Candidates.Regard(ctx, l.row, l.p, c, learn.PullFiles(ctx, pull.Number))
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	for _, g := range groups {
		there[l.p.RefIn(into.Repo, g.Ref)] = true
		rec, err := rs.learn.Candidates.RegardGroup(ctx, l.row, l.p, into, g)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, nil
}
