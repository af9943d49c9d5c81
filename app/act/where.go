package act

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/promotion/decide"
	"waybill/promotion/say"
	"waybill/store"
)

// sought is the commit that a question is about, and its freight, if it has any.
type sought struct {
	title   string
	repo    promotion.Repo
	sha     promotion.SHA
	freight *promotion.Freight
}

// hosting is the freight of a stage that may contain the commit.
type hosting struct {
	snapshot *promotion.Snapshot
	hosts    []promotion.Host
}

// whereReport lists how far freight, or a merged pull request or commit that is no freight itself, has come, stage by
// stage.
func (a reports) whereReport(ctx context.Context, j *job, r promotion.Request) (say.Report, error) {
	found, err := a.seek(ctx, j, r)
	if err != nil {
		return say.Report{}, err
	}
	if found == nil && r.Command.Freight == "" && r.Unmerged {
		return say.NothingMeant(say.Sentence(promotion.Because(promotion.NoFreight,
			string(r.PullRepo)+promotion.PullRef(r.Pull), "unmerged"))), nil
	}
	if found == nil {
		return say.NothingMeant("I know no freight, merged pull request or commit by that name. /status lists what is " +
			"where"), nil
	}
	all, err := a.hostings(ctx, j, found)
	if err != nil {
		return say.Report{}, err
	}
	report := say.Report{Title: found.title, Head: say.WhereHead}
	for _, at := range all {
		row, err := a.whereRow(ctx, found, at)
		if err != nil {
			return say.Report{}, err
		}
		report.Rows = append(report.Rows, row)
	}
	return report, nil
}

// seek returns the freight that a request means, or else the commit of a repository that freight comes from; nil if it
// means neither.
func (a reports) seek(ctx context.Context, j *job, r promotion.Request) (found *sought, err error) {
	err = a.Store.View(ctx, func(tx *store.Tx) error {
		about, err := tx.Requests.FreightMeant(j.Pipeline, r)
		if err != nil || len(about) == 0 {
			return err
		}
		f, err := tx.Freight.ByID(j.Pipeline, about[0])
		found = &sought{f.Name + " " + f.Title, f.Repo, f.SHA, &f}
		return err
	})
	if err != nil || found != nil {
		return found, err
	}
	for _, repo := range sourcesOf(j.pipeline, r.PullRepo) {
		if found, err = a.seekIn(ctx, repo, r); err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// sourcesOf returns the repositories that freight comes from, each once, the likely one first.
func sourcesOf(p *promotion.Pipeline, likely promotion.Repo) (all []promotion.Repo) {
	for _, w := range p.Warehouses {
		switch {
		case slices.Contains(all, w.Repo):
		case w.Repo == likely:
			all = slices.Insert(all, 0, w.Repo)
		default:
			all = append(all, w.Repo)
		}
	}
	return all
}

// wholeCommit is a commit with all of its digits, of either length that Git has.
var wholeCommit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`) })

// seekIn looks in one repository for the merged pull request, or the commit, that a request names or stands on.
func (a reports) seekIn(ctx context.Context, repo promotion.Repo, r promotion.Request) (*sought, error) {
	client, err := a.Client(repo)
	if err != nil {
		return nil, err
	}
	if name := r.Command.Freight; wholeCommit().MatchString(name) {
		there, err := client.Commits.Contains(ctx, promotion.SHA(name), promotion.SHA(name))
		if err != nil || !there {
			return nil, err
		}
		return &sought{title: string(repo) + " at " + name[:12], repo: repo, sha: promotion.SHA(name)}, nil
	}
	number, named := pullIn(repo, r)
	if !named {
		return nil, nil
	}
	pull, err := client.Pulls.Read(ctx, number)
	switch {
	case errors.Is(err, gh.ErrNotFound):
		return nil, nil
	case err != nil || pull.State != promotion.PullMerged:
		return nil, err
	}
	return &sought{title: string(repo) + promotion.PullRef(number), repo: repo, sha: pull.MergeSHA}, nil
}

// pullIn returns the pull request of a repository that a request names, as #142 or acme/api#142, or stands on.
func pullIn(repo promotion.Repo, r promotion.Request) (number int, named bool) {
	if r.Command.Freight == "" {
		return r.Pull, r.Pull > 0 && r.PullRepo == repo
	}
	digits, named := strings.CutPrefix(strings.TrimPrefix(r.Command.Freight, string(repo)), "#")
	number, err := strconv.Atoi(digits)
	return number, named && err == nil && number > 0
}

// hostings returns the hosted freight of every stage that takes freight of the repository.
func (a reports) hostings(ctx context.Context, j *job, found *sought) (all []hosting, err error) {
	var about []promotion.FreightID
	if found.freight != nil {
		about = append(about, found.freight.ID)
	}
	err = a.Store.View(ctx, func(tx *store.Tx) error {
		for _, stage := range j.pipeline.Stages {
			if !takes(j.pipeline, stage, found) {
				continue
			}
			s, err := tx.Ledger.Snapshot(j.pipeline, store.StageKey{Pipeline: j.Pipeline, Stage: stage.Name}, about...)
			if err != nil {
				return err
			}
			all = append(all, hosting{s, decide.Explain(s, tx.Now).HostsOf(found.repo)})
		}
		return nil
	})
	return all, err
}

// takes reports whether a stage may get the freight or commit.
func takes(p *promotion.Pipeline, stage *promotion.Stage, found *sought) bool {
	if found.freight != nil {
		_, from := stage.Source(found.freight.Warehouse)
		return from
	}
	return slices.ContainsFunc(stage.From,
		func(s promotion.Source) bool { return p.Warehouse(s.Warehouse).Repo == found.repo })
}

// whereRow says how far the freight or commit has come in one stage.
func (a reports) whereRow(ctx context.Context, found *sought, at hosting) ([]string, error) {
	client, err := a.Client(found.repo)
	if err != nil {
		return nil, err
	}
	for _, host := range at.hosts {
		if found.freight != nil && host.Freight.ID == found.freight.ID {
			break // its own row says how it stands there
		}
		contains, err := client.Commits.Contains(ctx, host.Freight.SHA, found.sha)
		if err != nil {
			return nil, err
		}
		if contains {
			return say.WithinRow(at.snapshot.Stage.Name, host), nil
		}
	}
	if found.freight == nil {
		return say.WithoutRow(at.snapshot.Stage.Name, at.hosts), nil
	}
	return say.WhereRow(decide.Why(at.snapshot, found.freight.ID, a.Clock())), nil
}
