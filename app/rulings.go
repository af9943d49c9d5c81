package app

import (
	"fmt"
	"slices"
	"waybill/app/gh"
	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/say"
	"waybill/store"
)

// headSurface names the check run of a stage on the head of a pull request, or of a group of a merge queue.
func headSurface(pipeline int64, stage promotion.StageName, head promotion.SHA) string {
	return fmt.Sprintf("%s%d/%s/head/%s", checkSurface, pipeline, stage, head)
}

// wantGuardChecks writes down what a guarded stage says of all that people want to merge.
func wantGuardChecks(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	if !s.Stage.Guard {
		return nil
	}
	all, err := tx.Facts.Candidates(key.Pipeline)
	if err != nil {
		return err
	}
	on, keeper := s.Pipeline.BranchesOf(s.Stage), gate.KeeperOf(s, tx.Now)
	return recordAll(all, func(c store.Candidate) error {
		if !slices.Contains(on, c.Into) {
			return nil
		}
		check := say.Guard(s.Pipeline, s.Stage, c.Candidate, keeper.MergeWaits(c.Candidate))
		return wantGuardCheck(tx, key.Pipeline, key.Stage, c.Candidate, check)
	})
}

// wantGuardCheck writes down how the check run of a guarded stage looks on a candidate.
func wantGuardCheck(tx *store.Tx, pipeline int64, stage promotion.StageName, c promotion.Candidate, r say.GuardCheck) error {
	run := checkView{Repo: c.Into.Repo, Pull: c.Pull, CheckRun: gh.CheckRun{
		Pipeline: pipeline, SHA: c.Head, Name: "waybill / " + string(stage), ExternalID: "guard",
		Title: r.Title, Summary: r.Summary, Status: "completed", Conclusion: "success",
	}}
	switch {
	case r.Waits:
		run.Status, run.Conclusion = "in_progress", ""
	case r.Moot:
		run.Conclusion = "neutral"
	}
	return want(tx, store.View{Surface: headSurface(pipeline, stage, c.Head), Pipeline: pipeline, Stage: stage, Kind: viewCheck}, run)
}

// passOwn has guarded stages let a promotion of our own pass, all but the one that it goes into, which has a check of
// its own there.
func passOwn(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c promotion.Candidate, but promotion.StageName) error {
	return recordAll(p.GuardedOn(c.Into), func(s *promotion.Stage) error {
		if s.Name == but {
			return nil
		}
		return wantGuardCheck(tx, pipeline, s.Name, c, say.PassOwn(s))
	})
}

// releaseAll is release for every stage of a pipeline that guards its files.
func releaseAll(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c promotion.Candidate, why string) error {
	return recordAll(p.GuardedOn(c.Into), func(s *promotion.Stage) error { return release(tx, pipeline, s.Name, c, why) })
}

// release ends a check run that waits though nobody will rule on it any more.
func release(tx *store.Tx, pipeline int64, stage promotion.StageName, c promotion.Candidate, why string) error {
	var run checkView
	there, err := wanted(tx, headSurface(pipeline, stage, c.Head), &run)
	if err != nil || !there || run.Status == "completed" {
		return err
	}
	return wantGuardCheck(tx, pipeline, stage, c, say.NoRuling(why))
}
