package learn

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// Rules learns what GitHub demands of whoever changes the branches with stages' files. Nothing is decided by that, so
// no error of GitHub is one of whoever asks: what could not be read is as it was.
type Rules struct{ *env.Env }

// RulesLast is how long Waybill relies on the rules that it has read. After that it reads them again before it tells
// anybody of them.
const RulesLast = 10 * time.Minute

// Read reads the rules of branches of one repository, and returns how to record them.
func (rs *Rules) Read(
	ctx context.Context, client *gh.Client, branches []string,
) (all []promotion.BranchRules, save work.Record, err error) {
	if len(branches) == 0 {
		return nil, nil, nil
	}
	all, err = client.Rules.Of(ctx, branches)
	if err == nil {
		err = rs.noteSignatures(ctx, all)
	}
	if err != nil && (work.Transient(err) || errors.Is(err, gh.ErrRefused)) && ctx.Err() == nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("the rules of branches could not be read; they are taken to be as before")
		return nil, nil, nil
	}
	return all, func(tx *store.Tx) error { return work.RecordAll(all, tx.Branches.SaveRules) }, err
}

// noteSignatures adds whether GitHub signs what Waybill has it commit. A process that has made no commit yet relies on
// what was recorded before it.
func (rs *Rules) noteSignatures(ctx context.Context, all []promotion.BranchRules) error {
	signs, known := rs.Hub.Signs()
	for i := range all {
		if known {
			all[i].Unsigned = !signs
			continue
		}
		was, err := rs.Store.BranchRules(ctx, all[i].On)
		if err != nil {
			return err
		}
		all[i].Unsigned = was.Unsigned
	}
	return nil
}

// Refresh has the rules of branches known that are not older than a time. Older ones are read, and recorded.
func (rs *Rules) Refresh(ctx context.Context, branches []promotion.Branch, last time.Duration) error {
	old := map[promotion.Repo][]string{}
	var repos []promotion.Repo
	for _, on := range branches {
		r, err := rs.Store.BranchRules(ctx, on)
		if err != nil {
			return err
		}
		if !r.Read.IsZero() && rs.Clock().Sub(r.Read) < last {
			continue
		}
		if !slices.Contains(repos, on.Repo) {
			repos = append(repos, on.Repo)
		}
		old[on.Repo] = append(old[on.Repo], on.Name)
	}
	for _, repo := range repos {
		client, err := rs.Client(repo)
		if err != nil {
			return err
		}
		_, save, err := rs.Read(ctx, client, old[repo])
		if err == nil && save != nil {
			err = rs.Store.Update(ctx, save)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
