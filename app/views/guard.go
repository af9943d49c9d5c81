package views

import (
	"fmt"
	"slices"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/say"
	"waybill/store"
)

// HeadAddress is the address of a stage's check run on the head of a pull request, or of a group of a merge queue.
func HeadAddress(pipeline int64, stage promotion.StageName, head promotion.SHA) string {
	return fmt.Sprintf("%s%d/%s/head/%s", CheckAddress, pipeline, stage, head)
}

// wantGuardChecks writes down the check runs of a guarded stage on all candidates.
func wantGuardChecks(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	if !s.Stage.Guard {
		return nil
	}
	all, err := tx.Facts.Candidates(key.Pipeline)
	if err != nil {
		return err
	}
	on, keeper := s.Pipeline.BranchesOf(s.Stage), gate.KeeperOf(s, tx.Now)
	return work.RecordAll(all, func(c store.Candidate) error {
		if !slices.Contains(on, c.Into) {
			return nil
		}
		check := say.Guard(s.Pipeline, s.Stage, c.Candidate, keeper.MergeWaits(c.Candidate))
		return WantGuardCheck(tx, key.Pipeline, key.Stage, c.Candidate, check)
	})
}

// WantGuardCheck writes down the check run of a guarded stage on a candidate.
func WantGuardCheck(
	tx *store.Tx, pipeline int64, stage promotion.StageName, c promotion.Candidate, r say.GuardCheck,
) error {
	run := CheckView{Repo: c.Into.Repo, Pull: c.Pull, CheckRun: gh.CheckRun{
		Pipeline: pipeline, SHA: c.Head, Name: "waybill / " + string(stage), ExternalID: "guard",
		Title: r.Title, Summary: r.Summary, Status: "completed", Conclusion: "success",
	}}
	switch {
	case r.Waits:
		run.Status, run.Conclusion = "in_progress", ""
	case r.Moot:
		run.Conclusion = "neutral"
	}
	return surface.Want(tx, store.View{
		Surface: HeadAddress(pipeline, stage, c.Head), Pipeline: pipeline, Stage: stage, Kind: surface.KindCheck,
		Commit: c.Head,
	}, run)
}

// PassOwn has guarded stages let a promotion of our own pass, all but its own stage, which has a check of its own
// there.
func PassOwn(
	tx *store.Tx, pipeline int64, p *promotion.Pipeline, c promotion.Candidate, but promotion.StageName,
) error {
	return work.RecordAll(p.GuardedOn(c.Into), func(s *promotion.Stage) error {
		if s.Name == but {
			return nil
		}
		return WantGuardCheck(tx, pipeline, s.Name, c, say.PassOwn(s))
	})
}

// ReleaseAll calls Release for every stage of a pipeline that guards its files.
func ReleaseAll(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c promotion.Candidate, why string) error {
	return work.RecordAll(p.GuardedOn(c.Into),
		func(s *promotion.Stage) error { return Release(tx, pipeline, s.Name, c, why) })
}

// Release ends a check run that waits for a decision which will not come.
func Release(tx *store.Tx, pipeline int64, stage promotion.StageName, c promotion.Candidate, why string) error {
	var run CheckView
	there, err := surface.Wanted(tx, HeadAddress(pipeline, stage, c.Head), &run)
	if err != nil || !there || run.Status == "completed" {
		return err
	}
	return WantGuardCheck(tx, pipeline, stage, c, say.NoRuling(why))
}
