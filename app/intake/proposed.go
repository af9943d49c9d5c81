package intake

import (
	"context"
	"errors"
	"maps"
	"slices"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/app/learn"
	"waybill/app/pipelines"
	"waybill/app/views"
	"waybill/app/work"
	"waybill/config"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// proposals works out what pipeline files would do that pull requests propose. They are not in force, regardless of the
// author (T23).
type proposals struct {
	*env.Env
	rules *learn.Rules
	pulls *learn.PullFiles
	large lane // for those that cost much
}

// check reads the pipeline files of a pull request that changes them, and shows their problems or their effects on
// the pull request.
func (ps *proposals) check(ctx context.Context, from *handlers.From, pull *handlers.ProposedPull) (work.Record, error) {
	row, err := ps.Home(ctx, from.RepoID)
	if err != nil || row.ID == 0 {
		return nil, err
	}
	client, err := ps.Hub.Installation(from.Installation, from.Repo)
	if err != nil {
		return nil, err
	}
	reader := learn.Reader{Row: row, Fork: pull.Fork, By: pull.By}
	may, err := ps.pulls.May(ctx, client, reader, env.UnreadProposal)
	if err != nil {
		return nil, err
	}
	if !may {
		return show(row, pull, unread(row)), nil
	}
	most := 0
	if pull.Fork {
		most = config.ProposedBytes
	}
	p, err := ps.readProposal(ctx, client, row, pull, most)
	if err != nil {
		return nil, err
	}
	if row.ConfigError == "" && p.trouble == "" && !p.long && sameFiles(row, p.next) {
		return nil, nil
	}
	changes, err := ps.changesConfig(ctx, client, learn.Change{Told: from, Number: pull.Number}, reader, p.inventories)
	switch {
	case errors.Is(err, learn.ErrUnread):
		return show(row, pull, unread(row)), nil
	case err != nil || !changes:
		return nil, err // its branch only lacks changes of the base
	}
	unasked, err := ps.unasked(ctx, row, pull)
	if err != nil {
		return nil, err
	}
	if unasked {
		run, err := ps.checked(ctx, row, p)
		if err != nil {
			return nil, err
		}
		return show(row, pull, run), nil
	}
	if p.long {
		if p, err = ps.readProposal(ctx, client, row, pull, 0); err != nil {
			return nil, err
		}
	}
	run, err := ps.workOut(ctx, client, row, p, pull.Head)
	if err != nil {
		return nil, err
	}
	return show(row, pull, run), nil
}

// show returns the record of a check run on the pipeline files that a pull request proposes.
func show(row store.PipelineRow, pull *handlers.ProposedPull, run views.CheckView) work.Record {
	run.SHA, run.Pull = pull.Head, pull.Number
	return func(tx *store.Tx) error { return views.WantOnConfig(tx, row, run) }
}

// nothing returns the record of the check run on a pull request that was not read before, and changes no pipeline file.
func (ps *proposals) nothing(
	ctx context.Context, from *handlers.From, pull *handlers.ProposedPull,
) (work.Record, error) {
	row, err := ps.Home(ctx, from.RepoID)
	if err != nil || row.ID == 0 {
		return nil, err
	}
	run := onProposal(row)
	run.Title, run.Summary = say.ProposesNothing, say.ProposesNothing+".\n"
	return show(row, pull, run), nil
}

// proposal is a pipeline as a pull request would have it.
type proposal struct {
	next        store.PipelineRow
	exists      bool     // it has a pipeline file
	inventories []string // that its pipeline files name, or those in force
	trouble     string   // why one of its files cannot be read
	long        bool     // its pipeline files are longer than a stranger's may be, and have not all been read
}

// size is how many bytes the files have.
func (p proposal) size() int { return len(p.next.Config) + len(p.next.Policy) + len(p.next.Found) }

// isLong reports whether a worker has no time to read the files, however plain they are.
func (p proposal) isLong() bool { return p.size() > config.QuickBytes }

// readProposal reads the pipeline files of a pull request, and the inventories that they name, unless the former are
// longer than most bytes; 0: than any. Only a person with write access has longer ones looked for.
func (ps *proposals) readProposal(
	ctx context.Context, client *gh.Client, row store.PipelineRow, pull *handlers.ProposedPull, most int,
) (p proposal, err error) {
	p.next = row
	if before, err := ps.Pipelines.Compiled(row); err == nil {
		p.inventories = before.Inventories
	}
	p.exists, p.trouble, err = learn.ReadProposed(ctx, client, pull.Head, most, &p.next)
	if p.long = errors.Is(err, learn.ErrLong); p.long {
		return p, nil
	}
	if err != nil || p.trouble != "" {
		return p, err
	}
	err = ps.quickly(ctx, p.isLong(), func(bool) (bool, error) {
		named := config.Inventories(p.next.Config, pipelines.FoundIn(p.next).Parts)
		p.inventories = slices.Concat(p.inventories, named)
		return true, nil
	})
	if err != nil {
		return p, err
	}
	p.trouble, err = learn.ReadInventories(ctx, client, pull.Head, &p.next)
	return p, err
}

// unasked reports whether a proposal comes from a fork, and its sender has no write access. Its effects are not worked
// out then, because that can cost far more than its files show.
func (ps *proposals) unasked(ctx context.Context, row store.PipelineRow, pull *handlers.ProposedPull) (bool, error) {
	if !pull.Fork {
		return false, nil
	}
	if pull.By.ID == 0 {
		return true, nil
	}
	permission, _, err := ps.Rights.Of(ctx, row, pull.By, false)
	return permission < promotion.Write, err
}

// unread returns the check run on pipeline files that were not read.
func unread(row store.PipelineRow) views.CheckView {
	run := onProposal(row)
	run.Unasked, run.Conclusion, run.Title, run.Summary = true, "neutral", say.UnaskedTitle, say.UnaskedUnread
	return run
}

// checked returns the check run on pipeline files that are only checked by themselves.
func (ps *proposals) checked(
	ctx context.Context, row store.PipelineRow, p proposal,
) (run views.CheckView, err error) {
	run = onProposal(row)
	run.Unasked, run.Conclusion, run.Title, run.Summary = true, "neutral", say.UnaskedTitle, say.Unasked
	switch {
	case !p.exists && !p.long:
		return run, nil
	case p.long || p.size() > config.ProposedBytes:
		run.Summary = say.UnaskedLong
		return run, nil
	case p.trouble != "":
		return bad(run, p.trouble), nil
	}
	var problems config.Problems
	err = ps.quickly(ctx, p.isLong(), func(quick bool) (bool, error) {
		m := meter(quick, config.Proposed)
		problems = ps.Pipelines.Check(p.next, m)
		return !m.Over(), nil
	})
	if run.Annotations = annotations(problems, p.inventories); err == nil && problems.Err() != nil {
		run = bad(run, problems.String())
	}
	return run, err
}

// bad returns the check run on files with a mistake.
func bad(run views.CheckView, trouble string) views.CheckView {
	run.Conclusion, run.Title = "failure", "The pipeline files could not be used"
	run.Summary = say.BadProposal(trouble)
	return run
}

// onProposal returns the check run on pipeline files that are not in force, before anything is known of them.
func onProposal(row store.PipelineRow) views.CheckView {
	return views.CheckView{Repo: row.Repo, CheckRun: gh.CheckRun{
		Pipeline: row.ID, Name: views.ConfigCheck, Subject: "config", Status: "completed", Conclusion: "success",
	}}
}

// sameFiles reports whether two versions of a pipeline have the same files and inventories.
func sameFiles(row, next store.PipelineRow) bool {
	was, is := pipelines.FoundIn(row), pipelines.FoundIn(next)
	return string(row.Config) == string(next.Config) && string(row.Policy) == string(next.Policy) &&
		maps.Equal(was.Parts, is.Parts) && maps.Equal(was.Inventories, is.Inventories)
}

// changesConfig reports whether a pull request may change a pipeline file, or another file among these. Its files are
// read up to the first of them.
func (ps *proposals) changesConfig(
	ctx context.Context, client *gh.Client, c learn.Change, r learn.Reader, others []string,
) (bool, error) {
	does := func(t promotion.Touched) bool {
		return t.Any(func(path string) bool { return learn.IsPipelineFile(path) || slices.Contains(others, path) })
	}
	files, err := ps.pulls.Read(ctx, client, c, r, does)
	return err == nil && does(files.Touched()), err
}

// workOut returns the check run on pipeline files that are not in force.
func (ps *proposals) workOut(
	ctx context.Context, client *gh.Client, row store.PipelineRow, proposed proposal, head promotion.SHA,
) (run views.CheckView, err error) {
	run = onProposal(row)
	c, err := ps.compile(ctx, client, head, proposed)
	if err != nil {
		return run, err
	}
	run.Annotations = annotations(c.problems, proposed.inventories)
	if c.trouble != "" {
		return bad(run, c.trouble), nil
	}
	would, err := ps.foresee(ctx, row, c.row, c.pipeline)
	if err == nil {
		would.Unclaimed, err = ps.unclaimed(ctx, row, c.pipeline)
	}
	if err == nil {
		would.Demands, err = ps.demands(ctx, would.Before, c.pipeline)
	}
	if err != nil {
		return run, err
	}
	would.Missing = ps.Grants.Of(row.ID)
	long := valuesOf(would.Before)+valuesOf(would.After) > config.Proposed.Values
	err = ps.quickly(ctx, long, func(bool) (bool, error) {
		run.Title, run.Summary = would.Words()
		return true, nil
	})
	return run, err
}

// unclaimed lists the channels of Slack that files wish for and that nobody has claimed for their repository's owner.
func (ps *proposals) unclaimed(
	ctx context.Context, row store.PipelineRow, p *promotion.Pipeline,
) (channels []string, err error) {
	if !ps.InSlack {
		return nil, nil
	}
	err = ps.Store.View(ctx, func(tx *store.Tx) error {
		all, err := tx.Names.Channels(ps.Owners.Sole())
		channels = all.Unclaimed(row.Installation, p)
		return err
	})
	return channels, err
}

// annotations puts problems at their places in the pipeline files and inventories of the repository. Problems elsewhere
// are in the summary only.
func annotations(problems config.Problems, inventories []string) []gh.Annotation {
	var all []gh.Annotation
	for _, p := range problems {
		if !learn.IsPipelineFile(p.File) && !slices.Contains(inventories, p.File) {
			continue
		}
		level := "failure"
		if p.Warning {
			level = "warning"
		}
		all = append(all, gh.Annotation{Path: p.File, Line: max(p.Line, 1), Col: p.Col, Level: level, Message: p.Message})
	}
	return all
}
