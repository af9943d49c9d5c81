package views

import (
	"fmt"
	"strings"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/app/work"
	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/say"
	"waybill/store"
)

// ProtectionView is the content of a view of kind barrier: a job that waits before a stage's environment, and its
// answer.
type ProtectionView struct {
	Repo        promotion.Repo
	Run         int64
	Environment string
	SHA         promotion.SHA
	Asked       int    // how often: a run that is started again asks again
	State       string // GitHub's name of the answer; gh.Undecided: the job waits
	Report      string // why; empty: not decided yet
}

// ProtectionAddress begins the addresses of the jobs that wait before a stage's environment.
func ProtectionAddress(key store.StageKey) string {
	return fmt.Sprintf("barrier:%d/%s", key.Pipeline, key.Stage)
}

// JobAddress is the address of the jobs of a workflow run that wait before one environment: GitHub takes one answer for
// all of them, and another one for those before another environment.
func JobAddress(key store.StageKey, run int64, environment string) string {
	return fmt.Sprintf("%s/%d/%s", ProtectionAddress(key), run, strings.ToLower(environment))
}

// wantProtectionRules writes down the answers to the jobs that wait before a stage's environment.
func wantProtectionRules(tx *store.Tx, key store.StageKey, s *promotion.Snapshot) error {
	if !s.Stage.Settled() {
		return nil
	}
	keeper := gate.KeeperOf(s, tx.Now)
	return eachProtectionRule(tx, key, func(b ProtectionView) say.GuardCheck {
		return say.ProtectionRule(s.Stage, keeper.JobWaits(b.Environment, b.SHA))
	})
}

// eachProtectionRule writes down the answer of rule to each job that waits before a stage's environment.
func eachProtectionRule(tx *store.Tx, key store.StageKey, rule func(ProtectionView) say.GuardCheck) error {
	all, err := tx.Views.ViewsUnder(ProtectionAddress(key))
	if err != nil {
		return err
	}
	return work.RecordAll(all, func(v store.View) error {
		var b ProtectionView
		if err := surface.ReadLook(&v, &b); err != nil || b.State != gh.Undecided {
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
		return surface.Want(tx, v, b)
	})
}

// RejectJobs rejects the jobs that wait for a stage which does not have their environment any more.
func RejectJobs(tx *store.Tx, pipeline int64, before, after *promotion.Pipeline) error {
	return work.RecordAll(before.Stages, func(s *promotion.Stage) error {
		if !s.Settled() {
			return nil
		}
		now := after.Stage(s.Name)
		return eachProtectionRule(
			tx, store.StageKey{Pipeline: pipeline, Stage: s.Name}, func(b ProtectionView) say.GuardCheck {
				if now != nil && now.Inhabits(b.Environment) {
					return say.GuardCheck{Waits: true, Title: b.Report} // as before
				}
				return say.NoProtectionRule(s.Name, b.Environment)
			},
		)
	})
}
