package app

import (
	"context"
	"errors"
	"fmt"
	"waybill/app/gh"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/say"
	"waybill/store"

	"github.com/rs/zerolog"
)

// protectionView is what a view of kind barrier holds: a job that waits before a stage's environment, and what it is
// told.
type protectionView struct {
	Repo        promotion.Repo
	Run         int64
	Environment string
	SHA         promotion.SHA
	Asked       int    // how often: a run that is started again asks again
	State       string // as GitHub calls the answer; gh.Undecided: it waits
	Report      string // why; empty: nobody has looked yet
}

// protectionRulesOf is the surface under which the jobs that wait before a stage's environment are.
func protectionRulesOf(key store.StageKey) string {
	return fmt.Sprintf("barrier:%d/%s", key.Pipeline, key.Stage)
}

// barred takes note of a job that waits before an environment, on which the stage rules that has it: the first, if
// several do. Where no stage has it nobody ever would, and the job is turned away at once.
func (a *App) barred(ctx context.Context, f *handlers.Facts) (record, error) {
	if f.Barrier == nil {
		return nil, nil
	}
	for _, c := range a.pipelines.writingTo(f.Repo) {
		for _, s := range c.pipeline.Stages {
			if s.Inhabits(f.Barrier.Environment) && c.pipeline.WritesTo(s, f.Repo) {
				return waitAtBarrier(store.StageKey{Pipeline: c.row.ID, Stage: s.Name}, f), nil
			}
		}
	}
	client, err := a.hub.Installation(f.Installation, f.Repo)
	if err != nil {
		return nil, err
	}
	why := say.NoStageFor(f.Repo, f.Barrier.Environment)
	return nil, taken(ctx, client, client.AnswerProtectionRule(ctx, f.Barrier.Run, f.Barrier.Environment, gh.Rejected, why))
}

func waitAtBarrier(key store.StageKey, f *handlers.Facts) record {
	b := protectionView{Repo: f.Repo, Run: f.Barrier.Run, Environment: f.Barrier.Environment, SHA: f.Barrier.SHA}
	v := store.View{Surface: fmt.Sprintf("%s/%d", protectionRulesOf(key), b.Run), Pipeline: key.Pipeline, Stage: key.Stage, Kind: viewProtectionRule}
	return func(tx *store.Tx) error {
		var before protectionView
		there, err := wanted(tx, v.Surface, &before)
		if err != nil || there && before.State == gh.Undecided {
			return err // it waits already
		}
		b.Asked = before.Asked + 1
		return errors.Join(want(tx, v, b), tx.Ledger.Touch(key))
	}
}

// wantProtectionRules rules on the jobs that wait before a stage's environment.
func wantProtectionRules(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	if !s.Stage.Settled() {
		return nil
	}
	keeper := gate.KeeperOf(s, tx.Now)
	return eachProtectionRule(tx, key, func(b protectionView) say.GuardCheck {
		return say.ProtectionRule(s.Stage, keeper.JobWaits(b.Environment, b.SHA))
	})
}

// eachProtectionRule writes down what becomes of the jobs that wait before a stage's environment.
func eachProtectionRule(tx *store.Tx, key store.StageKey, rule func(protectionView) say.GuardCheck) error {
	all, err := tx.Views.ViewsUnder(protectionRulesOf(key))
	if err != nil {
		return err
	}
	return recordAll(all, func(v store.View) error {
		var b protectionView
		if err := looks(&v, &b); err != nil || b.State != gh.Undecided {
			return err
		}
		r := rule(b)
		switch {
		case r.Waits && b.Report != "":
			return nil // GitHub takes ten reports of one rule: the first says enough
		case r.Moot:
			b.State = gh.Rejected
		case !r.Waits:
			b.State = gh.Approved
		}
		b.Report = r.Title
		return want(tx, v, b)
	})
}

// lower turns away the jobs that wait for a stage which does not have their environment any more.
func lower(tx *store.Tx, pipeline int64, before, after *promotion.Pipeline) error {
	return recordAll(before.Stages, func(s *promotion.Stage) error {
		if !s.Settled() {
			return nil
		}
		now := after.Stage(s.Name)
		return eachProtectionRule(tx, store.StageKey{Pipeline: pipeline, Stage: s.Name}, func(b protectionView) say.GuardCheck {
			if now != nil && now.Inhabits(b.Environment) {
				return say.GuardCheck{Waits: true, Title: b.Report} // as before
			}
			return say.NoProtectionRule(s.Name, b.Environment)
		})
	})
}

// showProtectionRule tells GitHub what becomes of a job, or why it waits, once, and returns what it was told.
func (a *App) showProtectionRule(ctx context.Context, v *store.View) (told string, err error) {
	var b protectionView
	if err := looks(v, &b); err != nil {
		return v.RemoteID, err
	}
	told = fmt.Sprintf("%d %s", b.Asked, b.State)
	if b.Report == "" || told == v.RemoteID {
		return v.RemoteID, nil
	}
	client, err := a.client(b.Repo)
	if err != nil {
		return v.RemoteID, err
	}
	return told, taken(ctx, client, client.AnswerProtectionRule(ctx, b.Run, b.Environment, b.State, b.Report))
}

// taken lets it be where GitHub does not take an answer: the job was answered before, cancelled, or let through by
// somebody. Where the App has no access, it is given when that comes back.
func taken(ctx context.Context, client *gh.Client, err error) error {
	if err = client.Missing(ctx, err); errors.Is(err, gh.ErrRefused) && !errors.Is(err, gh.ErrNoAccess) {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("GitHub does not take the answer to a job; it may not wait any more, or the App may not write deployments")
		return nil
	}
	return err
}
