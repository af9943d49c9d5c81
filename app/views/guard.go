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
	all, err := tx.Candidates.Of(key.Pipeline)
	if err != nil {
		return err
	}
	on, keeper := s.Pipeline.BranchesOf(s.Stage), gate.KeeperOf(s, tx.Now)
	all = slices.DeleteFunc(all, func(c store.Candidate) bool { return !slices.Contains(on, c.Into) })
	if len(all) == 0 {
		return nil
	}
	own, err := ownHeads(tx, on)
	if err != nil {
		return err
	}
	waits := map[promotion.SHA]say.GuardCheck{} // by head: GitHub shows a check on each pull request of the commit
	checks := make([]say.GuardCheck, len(all))
	for i, c := range all {
		checks[i] = say.Guard(s.Pipeline, s.Stage, c.Candidate, keeper.MergeWaits(c.Candidate))
		switch {
		case unread(all, c):
			checks[i] = say.FilesUnread(s.Stage)
		case c.Doubted && !checks[i].Waits:
			checks[i] = say.FilesUnknown(s.Stage)
		}
		if checks[i].Waits {
			waits[c.Head] = checks[i]
		}
	}
	for i, c := range all {
		check, is := waits[c.Head]
		if !is {
			check = checks[i]
		}
		if own[c.Head] || c.Unread && !unread(all, c) {
			continue
		}
		if err := WantGuardCheck(tx, key.Pipeline, key.Stage, c.Candidate, check); err != nil {
			return err
		}
	}
	return nil
}

// unread reports whether it is not known which files a candidate changes: they were not read, nor those of another
// candidate that brings the same commit into the same branch. Nobody keeps the pull request of somebody else from being
// merged by opening one of its commit.
func unread(all []store.Candidate, c store.Candidate) bool {
	return c.Unread && !slices.ContainsFunc(all, func(o store.Candidate) bool {
		return !o.Unread && o.Head == c.Head && o.Into == c.Into
	})
}

// WantGuardCheck writes down the check run of a guarded stage on a candidate.
func WantGuardCheck(
	tx *store.Tx, pipeline int64, stage promotion.StageName, c promotion.Candidate, r say.GuardCheck,
) error {
	run := CheckView{Repo: c.Into.Repo, Pull: c.Pull, CheckRun: gh.CheckRun{
		Pipeline: pipeline, SHA: c.Head, Name: "waybill / " + string(stage), Subject: "guard",
		Title: r.Title, Summary: r.Summary, Status: "completed", Conclusion: "success",
	}}
	switch {
	case r.Waits:
		run.Status, run.Conclusion = "in_progress", ""
	case r.Moot:
		run.Conclusion = "neutral"
	case r.Left:
		run.Conclusion = "cancelled" // which a branch that requires the check does not take for passed
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

// leaveToGuards reports whether the check of a guarded stage on the head of a promotion tells of other pull requests by
// now: that of the promotion is open no more, or shows another commit, and people propose this one. Other guarded
// stages that have let the promotion pass decide anew.
func leaveToGuards(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, opened promotion.Attempt,
) (bool, error) {
	if !s.Pipeline.Guards() {
		return false, nil
	}
	own, err := ownHeads(tx, []promotion.Branch{opened.Files})
	if err != nil || own[opened.Made.Head] {
		return false, err
	}
	all, err := tx.Candidates.Of(key.Pipeline)
	proposes := func(c store.Candidate) bool { return c.Head == opened.Made.Head && c.Into == opened.Files }
	if err != nil || !slices.ContainsFunc(all, proposes) {
		return false, err
	}
	return s.Stage.Guard, work.RecordAll(s.Pipeline.GuardedOn(opened.Files), func(other *promotion.Stage) error {
		var run CheckView
		_, err := surface.Wanted(tx, HeadAddress(key.Pipeline, other.Name, opened.Made.Head), &run)
		if err != nil || other.Name == key.Stage || run.Title != say.PassOwn(other).Title {
			return err
		}
		return tx.Stages.Touch(store.StageKey{Pipeline: key.Pipeline, Stage: other.Name})
	})
}

// Ending says how a candidate ended.
type Ending struct {
	Why     string // a sentence
	Merged  bool   // checks that have passed stay so
	Crowded bool   // it is open, and beyond the limit
	Unknown bool   // nobody knows which files it changes
}

// EndAll has the stages of a pipeline that guard a branch end their checks on a candidate which is none any more.
// A check that waits, or may not count later, never ends as passed: the commit may be the head of another pull
// request, or of the same one again. If it is the head of another candidate, the stages decide about that one.
func EndAll(tx *store.Tx, pipeline int64, p *promotion.Pipeline, c promotion.Candidate, by Ending) error {
	last := say.NoCandidate(by.Why)
	if by.Crowded {
		last = say.NotFollowed()
	}
	all, err := tx.Candidates.Of(pipeline)
	if err != nil {
		return err
	}
	own, err := ownHeads(tx, []promotion.Branch{c.Into})
	if err != nil {
		return err
	}
	return work.RecordAll(p.GuardedOn(c.Into), func(s *promotion.Stage) error {
		key, on := store.StageKey{Pipeline: pipeline, Stage: s.Name}, p.BranchesOf(s)
		shares := func(o store.Candidate) bool { return o.Head == c.Head && slices.Contains(on, o.Into) }
		if own[c.Head] || slices.ContainsFunc(all, shares) {
			return tx.Stages.Touch(key)
		}
		leaves := len(p.On(s, c.Into).ChangedBy(c)) == 0 && !by.Unknown
		switch { // one beyond the limit has its check also if it has had none yet
		case by.Crowded && leaves:
			return WantGuardCheck(tx, pipeline, s.Name, c, say.Guard(p, s, c, nil))
		case by.Crowded:
			return WantGuardCheck(tx, pipeline, s.Name, c, last)
		}
		return end(tx, key, c, by.Merged || leaves, last)
	})
}

// ownHeads returns the commits of ours that open pull requests of promotions into branches show. Their checks tell of
// the promotion, also when a person opens another pull request with such a commit.
func ownHeads(tx *store.Tx, into []promotion.Branch) (map[promotion.SHA]bool, error) {
	heads := map[promotion.SHA]bool{}
	err := work.RecordAll(into, func(on promotion.Branch) error {
		open, err := tx.Attempts.HeadsInto(on)
		for _, head := range open {
			heads[head] = true
		}
		return err
	})
	return heads, err
}

// end changes a check run on a commit that is the head of no candidate any more. One that has passed is kept if passed
// says that it may be.
func end(tx *store.Tx, key store.StageKey, c promotion.Candidate, passed bool, r say.GuardCheck) error {
	var run CheckView
	there, err := surface.Wanted(tx, HeadAddress(key.Pipeline, key.Stage, c.Head), &run)
	if err != nil || !there || passed && run.Status == "completed" {
		return err
	}
	return WantGuardCheck(tx, key.Pipeline, key.Stage, c, r)
}

// Unguard ends a check run that waits for a stage which guards its files no longer.
func Unguard(tx *store.Tx, key store.StageKey, c promotion.Candidate) error {
	return end(tx, key, c, true, say.NoGuard())
}
