package health

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"
)

// facts are what the checks look at. An error beside an answer says why there is none.
type facts struct {
	now       time.Time
	publicURL string
	version   string

	app           gh.Registration
	appErr        error
	installations []gh.Installation
	listErr       error
	attempts      []gh.Attempt // of the last day, the newest first
	attemptsErr   error

	pipelines []served
	discovery store.Clock
	sweep     store.Clock
	received  time.Time // when a webhook came last
	scopes    []store.Scope
	missed    int // webhooks that GitHub could not deliver and that are still missing

	slack    *slackFacts // nil: Slack is not set up
	database database
}

// served is a pipeline that the server knows.
type served struct {
	store.PipelineRow
	pipeline *promotion.Pipeline
	trouble  error // why the stored files mean nothing
	hosting  []promotion.StageName
	heard    map[promotion.Repo][]promotion.Signal // names of signals, where stages have their files
	demands  map[promotion.StageName][]promotion.Demand
	rules    []promotion.BranchRules // of the branches of stages
}

// slackFacts are what is known of Slack.
type slackFacts struct {
	scopes  []string // nil: Slack does not say
	err     error
	failing int // messages that could not be shown
	why     string

	channels store.Channels // in which pipelines are told of
}

// database is what is known of the database.
type database struct {
	url     string
	trouble error // of its last use
	schema  int64
	bytes   int64
	room    uint64
	known   bool      // room is
	servers int       // that work on it
	copied  time.Time // the last time by waybill backup; zero: not known
}

// lookBack is how old a delivery may be that is looked at, and how many are.
const (
	lookBack     = 24 * time.Hour
	attemptPages = 1
)

// gather asks GitHub three times, Slack once, and the database. Only an error of the database ends it.
func (d *Doctor) gather(ctx context.Context) (facts, error) {
	f := facts{now: d.Clock(), publicURL: d.PublicURL, version: d.Version}
	f.app, f.appErr = d.Hub.Registration(ctx)
	f.installations, f.listErr = d.Hub.Installations(ctx)
	f.attempts, _, f.attemptsErr = d.Hub.Attempts(ctx, f.now.Add(-lookBack), attemptPages)
	if d.Slack != nil {
		f.slack = &slackFacts{}
		f.slack.scopes, f.slack.err = d.Slack.Granted(ctx)
	}
	f.database = database{url: d.Database, trouble: d.Store.Trouble(), schema: d.Store.Schema()}
	if path, isFile := strings.CutPrefix(d.Database, "sqlite://"); isFile {
		f.database.room, f.database.known = roomIn(filepath.Dir(path))
		f.database.copied = store.LastBackup(d.Database)
	}
	var err error
	if f.database.servers, err = d.Store.Servers(ctx); err != nil {
		return f, err
	}
	if f.database.bytes, err = d.Store.Size(ctx); err != nil {
		return f, err
	}
	return f, d.Store.View(ctx, func(tx *store.Tx) error { return d.read(tx, &f) })
}

// read reads what the database knows.
func (d *Doctor) read(tx *store.Tx, f *facts) (err error) {
	if f.discovery, err = tx.Clocks.Clock(store.ClockDiscovery); err != nil {
		return err
	}
	if f.sweep, err = tx.Clocks.Clock(store.ClockSweep); err != nil {
		return err
	}
	if f.received, err = tx.Inbox.LastReceived("github"); err != nil {
		return err
	}
	if f.missed, err = tx.Inbox.StillMissed(); err != nil {
		return err
	}
	if f.scopes, err = tx.Names.Scopes(); err != nil {
		return err
	}
	if f.slack != nil {
		if f.slack.failing, f.slack.why, err = tx.Upkeep.FailingInSlack(); err != nil {
			return err
		}
		if f.slack.channels, err = tx.Names.Channels(d.Owners.Sole()); err != nil {
			return err
		}
	}
	rows, err := tx.Pipelines.All()
	for i := 0; err == nil && i < len(rows); i++ {
		var one served
		if one, err = d.readPipeline(tx, rows[i]); err == nil {
			f.pipelines = append(f.pipelines, one)
		}
	}
	return err
}

// readPipeline reads what the database knows of a pipeline.
func (d *Doctor) readPipeline(tx *store.Tx, row store.PipelineRow) (s served, err error) {
	s = served{PipelineRow: row, heard: map[promotion.Repo][]promotion.Signal{}}
	if s.pipeline, s.trouble = d.Pipelines.Compiled(row); s.trouble != nil {
		s.pipeline = &promotion.Pipeline{}
		return s, nil
	}
	if s.hosting, err = tx.Deployments.Hosting(row.ID); err != nil {
		return s, err
	}
	for _, w := range s.awaited() {
		if err := d.hear(tx, &s, w.repo); err != nil {
			return s, err
		}
	}
	return s, d.readRules(tx, &s)
}

// hear reads the names of signals in a repository.
func (d *Doctor) hear(tx *store.Tx, s *served, repo promotion.Repo) error {
	if _, read := s.heard[repo]; read {
		return nil
	}
	s.heard[repo] = d.Unawaited(repo)
	for _, kind := range []promotion.SignalKind{
		promotion.KindCheck, promotion.KindStatus, promotion.KindDeployment,
	} {
		some, err := tx.Signals.HeardOf(repo, kind)
		if err != nil {
			return err
		}
		s.heard[repo] = append(s.heard[repo], some...)
	}
	return nil
}

// readRules reads what the rules of its branches mean for the stages of a pipeline.
func (d *Doctor) readRules(tx *store.Tx, s *served) error {
	s.demands = map[promotion.StageName][]promotion.Demand{}
	for _, stage := range s.pipeline.Stages {
		all, err := d.Demands(tx, s.pipeline, stage)
		if err != nil {
			return err
		}
		s.demands[stage.Name] = all
	}
	for _, on := range s.pipeline.Everywhere() {
		r, err := tx.Branches.Rules(on)
		if err == nil && r.Has(promotion.RuleChecks) {
			err = d.hear(tx, s, on.Repo)
		}
		if err != nil {
			return err
		}
		s.rules = append(s.rules, r)
	}
	return nil
}

// awaited is a name that `verify` waits for in a repository.
type awaited struct {
	promotion.Matcher
	repo   promotion.Repo
	stages []promotion.StageName
}

// awaited returns the names that `verify` lists for the stages that host freight, each once for a repository.
func (s *served) awaited() (all []awaited) {
	for _, stage := range s.pipeline.Stages {
		if !slices.Contains(s.hosting, stage.Name) {
			continue
		}
		for _, of := range s.pipeline.Subjects(stage) {
			for _, m := range of.Verify {
				if m.Kind != promotion.KindRun {
					all = add(all, awaited{promotion.Matcher{Kind: m.Kind, Pattern: m.Pattern, App: m.App}, of.On.Repo, nil},
						stage.Name)
				}
			}
		}
	}
	return all
}

// add adds a name for a stage, or the stage to a name that is there.
func add(all []awaited, one awaited, stage promotion.StageName) []awaited {
	i := slices.IndexFunc(all, func(a awaited) bool { return a.Matcher == one.Matcher && a.repo == one.repo })
	if i < 0 {
		i, all = len(all), append(all, one)
	}
	if !slices.Contains(all[i].stages, stage) {
		all[i].stages = append(all[i].stages, stage)
	}
	return all
}
