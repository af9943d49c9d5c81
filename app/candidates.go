package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

// This file learns what people want to merge into the branches of stages that guard their files (semantics 4.8). Where
// no stage guards anything, nothing is asked and nothing is kept.

// mostCandidates bounds how many candidates of a pipeline are kept up to date: those to which something happened last.
const mostCandidates = 100

// candidate looks at a pull request of people's into a branch of guarded files. One that is closed, or goes elsewhere
// by now, is none any more.
func (a *App) candidate(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Candidate == nil {
		return nil, nil
	}
	var all []record
	for _, at := range a.pipelines.guarding(f.Repo) {
		rec, err := a.candidateFor(ctx, at, f)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

func (a *App) candidateFor(ctx context.Context, at compiled, f *handlers.Facts) (record, error) {
	seen := f.Candidate
	c := candidatePull(at.pipeline, promotion.Branch{Repo: f.Repo, Name: seen.Base}, seen.Number, seen.Head, seen.Updated)
	if !seen.Open || len(at.pipeline.GuardedOn(c.Into)) == 0 {
		return func(tx *store.Tx) error {
			return dismiss(tx, at.row.ID, at.pipeline, c, "It is closed, or goes into another branch.")
		}, nil
	}
	return a.regard(ctx, at.row, at.pipeline, c, pullFiles(ctx, seen.Number))
}

func candidatePull(p *promotion.Pipeline, into promotion.Branch, number int, head promotion.SHA, seen time.Time) store.Candidate {
	return store.Candidate{
		Candidate: promotion.Candidate{Ref: p.RefIn(into.Repo, promotion.PullRef(number)), Into: into, Pull: number, Head: head}, Seen: seen,
	}
}

// grouped looks at a group of the merge queue of a branch of guarded files.
func (a *App) grouped(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Group == nil {
		return nil, nil
	}
	into := promotion.Branch{Repo: f.Repo, Name: f.Group.Branch}
	g := gh.Group{Group: f.Group.Group, Ref: f.Group.Ref, Head: f.Group.Head}
	var all []record
	for _, at := range a.pipelines.guarding(f.Repo) {
		rec, err := a.groupedFor(ctx, at, into, g, f.Group.Gone)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return inOrder(all), nil
}

func (a *App) groupedFor(ctx context.Context, at compiled, into promotion.Branch, g gh.Group, gone bool) (record, error) {
	switch {
	case len(at.pipeline.GuardedOn(into)) == 0:
		return nil, nil
	case gone:
		c := a.candidateOf(at.pipeline, into, g)
		return func(tx *store.Tx) error { return takenDown(tx, at.row.ID, at.pipeline, c) }, nil
	}
	return a.regardGroup(ctx, at.row, at.pipeline, into, g)
}

func (a *App) candidateOf(p *promotion.Pipeline, into promotion.Branch, g gh.Group) store.Candidate {
	return store.Candidate{
		Candidate: promotion.Candidate{Ref: p.RefIn(into.Repo, g.Ref), Into: into, Pull: g.Pull, Head: g.Head}, Seen: a.clock(),
	}
}

// regardGroup looks at what a group of the merge queue changes. A promotion of our own passes at once: it waits for
// nothing but the queue, and what waits for it would wait for itself (T38).
func (a *App) regardGroup(ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, into promotion.Branch, g gh.Group) (record, error) {
	ours := false
	err := a.store.View(ctx, func(tx *store.Tx) error {
		open, err := tx.Ledger.OpenAttempts(into)
		ours = slices.ContainsFunc(open, func(at promotion.Attempt) bool { return at.Pull == g.Pull })
		return err
	})
	if err != nil {
		return nil, err
	}
	c := a.candidateOf(p, into, g)
	if ours {
		return func(tx *store.Tx) error { return passOwn(tx, row.ID, p, c.Candidate, "") }, nil
	}
	return a.regard(ctx, row, p, c, func(client *gh.Client) (promotion.Touched, error) {
		paths, err := client.ChangedPaths(ctx, g.Base, g.Head)
		if errors.Is(err, gh.ErrRefused) { // too much to be listed, or gone by now
			return promotion.Touched{More: true}, nil
		}
		return promotion.Touched{Paths: paths}, err
	})
}

// pullFiles asks for what a pull request changes.
func pullFiles(ctx context.Context, number int) func(*gh.Client) (promotion.Touched, error) {
	return func(client *gh.Client) (promotion.Touched, error) { return client.PullFiles(ctx, number) }
}

// regard asks which guarded files a candidate changes, unless that is known.
func (a *App) regard(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline, c store.Candidate, touched func(*gh.Client) (promotion.Touched, error),
) (record, error) {
	var all []store.Candidate
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		all, err = tx.Facts.Candidates(row.ID)
		return err
	})
	if err != nil || regarded(all, c) {
		return nil, err
	}
	client, err := a.client(c.Into.Repo)
	if err != nil {
		return nil, err
	}
	t, err := touched(client)
	if err != nil {
		return nil, err
	}
	c.Files = p.GuardedFiles(c.Into, t)
	return func(tx *store.Tx) error { return a.keep(tx, row.ID, p, c) }, nil
}

// regarded reports whether it is known already what a candidate changes.
func regarded(all []store.Candidate, c store.Candidate) bool {
	return slices.ContainsFunc(all, func(old store.Candidate) bool { return old.Ref == c.Ref && old.Head == c.Head && !old.Doubted })
}

// keep records a candidate, and has the stages rule on it that guard their files. p is what the files were asked for
// with.
func (a *App) keep(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c store.Candidate) error {
	row, err := tx.Ledger.Pipeline(pipeline)
	if err != nil {
		return err
	}
	now, err := a.pipelines.compiled(row)
	if err != nil {
		return err
	}
	c.Doubted = !now.SameGuards(p)
	before, err := tx.Facts.Candidates(pipeline)
	if err == nil {
		err = tx.Facts.RecordCandidate(pipeline, c)
	}
	if err != nil {
		return err
	}
	for _, old := range before {
		if old.Ref == c.Ref && old.Head != c.Head && !old.Seen.After(c.Seen) {
			if err := releaseAll(tx, pipeline, now, old.Candidate, "It has other commits by now."); err != nil {
				return err
			}
		}
	}
	if err := crowdOut(tx, pipeline, now); err != nil {
		return err
	}
	return recordAll(now.GuardedOn(c.Into), func(s *promotion.Stage) error {
		return tx.Ledger.Touch(store.StageKey{Pipeline: pipeline, Stage: s.Name})
	})
}

// crowdOut dismisses the candidates that are too many.
func crowdOut(tx *store.Tx, pipeline int64, p *promotion.Pipeline) error {
	all, err := tx.Facts.Candidates(pipeline)
	if err != nil {
		return err
	}
	return recordAll(all[min(len(all), mostCandidates):], func(c store.Candidate) error {
		return dismiss(tx, pipeline, p, c, "There are too many others to which something happened since; push to it, and it is looked at again.")
	})
}

// dismiss forgets a candidate that is none any more, and leaves no check behind that would wait for ever.
func dismiss(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c store.Candidate, why string) error {
	all, err := tx.Facts.Candidates(pipeline)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(known store.Candidate) bool { return known.Ref == c.Ref })
	if i < 0 {
		return nil
	}
	there, err := tx.Facts.ForgetCandidate(pipeline, c.Ref, c.Seen)
	if err != nil || !there {
		return err
	}
	return releaseAll(tx, pipeline, p, all[i].Candidate, why)
}

// takenDown dismisses a group that the merge queue is done with. What is told of it late does not concern the next one
// of the same name (T21).
func takenDown(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c store.Candidate) error {
	all, err := tx.Facts.Candidates(pipeline)
	is := func(known store.Candidate) bool { return known.Ref == c.Ref && known.Head == c.Head }
	if err != nil || !slices.ContainsFunc(all, is) {
		return err
	}
	return dismiss(tx, pipeline, p, c, "The merge queue is done with it.")
}

// rereadCandidates finds out which candidates there are, of which nobody may have told.
func (a *App) rereadCandidates(ctx context.Context, l *look) (record, error) {
	if !l.p.Guards() {
		return nil, nil
	}
	var known []store.Candidate
	err := a.store.View(ctx, func(tx *store.Tx) (err error) {
		known, err = tx.Facts.Candidates(l.row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	there, all, err := a.openCandidates(ctx, l)
	if err != nil {
		return nil, err
	}
	return inOrder(append(all, func(tx *store.Tx) error {
		return recordAll(known, func(c store.Candidate) error {
			if there[c.Ref] || l.lost != nil { // what could not be looked at is not gone
				return nil
			}
			return dismiss(tx, l.row.ID, l.p, c, "It is closed, goes into another branch, or there are too many others.")
		})
	})), nil
}

// openCandidates looks at every candidate that GitHub lists, and returns which there are.
func (a *App) openCandidates(ctx context.Context, l *look) (there map[string]bool, all []record, err error) {
	there = map[string]bool{}
	for _, into := range l.p.GuardedBranches() {
		err := a.lookIn(ctx, l, into.Repo, func(client *gh.Client) error {
			some, err := a.openInto(ctx, client, l, into, there)
			all = append(all, some...)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return there, all, nil
}

func (a *App) openInto(
	ctx context.Context, client *gh.Client, l *look, into promotion.Branch, there map[string]bool,
) (all []record, err error) {
	pulls, err := client.NewestPulls(ctx, into.Name)
	if err != nil {
		return nil, err
	}
	groups, err := client.Groups(ctx, into.Name)
	if err != nil {
		return nil, err
	}
	for _, pull := range pulls {
		if pull.Here && isOurs(pull.Branch) {
			continue
		}
		c := candidatePull(l.p, into, pull.Number, pull.Head, pull.Updated)
		there[c.Ref] = true
		rec, err := a.regard(ctx, l.row, l.p, c, pullFiles(ctx, pull.Number))
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	for _, g := range groups {
		there[l.p.RefIn(into.Repo, g.Ref)] = true
		rec, err := a.regardGroup(ctx, l.row, l.p, into, g)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, nil
}

// reguard follows a change of what is guarded: what is not guarded any more waits no longer, and what is guarded now is
// found out by a resync.
func reguard(tx *store.Tx, pipeline int64, before, after *promotion.Pipeline) error {
	if before.SameGuards(after) {
		return nil
	}
	all, err := tx.Facts.Candidates(pipeline)
	if err != nil {
		return err
	}
	for _, s := range before.Guarded() {
		now := after.Stage(s.Name)
		for _, c := range all {
			if now != nil && now.Guard && slices.Contains(after.BranchesOf(now), c.Into) {
				continue
			}
			if err := release(tx, pipeline, s.Name, c.Candidate, "The stage does not guard its files any more."); err != nil {
				return err
			}
		}
	}
	if !after.Guards() {
		return recordAll(all, func(c store.Candidate) error {
			_, err := tx.Facts.ForgetCandidate(pipeline, c.Ref, c.Seen)
			return err
		})
	}
	if err := tx.Facts.DoubtCandidates(pipeline); err != nil {
		return err
	}
	return tx.Clocks.AskResync(pipeline)
}
