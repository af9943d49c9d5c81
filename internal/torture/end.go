package torture

import (
	"slices"
	"strings"
	"time"

	"waybill/internal/torture/act"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/store"
)

// finish ends all faults, repairs the files that people have broken, and merges one more piece of freight for each
// warehouse, whose checks all succeed. All work must then finish.
func (w *World) finish() {
	w.ledger.Log.Acting = "the end"
	*w.random = *w.plan.Draws(1 << 20)
	w.ledger.GitHub.Faults().Clear()
	w.ledger.GitHub.Behave(0)
	clear(w.ledger.Gaps.Denied)
	w.next.late, w.machine.shape.Large = 0, 0
	if w.ledger.Chat != nil {
		w.ledger.Chat.Faults().Clear()
	}
	w.schedule.hooks, w.cast.Maintainer.Meddles, w.machine.looks = act.Deliveries{}, nil, 0
	w.schedule.mortal = false
	w.ledger.Clock.Correct()
	w.schedule.WakeAll()
	w.schedule.Rest()
	if w.ledger.Clock.Stepped() {
		w.schedule.Pass(61 * time.Minute) // work that a clock an hour fast has put off is due
	}
	w.schedule.Pass(25 * time.Minute) // work that was put off is due
	w.cast.Commander.Grant("ann", "write")
	w.ledger.Checkout.Pipeline.Manual, w.ledger.Checkout.Pipeline.Broken = nil, false
	for i := range w.ledger.Checkout.Pipeline.Stages {
		s := &w.ledger.Checkout.Pipeline.Stages[i]
		s.Merge, s.Soak, s.Freeze = "auto", min(s.Soak, time.Minute), nil
		s.Batches = slices.Clone(s.Batches)
		for j := range s.Batches {
			s.Batches[j].Wait = min(s.Batches[j].Wait, time.Minute)
		}
	}
	w.ledger.Checkout.SetPipeline(w.ledger.Checkout.Pipeline)
	w.cast.Editor.Repair()
	w.cast.Workflows.RepairWorkflows()
	w.resyncAll()
	w.settleAll()
	w.cast.Commander.LetGo()
	for i := range w.ledger.Checkout.Pipeline.Warehouses {
		w.cast.Developer.Publish(plan.Act{A: i, B: 1})
		w.cast.Developer.BuildImages()
		w.schedule.Rest()
	}
	w.settleAll()
	w.watch.AtEnd()
	if w.ledger.Log.Failure == nil {
		w.cast.APIUser.CheckReplies()
	}
}

// resyncAll requests a resync, which finds lost webhooks. No fault is left, so the resync must take place, at the
// latest an hour after GitHub has said that all its requests are used up.
func (w *World) resyncAll() {
	left := w.resyncLeaves()
	if strings.Contains(strings.Join(left, "\n"), "the rate limit is used up") {
		w.schedule.Pass(61 * time.Minute)
		left = w.resyncLeaves()
	}
	if len(left) > 0 {
		w.ledger.Log.Broken(ledger.ResyncTakesPlace, "not resynced: %v", left)
	}
}

// resyncLeaves requests a resync, and returns which pipelines were not resynced, and why.
func (w *World) resyncLeaves() []string {
	asked := w.ledger.Clock.Now().UnixMicro()
	w.schedule.Resync()
	w.schedule.Rest()
	return w.ledger.DB.Texts(`SELECT p.repo || ' ' || c.error FROM pipelines p JOIN clocks c ON c.pipeline = p.id
		WHERE c.name = 'resync' AND (c.done_at IS NULL OR c.done_at < ?)`, asked)
}

// settleAll lets CI succeed, merges the open pull requests of Waybill and lifts holds, until nothing changes any more.
// Each round takes two minutes. A GitHub that takes little content needs hours for the pull requests and replies of a
// crowded pipeline.
func (w *World) settleAll() {
	rounds := 60
	if w.ledger.Shape.TakesHours() {
		rounds = 600
	}
	for range rounds {
		if w.ledger.Log.Failure != nil {
			return
		}
		w.cast.Monitor.ShowAll()
		moved := w.cast.Commander.DriveOn()
		w.cast.Commander.SignOff()
		if w.ledger.Shape.Queued {
			w.cast.CI.OpenGate()
			w.schedule.Rest()
		}
		for _, p := range w.ledger.Remote.Ours("open") {
			if _, err := w.ledger.GitHub.MergePull(p.Repo, p.Number, "ann", "squash"); err != nil {
				_ = w.ledger.GitHub.ClosePull(p.Repo, p.Number, "ann")
			}
		}
		w.schedule.Rest()
		w.cast.CI.TurnGreen()
		w.schedule.Pass(2 * time.Minute)
		if !w.unsettled() && !moved {
			return
		}
		w.cast.Commander.LetGo()
	}
}

// unsettled reports whether promotions, holds or clocks are open, or work is owed. A hold of a stage that has left the
// pipeline stays. Deliveries that the App had no access for are tried again hours later.
func (w *World) unsettled() bool {
	return w.ledger.DB.Count(`SELECT (SELECT COUNT(*) FROM promotions WHERE ended_at IS NULL)
		+ (SELECT COUNT(*) FROM holds WHERE lifted_at IS NULL
			AND stage NOT IN (SELECT name FROM stages WHERE removed_at IS NOT NULL))
		+ (SELECT COUNT(*) FROM stages WHERE wake_at IS NOT NULL OR version > decided)
		+ (SELECT COUNT(*) FROM effects WHERE run_at IS NOT NULL)
		+ (SELECT COUNT(*) FROM deliveries WHERE state = 'waiting' AND NOT (? AND run_at > ?))`,
		w.ledger.Gaps.Parted, w.ledger.Clock.Now().UnixMicro()) > 0
}

// checkTrail checks that the audit trail is intact, and that it has an event of every promotion.
func (w *World) checkTrail() {
	if err := w.machine.program.service.Store.View(w.machine.program.ctx, func(tx *store.Tx) error {
		_, err := tx.Audit.CheckTrail()
		return err
	}); err != nil {
		w.ledger.Log.Broken(ledger.TrailIsWhole, "%v", err)
	}
	if left := w.ledger.DB.Texts(`SELECT number FROM promotions p WHERE NOT EXISTS
		(SELECT 1 FROM events e WHERE e.pipeline = p.pipeline AND e.promotion = p.number)`); len(left) > 0 {
		w.ledger.Log.Broken(ledger.TrailIsWhole, "nothing of promotions %v", left)
	}
}

// end lists the freight and verdict of each stage at the end. It leaves out commits, which depend on the time.
func (w *World) end() string {
	var b strings.Builder
	for _, line := range w.ledger.DB.Texts(`SELECT stage || ' ' || warehouse || ' ' 
		|| (SELECT name FROM freight f WHERE f.id = s.freight AND f.pipeline = s.pipeline)
		|| ' ' || verdict FROM deployments s WHERE left_at IS NULL ORDER BY stage, warehouse`) {
		b.WriteString(line + "\n")
	}
	return b.String()
}
