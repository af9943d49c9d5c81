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
		known, err = tx.Candidates.Of(l.row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	there, full, all, err := r.openCandidates(ctx, l, known)
	if err != nil {
		return work.InOrder(all), err
	}
	return work.InOrder(append(all, func(tx *store.Tx) error {
		return work.RecordAll(known, func(c store.Candidate) error {
			beyond := full[c.Into] && isPull(l.p, c)
			if there[c.Ref] || beyond || l.lost != nil { // a candidate out of reach, or beyond the list, is not gone
				return nil
			}
			return learn.Dismiss(tx, l.row.ID, l.p, c, false, "The pull request is closed, or goes into another branch.")
		})
	})), nil
}

// isPull reports whether a candidate is a pull request, and not a group of the merge queue.
func isPull(p *promotion.Pipeline, c store.Candidate) bool {
	return c.Ref == p.RefIn(c.Into.Repo, promotion.PullRef(c.Pull))
}

// openCandidates reads every candidate that GitHub lists, and those beyond full lists whose files are in doubt. It
// returns the refs of those listed, and the branches with full lists. If it fails, it returns what it has read until
// then.
func (r *Resyncer) openCandidates(ctx context.Context, l *survey, known []store.Candidate) (
	there map[string]bool, full map[promotion.Branch]bool, all []work.Record, err error,
) {
	there, full = map[string]bool{}, map[promotion.Branch]bool{}
	for _, into := range l.p.GuardedBranches() {
		err := r.inRepo(ctx, l, into.Repo, func(client *gh.Client) error {
			some, more, err := r.openInto(ctx, client, l, into, there)
			all, full[into] = append(all, some...), more
			return err
		})
		if err != nil {
			return nil, nil, all, err
		}
	}
	for _, c := range known {
		if there[c.Ref] || !full[c.Into] || !isPull(l.p, c) {
			continue
		}
		rec, err := r.learn.Candidates.ReadPull(ctx, l.row, l.p, c, learn.Telling{})
		if err != nil {
			return nil, nil, all, err
		}
		all = append(all, rec)
	}
	return there, full, all, nil
}

// openInto reads the candidates that GitHub lists for a branch, adds their refs to there, and reports whether the list
// of pull requests was full.
func (r *Resyncer) openInto(
	ctx context.Context, client *gh.Client, l *survey, into promotion.Branch, there map[string]bool,
) (all []work.Record, full bool, err error) {
	pulls, full, err := client.Pulls.NewestOpen(ctx, into.Name, learn.MostCandidates)
	if err != nil {
		return nil, false, err
	}
	groups, err := client.MergeQueue.Groups(ctx, into.Name)
	if err != nil {
		return nil, false, err
	}
	for _, pull := range pulls {
		if pull.Here && learn.IsOurs(pull.Branch) {
			continue
		}
		c := learn.PullCandidate(l.p, into, pull.Number, pull.Head, pull.Updated)
		c.Fork, c.By = !pull.Here, pull.Author
		there[c.Ref] = true
		rec, err := r.learn.Candidates.ReadPull(ctx, l.row, l.p, c, learn.Telling{})
		if err != nil {
			return all, false, err
		}
		all = append(all, rec)
	}
	for _, g := range groups {
		there[l.p.RefIn(into.Repo, g.Ref)] = true
		rec, err := r.learn.Candidates.ReadGroup(ctx, l.row, l.p, into, g)
		if err != nil {
			return all, false, err
		}
		all = append(all, rec)
	}
	return all, full, nil
}
