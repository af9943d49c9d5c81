package store

import (
	"fmt"
	"time"

	"waybill/promotion"
)

const pullColumns = `repo, number, head, head_sha, base, state, merge_sha, merged_at, actor_id, actor, url, ` +
	`conflicts, revision, updated_at, pusher_id, pusher, queue, head_at, head_heard_at, replaced, reopened, base_was, ` +
	`new_commit`

func pullDest(p *promotion.Pull) []any {
	return []any{&p.Repo, &p.Number, &p.Head, &p.HeadSHA, &p.Base, &p.State, &p.MergeSHA, at(&p.MergedAt),
		&p.By.ID, &p.By.Login, &p.URL, &p.Conflicts, &p.Revision, at(&p.Updated), &p.Pusher.ID, &p.Pusher.Login, &p.Queue,
		at(&p.HeadAt), at(&p.HeadHeard), &p.Replaced, &p.Reopened, &p.BaseWas, &p.NewCommit}
}

// Record records an observation of a pull request of ours: one from a branch of the repository itself. It concerns the
// stage of its promotion. A merge is final; an older observation never replaces a newer one. The revision is counted
// here, not taken from the observation. It reports whether there was something new.
func (pl Pulls) Record(p promotion.Pull) (changed bool, err error) {
	changed, err = pl.save(p)
	if err == nil && changed {
		err = pl.adopt(p)
	}
	if err == nil && changed {
		err = pl.tx.Stages.touch(`SELECT o.pipeline, o.stage FROM attempts a JOIN promotions o ON o.pipeline = a.pipeline
			AND o.number = a.promotion
				WHERE a.pull = $2 AND a.pull <> 0 AND a.repo = $1
			UNION SELECT o.pipeline, o.stage FROM attempts a JOIN promotions o ON o.pipeline = a.pipeline
			AND o.number = a.promotion
				WHERE a.prepared_branch = $3 AND a.prepared_branch <> '' AND a.repo = $1`,
			p.Repo, p.Number, p.Head)
	}
	if err != nil {
		return false, fmt.Errorf("record pull request %s#%d: %w", p.Repo, p.Number, err)
	}
	return changed, nil
}

func (pl Pulls) save(seen promotion.Pull) (changed bool, err error) {
	asStored(&seen.MergedAt, &seen.Updated)
	old, err := list(pl.tx, pullDest, `SELECT `+pullColumns+` FROM pulls WHERE repo = $1 AND number = $2`, seen.Repo,
		seen.Number)
	if err != nil {
		return false, err
	}
	p := seen
	if len(old) > 0 {
		p = merge(old[0], seen)
	} else {
		p.Revision = 1
	}
	p.FitUnknown = false
	if p.HeadAt.IsZero() {
		p = headFrom(p, pl.tx.Now)
	}
	if len(old) > 0 && p == old[0] {
		return false, nil
	}
	clear(pl.tx.bumped)
	_, err = pl.tx.exec(`INSERT INTO pulls (repo, number, head, head_sha, base, state, merge_sha, merged_at, actor_id,
		actor, url, conflicts, revision, updated_at, pusher_id, pusher, queue, head_at, head_heard_at, replaced,
			reopened, base_was, new_commit)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
		ON CONFLICT (repo, number) DO UPDATE SET head = $3, head_sha = $4, base = $5, state = $6, merge_sha = $7,
		merged_at = $8, actor_id = $9, actor = $10, url = $11, conflicts = $12, revision = $13, updated_at = $14,
			pusher_id = $15, pusher = $16, queue = $17, head_at = $18, head_heard_at = $19, replaced = $20,
			reopened = $21, base_was = $22, new_commit = $23`,
		p.Repo, p.Number, p.Head, p.HeadSHA, p.Base, p.State, p.MergeSHA, micros(p.MergedAt), p.By.ID, p.By.Login, p.URL,
		p.Conflicts, p.Revision, micros(p.Updated), p.Pusher.ID, p.Pusher.Login, p.Queue,
		micros(p.HeadAt), micros(p.HeadHeard), p.Replaced, p.Reopened, p.BaseWas, p.NewCommit)
	return len(old) == 0 || !sameButTime(p, old[0]), err
}

func sameButTime(a, b promotion.Pull) bool {
	a.Updated, b.Updated = time.Time{}, time.Time{}
	return a == b
}

// merge returns a pull request after another observation.
func merge(old, seen promotion.Pull) promotion.Pull {
	if !replaces(old, seen) {
		return old
	}
	p := seen
	p.Updated = promotion.Later(old.Updated, seen.Updated)
	p.Head, p.URL, p.Base = orElse(p.Head, old.Head), orElse(p.URL, old.URL), orElse(p.Base, old.Base)
	if p.BaseWas = old.BaseWas; p.State == promotion.PullMerged && p.Base == old.BaseWas {
		p.Base = old.Base // it was merged before the branch got its new name, and keeps the old one
	}
	if p.HeadSHA = orElse(p.HeadSHA, old.HeadSHA); p.HeadSHA == old.HeadSHA {
		p.Pusher = orElse(p.Pusher, old.Pusher)
		p.HeadAt, p.HeadHeard, p.Replaced = old.HeadAt, old.HeadHeard, old.Replaced
	} else {
		p.Replaced = true
	}
	if seen.FitUnknown && p.HeadSHA == old.HeadSHA && p.Base == old.Base {
		p.Conflicts = old.Conflicts
	}
	if p.Reopened = old.Reopened; old.State == promotion.PullClosed && p.State == promotion.PullOpen {
		p.Reopened++
	}
	if old.State == promotion.PullMerged { // only missing fields can be new
		p.MergeSHA, p.By = orElse(old.MergeSHA, p.MergeSHA), orElse(old.By, p.By)
		if !old.MergedAt.IsZero() {
			p.MergedAt = old.MergedAt
		}
		p.NewCommit = p.NewCommit || old.NewCommit
	}
	if old.State == promotion.PullClosed && p.State == promotion.PullClosed {
		p.By = orElse(p.By, old.By) // without the permission for issues GitHub does not say who it was
	}
	if old.Queue == promotion.InQueue {
		p.NewCommit = false // the queue had tested the commit before it merged
	}
	p.Queue = placeAfter(old, p)
	p.Revision = old.Revision
	if p.Queue != old.Queue || p.HeadSHA != old.HeadSHA || p.Base != old.Base || p.State != old.State ||
		p.Conflicts != old.Conflicts {
		p.Revision++
	}
	return p
}

// apart is how far our clock may be behind GitHub's where there is no other way than to compare the two.
const apart = time.Minute

// headFrom returns a pull request with the time since when it shows its head: at the latest when GitHub last changed it
// before it was seen so. If GitHub does not say when that was, our own clock must do.
func headFrom(p promotion.Pull, now time.Time) promotion.Pull {
	now = now.UTC().Truncate(time.Microsecond)
	p.HeadAt, p.HeadHeard = orElse(p.Updated, now.Add(apart)), now
	return p
}

// placeAfter returns the place of a pull request in the merge queue after another observation. A push takes it out, and
// so does its end.
func placeAfter(old, seen promotion.Pull) promotion.QueuePlace {
	switch {
	case seen.State != promotion.PullOpen, old.Queue == "" && seen.Queue == promotion.OutOfQueue:
		return ""
	case seen.Queue == "" && seen.HeadSHA != old.HeadSHA:
		return ""
	}
	return orElse(seen.Queue, old.Queue)
}

// replaces reports whether an observation may replace the stored one: it is newer; or as new, and takes no end back; or
// it says that the pull request is merged, which nothing undoes.
func replaces(old, seen promotion.Pull) bool {
	switch {
	case old.State == promotion.PullMerged:
		return seen.State == promotion.PullMerged
	case seen.State == promotion.PullMerged:
		return true
	case seen.Updated.Equal(old.Updated):
		return old.State == promotion.PullOpen || seen.State == promotion.PullClosed
	}
	return seen.Updated.After(old.Updated)
}

// orElse returns a, or b if there is no a.
func orElse[T comparable](a, b T) T {
	var none T
	if a == none {
		return b
	}
	return a
}

// BumpAt notes that something has happened to a commit that could change GitHub's mind about merging the open pull
// requests with that head: a check, a review.
func (pl Pulls) BumpAt(repo promotion.Repo, head promotion.SHA) error {
	return pl.bump(`repo = $1 AND head_sha = $2 AND state = 'open'`, repo, head)
}

// BumpInto notes the same for the open pull requests into a branch: a push, other rules.
func (pl Pulls) BumpInto(repo promotion.Repo, branch string) error {
	return pl.bump(`repo = $1 AND base = $2 AND state = 'open'`, repo, branch)
}

// bump raises the revision of pull requests, and has the stages of their promotions decided again: once in a
// transaction, unless a pull request was written since.
func (pl Pulls) bump(which string, args ...any) error {
	what := fmt.Sprint(which, args)
	if pl.tx.bumped[what] {
		return nil
	}
	if pl.tx.bumped == nil {
		pl.tx.bumped = map[string]bool{}
	}
	pl.tx.bumped[what] = true
	pulls, err := list(pl.tx, single[int], `UPDATE pulls SET revision = revision + 1 WHERE `+which+` RETURNING number`,
		args...)
	for _, number := range pulls {
		if err == nil {
			err = pl.tx.Stages.touch(`SELECT o.pipeline, o.stage FROM attempts a JOIN promotions o ON o.pipeline = a.pipeline
				AND o.number = a.promotion
				WHERE a.pull = $1 AND a.pull <> 0 AND o.ended_at IS NULL AND a.repo = $2`,
				number, args[0])
		}
	}
	if err != nil {
		return fmt.Errorf("bump pull requests: %w", err)
	}
	return nil
}

// ByNumber returns a pull request of ours as it was last observed.
func (pl Pulls) ByNumber(repo promotion.Repo, number int) (promotion.Pull, error) {
	var p promotion.Pull
	found, err := pl.tx.one(pullDest(&p), `SELECT `+pullColumns+` FROM pulls WHERE repo = $1 AND number = $2`, repo,
		number)
	return p, orNotFound(found, err, fmt.Sprintf("read pull request %s#%d", repo, number))
}
