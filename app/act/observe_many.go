package act

import (
	"context"
	"time"

	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/promotion"
	"waybill/store"
)

// firstRead is of how many commits the signals are read without a look at their digests: the promotion's own, and the
// newest of those that followed it.
const firstRead = 5

// readOn reads the signals of commits of which something is new, or which are too large for a digest, and records those
// of each commit at once: a branch may have more commits than one try has time for, and the next try goes on behind
// them. It returns since when what is known is so: from asked on, or since the observation was decided, if an earlier
// try of it has read some.
func (a *Executor) readOn(
	ctx context.Context, client *gh.Client, repo promotion.Repo, commits []promotion.SHA, asked, decided time.Time,
) (since time.Time, err error) {
	since = asked
	digests, err := client.Signals.Digests(ctx, commits)
	if err != nil {
		return since, err
	}
	var was map[promotion.SHA]string
	err = a.Store.View(ctx, func(tx *store.Tx) (err error) {
		was, err = tx.Signals.Digests(repo, commits)
		return err
	})
	for i := 0; err == nil && i < len(commits); i++ {
		sha := commits[i]
		now := digests[sha]
		switch {
		case now == "" && !readAt(was[sha]).Before(decided):
			since = promotion.Sooner(since, decided)
			continue
		case now == "":
			now = a.Clock().Format(time.RFC3339Nano)
		case now == was[sha]:
			continue
		}
		err = a.readOne(ctx, client, repo, sha, now)
	}
	return since, err
}

// readAt returns when a commit was read that is too large for a digest; the zero time if that is not known.
func readAt(digest string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, digest)
	return at
}

// readOne reads and records the signals of a commit, with what tells whether to read it again.
func (a *Executor) readOne(
	ctx context.Context, client *gh.Client, repo promotion.Repo, sha promotion.SHA, digest string,
) error {
	signals, suites, err := client.Signals.On(ctx, []promotion.SHA{sha})
	if err != nil {
		return err
	}
	return a.Store.Update(ctx, func(tx *store.Tx) error {
		if err := learn.RecordSignals(tx, signals, suites); err != nil {
			return err
		}
		return tx.Signals.SaveDigest(repo, sha, digest)
	})
}
