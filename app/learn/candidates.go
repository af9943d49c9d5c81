package learn

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"waybill/app/gh"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// PullCandidate returns the candidate that a pull request is.
func PullCandidate(
	p *promotion.Pipeline, into promotion.Branch, number int, head promotion.SHA, seen time.Time,
) store.Candidate {
	return store.Candidate{
		Candidate: promotion.Candidate{
			Ref: p.RefIn(into.Repo, promotion.PullRef(number)), Into: into, Pull: number, Head: head,
		}, Seen: seen,
	}
}

// OfGroup returns the candidate that a group of the merge queue is.
func (cs *Candidates) OfGroup(p *promotion.Pipeline, into promotion.Branch, g gh.Group) store.Candidate {
	return store.Candidate{
		Candidate: promotion.Candidate{Ref: p.RefIn(into.Repo, g.Ref), Into: into, Pull: g.Pull, Head: g.Head},
		Seen:      cs.Clock(),
	}
}

// ReadGroup asks which guarded files a group of the merge queue changes. A group of our own promotion passes at once:
// it waits for the queue only, and a promotion that waited for it would wait for itself (T38).
func (cs *Candidates) ReadGroup(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, into promotion.Branch, g gh.Group,
) (work.Record, error) {
	ours := false
	err := cs.Store.View(ctx, func(tx *store.Tx) error {
		open, err := tx.Attempts.OpenInto(into)
		ours = slices.ContainsFunc(open, func(at promotion.Attempt) bool { return at.Pull == g.Pull })
		return err
	})
	if err != nil {
		return nil, err
	}
	c := cs.OfGroup(p, into, g)
	if ours {
		return func(tx *store.Tx) error { return views.PassOwn(tx, row.ID, p, c.Candidate, "") }, nil
	}
	return cs.read(ctx, row, p, c, Telling{}, func(client *gh.Client) (promotion.Touched, standing, error) {
		paths, err := client.Commits.ChangedPaths(ctx, g.Base, g.Head)
		if errors.Is(err, gh.ErrRefused) { // more than GitHub lists, or gone
			return promotion.Touched{More: true}, asTold, nil
		}
		return promotion.Touched{Paths: paths}, asTold, err
	})
}

// Telling is what tells of a pull request: a delivery, of which Pull is nil if it tells of something else. The zero
// value is a list.
type Telling struct {
	From *handlers.From
	Pull *handlers.CandidatePull
}

// change returns what has happened to the pull request.
func (by Telling) change() handlers.PullChange {
	if by.Pull == nil {
		return ""
	}
	return by.Pull.Change
}

// moves reports whether the pull request may change other files by what has happened to it.
func (by Telling) moves() bool {
	return slices.Contains([]handlers.PullChange{handlers.PullPushed, handlers.PullTurned, handlers.PullReopened},
		by.change())
}

// ReadPull asks which guarded files a pull request changes, unless they are known, and returns how to record it. The
// list of files is of the pull request as GitHub has it when it is read. So whatever is told later of its head or base
// has it read again; and it counts only if the pull request is still as it was told.
func (cs *Candidates) ReadPull(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, c store.Candidate, by Telling,
) (work.Record, error) {
	return cs.read(ctx, row, p, c, by, func(client *gh.Client) (promotion.Touched, standing, error) {
		reader := Reader{row, c.Fork, c.By}
		files, err := cs.pulls.Read(ctx, client, Change{by.From, c.Pull}, reader, whole)
		if err != nil {
			return promotion.Touched{}, asTold, err
		}
		stands, err := cs.stands(ctx, client, c, reader, files, by)
		return files.Touched(), stands, err
	})
}

// read asks which guarded files a candidate changes, unless they are known, and returns how to record the candidate.
func (cs *Candidates) read(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, c store.Candidate, by Telling, touched func(
		*gh.Client,
	) (promotion.Touched, standing, error),
) (work.Record, error) {
	var all []store.Candidate
	err := cs.Store.View(ctx, func(tx *store.Tx) (err error) {
		all, err = tx.Candidates.Of(row.ID)
		return err
	})
	if err != nil || newerKnown(all, c, by) || !by.moves() && filesKnown(all, c) {
		return nil, err
	}
	client, err := cs.Client(c.Into.Repo)
	if err != nil {
		return nil, err
	}
	t, stands, err := touched(client)
	if c.Unread = errors.Is(err, ErrUnread); err != nil && !c.Unread || stands == gone {
		return nil, err
	}
	if c.Unread && cs.settled(by) && by.mayPrecede(all, c) {
		return nil, nil // GitHub was not asked which came first, and a delivery that was put off is the older
	}
	c.Files, c.Doubted = p.GuardedFiles(c.Into, t), stands == unsure
	return func(tx *store.Tx) error { return cs.Record(tx, row.ID, p, c) }, nil
}

// newerKnown reports whether something newer is known of a candidate. GitHub's times are in seconds; a pull request is
// opened before anything else happens to it.
func newerKnown(all []store.Candidate, c store.Candidate, by Telling) bool {
	return slices.ContainsFunc(all, func(old store.Candidate) bool {
		return old.Ref == c.Ref &&
			(old.Seen.After(c.Seen) || by.change() == handlers.PullOpened && old.Head != c.Head && old.Seen.Equal(c.Seen))
	})
}

// mayPrecede reports whether a push may have come before what is known of the same second: it does not come from the
// head that is known.
func (by Telling) mayPrecede(all []store.Candidate, c store.Candidate) bool {
	return by.change() == handlers.PullPushed && slices.ContainsFunc(all, func(old store.Candidate) bool {
		return old.Ref == c.Ref && old.Seen.Equal(c.Seen) && old.Head != c.Head && old.Head != by.Pull.Before
	})
}

// knownAtOnce reports whether a candidate is known that GitHub changed in the same second.
func knownAtOnce(all []store.Candidate, c store.Candidate) bool {
	return slices.ContainsFunc(all, func(old store.Candidate) bool { return old.Ref == c.Ref && old.Seen.Equal(c.Seen) })
}

// filesKnown reports whether the files that a candidate changes are known.
func filesKnown(all []store.Candidate, c store.Candidate) bool {
	return slices.ContainsFunc(all,
		func(old store.Candidate) bool {
			return old.Ref == c.Ref && old.Head == c.Head && old.Into == c.Into && !old.Doubted && !old.Unread
		})
}

// Record records a candidate, and has the stages that guard its files decide on it. p is the pipeline with which the
// files were asked for.
func (cs *Candidates) Record(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c store.Candidate) error {
	row, err := tx.Pipelines.ByID(pipeline)
	if err != nil {
		return err
	}
	now, err := cs.Pipelines.Compiled(row)
	if err != nil {
		return err
	}
	c.Doubted = c.Doubted || !now.SameGuards(p)
	before, err := tx.Candidates.Of(pipeline)
	if err == nil {
		err = tx.Candidates.Record(pipeline, c)
	}
	if err != nil {
		return err
	}
	for _, old := range before {
		moved := old.Head != c.Head || old.Into != c.Into
		if old.Ref == c.Ref && moved && !old.Seen.After(c.Seen) {
			left := views.Ending{Why: "The pull request has other commits by now, or goes into another branch."}
			if err := views.EndAll(tx, pipeline, now, old.Candidate, left); err != nil {
				return err
			}
		}
	}
	if err := dismissOldest(tx, pipeline, now); err != nil {
		return err
	}
	return work.RecordAll(now.GuardedOn(c.Into), func(s *promotion.Stage) error {
		return tx.Stages.Touch(store.StageKey{Pipeline: pipeline, Stage: s.Name})
	})
}

// dismissOldest dismisses the candidates beyond MostCandidates. Those that change no guarded file count by themselves:
// their checks have passed, and stay so. So do those of forks: anybody opens as many as they like, and the check of one
// that is dismissed waits.
func dismissOldest(tx *store.Tx, pipeline int64, p *promotion.Pipeline) error {
	all, err := tx.Candidates.Of(pipeline)
	if err != nil {
		return err
	}
	type kind struct{ changes, fork bool }
	count := map[kind]int{}
	for _, c := range all {
		is := kind{len(c.Files) > 0, c.Fork}
		if count[is]++; count[is] <= MostCandidates {
			continue
		}
		if err := forget(tx, pipeline, p, c, views.Ending{Crowded: true, Unknown: c.Unread || c.Doubted}); err != nil {
			return err
		}
	}
	return nil
}

// Dismiss forgets a ref that is no candidate any more, and ends its checks, which would wait for ever. Those that have
// passed stay if it was merged.
func Dismiss(
	tx *store.Tx, pipeline int64, p *promotion.Pipeline, c store.Candidate, merged bool, why string,
) error {
	return forget(tx, pipeline, p, c, views.Ending{Why: why, Merged: merged})
}

func forget(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c store.Candidate, by views.Ending) error {
	all, err := tx.Candidates.Of(pipeline)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(known store.Candidate) bool { return known.Ref == c.Ref })
	if i < 0 {
		return nil
	}
	there, err := tx.Candidates.Forget(pipeline, c.Ref, c.Seen)
	if err != nil || !there {
		return err
	}
	return views.EndAll(tx, pipeline, p, all[i].Candidate, by)
}

// DismissGroup dismisses a group that has left the merge queue. A late webhook about it leaves the next group of the
// same name alone (T21).
func DismissGroup(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c store.Candidate) error {
	all, err := tx.Candidates.Of(pipeline)
	is := func(known store.Candidate) bool { return known.Ref == c.Ref && known.Head == c.Head }
	if err != nil || !slices.ContainsFunc(all, is) {
		return err
	}
	const merged = true // or gone with its commit
	return Dismiss(tx, pipeline, p, c, merged, "The merge queue is done with it.")
}

// followGuards applies a change of the guarded files: checks of stages that do not guard any more end, and a resync
// asks for the candidates of new guards.
func followGuards(tx *store.Tx, pipeline int64, before, after *promotion.Pipeline) error {
	if before.SameGuards(after) {
		return nil
	}
	all, err := tx.Candidates.Of(pipeline)
	if err != nil {
		return err
	}
	for _, s := range before.Guarded() {
		now := after.Stage(s.Name)
		for _, c := range all {
			if now != nil && now.Guard && slices.Contains(after.BranchesOf(now), c.Into) {
				continue
			}
			if err := views.Unguard(tx, store.StageKey{Pipeline: pipeline, Stage: s.Name}, c.Candidate); err != nil {
				return err
			}
		}
	}
	if !after.Guards() {
		return work.RecordAll(all, func(c store.Candidate) error {
			_, err := tx.Candidates.Forget(pipeline, c.Ref, c.Seen)
			return err
		})
	}
	if err := tx.Candidates.Doubt(pipeline); err != nil {
		return err
	}
	return tx.Clocks.AskResync(pipeline)
}

// MostCandidates bounds how many candidates of a pipeline that change guarded files are kept up to date, those with the
// latest events, and how many others are remembered: so many of forks, and so many besides.
const MostCandidates = 100

// IsOurs reports whether a branch is one of a promotion.
func IsOurs(branch string) bool { return strings.HasPrefix(branch, "waybill/") }
