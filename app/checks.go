package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"waybill/app/gh"
	"waybill/promotion"
	"waybill/store"
)

// shownFreight bounds how many pieces of freight of a stage have a check run that is kept up to date: the newest.
const shownFreight = 20

// wantChecks writes down how the check runs of a stage should look: one for each freight and stage, on the freight's
// source commit. It is asked once a stage has come to rest: state before prose, and one request instead of three.
func (a *App) wantChecks(tx *store.Tx, p *promotion.Pipeline, key store.StageKey) error {
	s, err := tx.Snapshot(p, key)
	if err != nil || s.Stage.PassThrough() {
		return err
	}
	for i := max(0, len(s.Freight)-shownFreight); i < len(s.Freight); i++ {
		f := s.Freight[i]
		surface := fmt.Sprintf("check:%d/%s/%s", key.Pipeline, key.Stage, f.ID)
		if err := want(tx, key.Pipeline, key.Stage, surface, checkRun(s, f, promotion.Why(s, f.ID, tx.Now))); err != nil {
			return err
		}
	}
	return nil
}

// checkRun is how the check run of a freight and stage looks (DESIGN 4.5).
func checkRun(s *promotion.Snapshot, f promotion.Freight, at promotion.Standing) checkView {
	run := checkView{Repo: f.Repo, CheckRun: gh.CheckRun{
		SHA: f.SHA, Name: "waybill / " + string(s.Stage.Name), ExternalID: fmt.Sprintf("%s/%s", f.Name, s.Stage.Name),
		Status: "completed", Conclusion: "neutral",
	}}
	pull := ""
	if p := at.Promotion; p != nil {
		run.ExternalID = p.Number.String()
		run.Status, run.Conclusion = appearance(p.State)
		if run.Conclusion == "success" && !at.Drift.IsZero() {
			run.Conclusion = "neutral" // it was good, and is not what stands there any more
		}
		pull = s.PullURL(p.Number)
	}
	run.Title, run.Summary = at.Title(), at.Summary(s.Stage.Name, pull)
	return run
}

// wantConfigCheck writes down how the check run on the pipeline files looks: red with everything that is wrong, green once
// it has been put right.
func (a *App) wantConfigCheck(tx *store.Tx, row store.PipelineRow) error {
	run := checkView{Repo: row.Repo, CheckRun: gh.CheckRun{
		SHA: row.ConfigSHA, Name: "waybill / config", ExternalID: "config", Status: "completed", Conclusion: "success",
		Title: "The pipeline files are in force", Summary: "Nothing is wrong with them.",
	}}
	if row.ConfigError != "" {
		run.Conclusion, run.Title, run.Summary = "failure", "The pipeline files cannot be used", promotion.ConfigTrouble(row.ConfigError)
	}
	return want(tx, row.ID, "", fmt.Sprintf("check:%d/config/%s", row.ID, row.ConfigSHA), run)
}

// checkView is a check run and the repository that it belongs to: what a view of kind check holds.
type checkView struct {
	Repo promotion.Repo
	gh.CheckRun
}

// want writes down how a view should look.
func want(tx *store.Tx, pipeline int64, stage promotion.StageName, surface string, run checkView) error {
	wanted, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("describe %s: %w", surface, err)
	}
	_, err = tx.WantView(store.View{Surface: surface, Pipeline: pipeline, Stage: stage, Kind: "check", Wanted: string(wanted)})
	return err
}

// appearance is a state as a check run shows it. What waits is neutral, so that it reddens nobody's main branch.
func appearance(s promotion.State) (status, conclusion string) {
	switch s {
	case promotion.Running, promotion.WaitingForMerge, promotion.Verifying:
		return "in_progress", ""
	case promotion.Succeeded:
		return "completed", "success"
	case promotion.Failed, promotion.VerificationFailed:
		return "completed", "failure"
	case promotion.Cancelled, promotion.Declined:
		return "completed", "cancelled"
	}
	return "completed", "neutral"
}

// showNext shows one view that is not as it is wanted.
func (a *App) showNext(ctx context.Context) (did bool, next time.Time, err error) {
	var v *store.View
	err = a.store.Update(ctx, func(tx *store.Tx) error {
		v, next, err = tx.ClaimView(a.last.view, lease)
		return err
	})
	if err != nil || v == nil {
		return false, next, err
	}
	a.last.view = v.Pipeline
	var id string
	err = a.contained(ctx, inView, func() (err error) {
		id, err = a.show(ctx, v)
		return err
	})
	if ctx.Err() != nil {
		return false, time.Time{}, nil
	}
	return true, time.Time{}, a.store.Update(ctx, func(tx *store.Tx) error {
		if err != nil {
			zerolog.Ctx(ctx).Warn().Err(err).Str("view", v.Surface).Msg("not shown")
			return tx.RetryView(v.Surface, err.Error(), tx.Now.Add(patience(v.Attempts, gh.RetryAfter(err))))
		}
		return tx.ShowedView(v.Surface, v.Wanted, id, time.Time{})
	})
}

// show brings one view to GitHub and returns its id there.
func (a *App) show(ctx context.Context, v *store.View) (id string, err error) {
	var run checkView
	if err := json.Unmarshal([]byte(v.Wanted), &run); err != nil {
		return "", fmt.Errorf("read view %s: %w", v.Surface, err)
	}
	if v.RemoteID != "" {
		if run.ID, err = strconv.ParseInt(v.RemoteID, 10, 64); err != nil {
			return "", fmt.Errorf("read the id of view %s: %w", v.Surface, err)
		}
	}
	run.Fresh = v.Attempts == 1
	client, err := a.client(v.Installation, run.Repo)
	if err != nil {
		return "", err
	}
	n, err := client.SaveCheckRun(ctx, run.CheckRun)
	return strconv.FormatInt(n, 10), err
}
