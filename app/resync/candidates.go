package resync

import (
	"context"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// rereadCandidates finds the candidates of a pipeline, whether webhooks have reported them or not, and dismisses those
// that are gone.
func (r *Resyncer) rereadCandidates(ctx context.Context, l *survey) (work.Record, error) {
	if !l.p.Guards() {
		return nil, nil
	}
	var known []store.Candidate
	err := r.Store.View(ctx, func(tx *store.Tx) (err error) {
		known, err = tx.Facts.Candidates(l.row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	there, all, err := r.openCandidates(ctx, l)
	if err != nil {
		return nil, err
	}
	return work.InOrder(append(all, func(tx *store.Tx) error {
		return work.RecordAll(known, func(c store.Candidate) error {
			if there[c.Ref] || l.lost != nil { // a candidate out of reach is not gone
				return nil
			}
			return learn.Dismiss(tx, l.row.ID, l.p, c, "It is closed, goes into another branch, or there are too many others.")
		})
	})), nil
}

// openCandidates reads every candidate that GitHub lists, and returns their refs.
func (r *Resyncer) openCandidates(
	ctx context.Context, l *survey,
) (there map[string]bool, all []work.Record, err error) {
	there = map[string]bool{}
	for _, into := range l.p.GuardedBranches() {
		err := r.inRepo(ctx, l, into.Repo, func(client *gh.Client) error {
			some, err := r.openInto(ctx, client, l, into, there)
			all = append(all, some...)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return there, all, nil
}

func (r *Resyncer) openInto(
	ctx context.Context, client *gh.Client, l *survey, into promotion.Branch, there map[string]bool,
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
		c := learn.PullCandidate(l.p, into, pull.Number, pull.Head, pull.Updated)
		there[c.Ref] = true
		rec, err := r.learn.Candidates.Read(ctx, l.row, l.p, c, learn.PullFiles(ctx, pull.Number))
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	for _, g := range groups {
		there[l.p.RefIn(into.Repo, g.Ref)] = true
		rec, err := r.learn.Candidates.ReadGroup(ctx, l.row, l.p, into, g)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, nil
}
