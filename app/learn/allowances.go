package learn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waybill/app/gh"
	"waybill/app/work"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// sameAsBefore returns the reason why an allowance does not count: one of its two names means another repository than
// when it was first noted, because that was renamed or deleted, and somebody has made one of the same name. It is empty
// if both mean the same.
func (fs *Files) sameAsBefore(ctx context.Context, now store.Allowance) (string, error) {
	first, err := fs.firstNoted(ctx, now)
	switch {
	case err != nil || first == now:
		return "", err
	case first.RepoID != now.RepoID:
		return fmt.Sprintf("%s is another repository than it was, with the same name; if that is right, take it out of the "+
			"pipeline file, and name it again in another commit", now.Repo), nil
	}
	return fmt.Sprintf("%s is another repository than %s allowed, with the same name; if that is right, take it out of "+
		"`allow` in its %s, and name it again in another commit", now.Home, now.Repo, config.PipelinePath), nil
}

// mayAsk reports whether GitHub may be asked about a repository that a pipeline names. One of another owner must have
// allowed the pipeline in a file that Waybill has read for that owner. Otherwise Waybill asks GitHub nothing, whether
// the repository exists or not: the answer comes as fast, and costs no request.
func (fs *Files) mayAsk(ctx context.Context, repo, home promotion.Repo) (may bool, err error) {
	if strings.EqualFold(repo.Owner(), home.Owner()) {
		return true, nil
	}
	err = fs.Store.View(ctx, func(tx *store.Tx) error {
		may, err = tx.Names.Consents(repo, home)
		return err
	})
	return may, err
}

// noteConsents returns how to record which pipelines a repository allows. Those whose files were not usable are tried
// again if that is new.
func noteConsents(repo promotion.Repo, base gh.Base) work.Record {
	allowed, _ := config.Allowed(config.PipelinePath, []byte(base.Files[config.PipelinePath].Content))
	return func(tx *store.Tx) error {
		changed, err := tx.Names.SetConsents(repo, base.RepoID, allowed)
		if err != nil || !changed {
			return err
		}
		return work.RecordAll(allowed, func(home promotion.Repo) error {
			row, err := tx.Pipelines.ByRepo(home)
			if errors.Is(err, store.ErrNotFound) || err == nil && row.ConfigError == "" {
				return nil
			}
			if err != nil {
				return err
			}
			return tx.Clocks.AskResync(row.ID)
		})
	}
}

// firstNoted returns an allowance as it was first noted. It writes only what is new.
func (fs *Files) firstNoted(ctx context.Context, now store.Allowance) (first store.Allowance, err error) {
	var found bool
	err = fs.Store.View(ctx, func(tx *store.Tx) error {
		first, found, err = tx.Names.Allowance(now.Repo, now.Home)
		return err
	})
	if err != nil || found {
		return first, err
	}
	err = fs.Store.Update(ctx, func(tx *store.Tx) error {
		first, err = tx.Names.NoteAllowance(now)
		return err
	})
	return first, err
}

// endAllowance forgets an allowance that is not given any more, if it was noted.
func (fs *Files) endAllowance(ctx context.Context, now store.Allowance) error {
	var found bool
	err := fs.Store.View(ctx, func(tx *store.Tx) (err error) {
		_, found, err = tx.Names.Allowance(now.Repo, now.Home)
		return err
	})
	if err != nil || !found {
		return err
	}
	return fs.Store.Update(ctx, func(tx *store.Tx) error { return tx.Names.EndAllowance(now) })
}
