package learn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"waybill/app/gh"
	"waybill/app/quota"
	"waybill/app/work"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// mostHomesOfOthers bounds how many names of others' repositories the files of one owner have looked up in an hour:
// each costs a request for which the other owner's installation pays.
const mostHomesOfOthers = 300

// sameAsBefore returns the reason why an allowance does not count: one of its two names means another repository than
// it did, because that was renamed or deleted, or was not there yet, and somebody has made one of the same name. It is
// empty if both mean the same. said is the id that the file gives the home; 0 if none.
func (fs *Files) sameAsBefore(ctx context.Context, now store.Allowance, said int64) (string, error) {
	meant, err := fs.homeMeant(ctx, now, said)
	if err != nil {
		return "", err
	}
	if meant != now.HomeID {
		why := fmt.Sprintf("%s is another repository than %s allowed, with the same name", now.Home, now.Repo)
		if meant == 0 {
			why = fmt.Sprintf("%s allowed %s before Waybill could see a repository of that name", now.Repo, now.Home)
		}
		return fmt.Sprintf("%s; if it is the right one, write `%s:%d` in `allow` of its %s", why, now.Home, now.HomeID,
			config.PipelinePath), nil
	}
	first, err := fs.firstNoted(ctx, now)
	if err != nil || first == now.RepoID {
		return "", err
	}
	return fmt.Sprintf("%s is another repository than it was, with the same name; if that is right, take it out of the "+
		"pipeline file, and name it again in another commit", now.Repo), nil
}

// homeMeant returns the id of the home that a repository means. If its file has not been read for its owner's sake yet,
// that is noted now.
func (fs *Files) homeMeant(ctx context.Context, now store.Allowance, said int64) (meant int64, err error) {
	if said != 0 {
		return said, nil
	}
	known, err := fs.consentsOf(ctx, now.RepoID)
	if err != nil {
		return 0, err
	}
	meant, noted := known.Means(now.Home)
	if noted {
		return meant, nil
	}
	err = fs.Store.Update(ctx, func(tx *store.Tx) error {
		known, err := tx.Names.ConsentsOf(now.RepoID)
		if err != nil {
			return err
		}
		if meant, noted = known.Means(now.Home); noted {
			return nil // its file has been read meanwhile
		}
		meant = now.HomeID
		known.Mean(now.Home, meant)
		_, err = tx.Names.SetConsents(now.Repo, now.RepoID, known)
		return err
	})
	return meant, err
}

// consentsOf returns what the file of a repository allows, as far as it was read.
func (fs *Files) consentsOf(ctx context.Context, repo int64) (known store.Consents, err error) {
	err = fs.Store.View(ctx, func(tx *store.Tx) error {
		known, err = tx.Names.ConsentsOf(repo)
		return err
	})
	return known, err
}

// mayAsk reports whether GitHub may be asked about a repository that a pipeline names. One of another owner must have
// allowed the pipeline in a file that Waybill has read for that owner. Otherwise Waybill asks GitHub nothing, whether
// the repository exists or not: the answer comes as fast, and costs no request.
func (fs *Files) mayAsk(ctx context.Context, repo, home promotion.Repo, homeID int64) (may bool, err error) {
	if strings.EqualFold(repo.Owner(), home.Owner()) {
		return true, nil
	}
	err = fs.Store.View(ctx, func(tx *store.Tx) error {
		may, err = tx.Names.Consents(repo, home, homeID)
		return err
	})
	return may, err
}

// noteConsents returns how to record which pipelines a repository allows. It asks GitHub which repositories the names
// mean that are new there. Pipelines whose files were not usable are tried again if anything is new.
func (fs *Files) noteConsents(ctx context.Context, repo promotion.Repo, base gh.Base) (work.Record, error) {
	allowed, _ := config.Allowed(config.PipelinePath, []byte(base.Files[config.PipelinePath].Content))
	homes := slices.Sorted(maps.Keys(allowed))
	known, err := fs.consentsOf(ctx, base.RepoID)
	if err != nil {
		return nil, err
	}
	now := store.Consents{}
	for _, home := range homes {
		id, noted := known.Means(home)
		if allowed[home] != 0 {
			id = allowed[home]
		} else if !noted {
			if id, err = fs.idOf(ctx, repo, home); err != nil {
				return nil, err
			}
		}
		now.Mean(home, id)
	}
	return func(tx *store.Tx) error {
		changed, err := tx.Names.SetConsents(repo, base.RepoID, now)
		if err != nil || !changed {
			return err
		}
		return work.RecordAll(homes, func(home promotion.Repo) error {
			row, err := tx.Pipelines.ByRepo(home)
			if errors.Is(err, store.ErrNotFound) || err == nil && row.ConfigError == "" {
				return nil
			}
			if err != nil {
				return err
			}
			return tx.Clocks.AskResync(row.ID)
		})
	}, nil
}

// idOf asks GitHub which repository has the name that a file allows; 0 if the App sees none.
func (fs *Files) idOf(ctx context.Context, by, home promotion.Repo) (int64, error) {
	if !strings.EqualFold(by.Owner(), home.Owner()) &&
		fs.asked.Take(fs.Clock(), quota.Share{Of: strings.ToLower(by.Owner()), Most: mostHomesOfOthers}) > 0 {
		return 0, nil
	}
	client, err := fs.Client(home)
	var id int64
	if err == nil {
		id, err = client.ID(ctx)
	}
	if errors.Is(err, gh.ErrRefused) {
		return 0, nil
	}
	return id, err
}

// firstNoted returns the id of the repository that an allowance was first noted for. It writes only what is new.
func (fs *Files) firstNoted(ctx context.Context, now store.Allowance) (first int64, err error) {
	var found bool
	err = fs.Store.View(ctx, func(tx *store.Tx) error {
		first, found, err = tx.Names.Allowance(now)
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
	var used, given bool
	err := fs.Store.View(ctx, func(tx *store.Tx) (err error) {
		if _, used, err = tx.Names.Allowance(now); err != nil {
			return err
		}
		known, err := tx.Names.ConsentsOf(now.RepoID)
		_, given = known.Means(now.Home)
		return err
	})
	if err != nil || !used && !given {
		return err
	}
	return fs.Store.Update(ctx, func(tx *store.Tx) error {
		known, err := tx.Names.ConsentsOf(now.RepoID)
		if err == nil {
			known.End(now.Home)
			_, err = tx.Names.SetConsents(now.Repo, now.RepoID, known)
		}
		return errors.Join(err, tx.Names.EndAllowance(now))
	})
}
