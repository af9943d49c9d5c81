package torture

import (
	"slices"
	"strings"
	"time"

	"waybill/internal/torture/shape"
	"waybill/store"
)

// finish ends all faults, has people put in order what they have left, and merges one last piece of freight of each
// warehouse whose checks all succeed. Everything must come to its end then.
func (w *World) finish() {
	w.acting = "the end"
	*w.random = *w.plan.draws(1 << 20)
	w.github.Faults().Clear()
	if w.chat != nil {
		w.chat.Faults().Clear()
	}
	w.hooks, w.meddles, w.looks, w.skew = hooks{}, nil, 0, 0
	w.wakeAll()
	w.rest()
	if w.stepped {
		w.pass(61 * time.Minute) // what was put off by a clock that was an hour fast
	}
	w.pass(25 * time.Minute) // what was put off is due
	w.grant("ann", "write")
	w.pipeline.Manual, w.pipeline.Broken = nil, false
	for i := range w.pipeline.Stages {
		w.pipeline.Stages[i].Merge, w.pipeline.Stages[i].Soak = "auto", min(w.pipeline.Stages[i].Soak, time.Minute)
	}
	w.setPipeline(w.pipeline)
	w.repair()
	w.repairWorkflows()
	w.resyncAll()
	w.settleAll()
	w.letGo()
	for i := range w.pipeline.Warehouses {
		w.publish(Act{A: i, B: 1})
		w.buildImages()
		w.rest()
	}
	w.settleAll()
	w.checkEnd()
	if w.failure == nil {
		w.checkReplies()
	}
}

// resyncAll has somebody ask for a resync, which finds what was lost on the way. Nothing is in its way any more, so it
// takes place.
func (w *World) resyncAll() {
	asked := w.programNow().UnixMicro()
	w.program.asked.awake = true
	w.rest()
	left := w.texts(`SELECT p.repo || ' ' || c.error FROM pipelines p JOIN clocks c ON c.pipeline = p.id
		WHERE c.name = 'resync' AND (c.done_at IS NULL OR c.done_at < ?)`, asked)
	if len(left) > 0 {
		w.broken("a resync that is asked for takes place", "not resynced: %v", left)
	}
}

// mend has a person put right the files that cannot be changed any more.
func (w *World) repair() {
	_ = w.push("ann", "Mend", w.pipeline.Lacking(func(s *shape.Stage, path string) bool {
		text, _ := w.contentOf(path)
		_, there := s.Form.Says(text, "api")
		return there
	}))
}

// settleAll lets CI succeed, people merge what is theirs to merge and lift what holds, until nothing moves any more.
func (w *World) settleAll() {
	for range 60 {
		if w.failure != nil {
			return
		}
		w.showAll()
		moved := w.driveOn()
		w.signOff()
		if w.shape.Queued {
			w.openGate()
			w.rest()
		}
		for _, p := range w.ours("open") {
			if _, err := w.github.MergePull(p.Repo, p.Number, "ann", "squash"); err != nil {
				_ = w.github.ClosePull(p.Repo, p.Number, "ann")
			}
		}
		w.rest()
		w.turnGreen()
		w.pass(2 * time.Minute)
		if w.count(`SELECT (SELECT COUNT(*) FROM promotions WHERE ended_at IS NULL) + (SELECT COUNT(*) FROM holds WHERE lifted_at IS NULL)
			+ (SELECT COUNT(*) FROM stages WHERE wake_at IS NOT NULL)`) == 0 && !moved {
			return
		}
		w.letGo()
	}
}

// signOff has people sign off what waits for that.
func (w *World) signOff() {
	for _, p := range w.ours("open") {
		stage := stageIn(p)
		if s := w.pipeline.Stage(stage); s != nil && (s.Approvals > 0 || s.Rolls()) && w.needs(s, p) > 0 {
			w.say("ann", "/approve "+stage, 0)
			w.say("bob", "/approve "+stage, 0)
		}
	}
	w.rest()
}

// turnGreen lets CI succeed for all that is merged, and for all that is merged because of it: nothing waits for a check
// while time passes.
func (w *World) turnGreen() {
	for before := -1; before < len(w.signals) && w.failure == nil; {
		before = len(w.signals)
		for _, s := range w.pipeline.Stages {
			w.allGreen(&s)
		}
		w.rest()
	}
}

// letGo has a person lift every hold, and resume what is paused.
func (w *World) letGo() {
	commands := w.lettingGo()
	if w.count(`SELECT COUNT(*) FROM holds WHERE lifted_at IS NULL AND target = ''`) > 0 {
		commands = append(commands, "/unhold --all")
		for _, s := range w.pipeline.Stages {
			commands = append(commands, "/unhold "+s.Name)
		}
	}
	for _, command := range commands {
		w.say("bob", command, 0)
	}
	if len(commands) > 0 {
		w.rest()
	}
}

// checkTrail: the audit trail is what was written, and tells of every promotion.
func (w *World) checkTrail() {
	if err := w.program.service.Store.View(w.program.ctx, func(tx *store.Tx) error {
		_, err := tx.Audit.CheckTrail()
		return err
	}); err != nil {
		w.broken("the audit trail is what was written", "%v", err)
	}
	if left := w.texts(`SELECT number FROM promotions p WHERE NOT EXISTS
		(SELECT 1 FROM events e WHERE e.pipeline = p.pipeline AND e.promotion = p.number)`); len(left) > 0 {
		w.broken("the audit trail is what was written", "nothing of promotions %v", left)
	}
}

// checkEnd: every stage hosts the last freight, and nothing is open any more.
func (w *World) checkEnd() {
	if w.failure != nil {
		return
	}
	if left := w.texts(`SELECT number || ' ' || stage || ' ' || freight_name || ' ' || state || ' ' || reason FROM promotions WHERE ended_at IS NULL`); len(left) > 0 {
		w.broken("everything comes to its end", "open: %v", left)
	}
	if left := w.texts(`SELECT key || ' ' || error FROM effects WHERE run_at IS NOT NULL`); len(left) > 0 {
		w.broken("everything comes to its end", "owed: %v", left)
	}
	if left := w.texts(`SELECT id || ' ' || error FROM deliveries WHERE state <> 'handled' AND NOT (? AND (state = 'parked' OR run_at > ?))`,
		w.parted, w.programNow().UnixMicro()); len(left) > 0 { // what the App could not look at is left for hours
		w.broken("everything comes to its end", "not handled: %v", left)
	}
	for _, p := range w.ours("open") {
		w.broken("everything comes to its end", "#%d is open", p.Number)
	}
	for _, d := range w.deployments() {
		if d.Creator == "waybill[bot]" && !slices.Contains([]string{"success", "failure", "inactive"}, d.State) {
			w.broken("everything comes to its end", "deployment %s in %s is %q", d.Description, d.Environment, d.State)
		}
	}
	for _, s := range w.pipeline.Stages {
		for _, wh := range s.From {
			w.checkHosts(s, wh)
		}
	}
	w.checkFreight(true)
	w.checkFound(true)
	w.checkAcknowledged()
	w.checkTyped()
	w.checkReleased()
	w.checkAnswered()
}

// checkHosts: a stage says in its file and in the database that it has the last freight of a warehouse.
func (w *World) checkHosts(s shape.Stage, warehouse string) {
	if s.Passes {
		return
	}
	all := w.inOrder(warehouse)
	last := all[len(all)-1]
	if s.Starts {
		w.checkRun(s, last)
	}
	if s.Whole {
		w.checkEnvironment(s, last)
	}
	for _, path := range s.Files() {
		text, _ := w.contentOf(path)
		if is, _ := s.Form.Says(text, warehouse); is != s.Form.Writes(last.value()) {
			w.broken("the last freight is everywhere", "%s does not have %s (%.7s):\n%s", path, last.name(warehouse), last.sha, text)
		}
	}
}

// End says what a history came to: what each stage's file says, without the commits, which depend on the time.
func (w *World) end() string {
	var b strings.Builder
	for _, line := range w.texts(`SELECT stage || ' ' || warehouse || ' ' || (SELECT name FROM freight f WHERE f.id = s.freight AND f.pipeline = s.pipeline)
		|| ' ' || verdict FROM stays s WHERE left_at IS NULL ORDER BY stage, warehouse`) {
		b.WriteString(line + "\n")
	}
	return b.String()
}
