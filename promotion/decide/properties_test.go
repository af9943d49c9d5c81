package decide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/gate"

	"pgregory.net/rapid"
)

// TestWhateverHappens draws histories and checks the invariants of every decision after each step. At the end all
// checks succeed, and every promotion must end; once newer freight has gone through, nothing older is left.
func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		t.Repeat(map[string]func(*rapid.T){"step": h.step, "": h.decideAll})
		h.finishWell(t)
		h.leaveNothingBehind(t)
	})
}

// step draws a few events before the next decision.
func (h *history) step(t *rapid.T) {
	for range drawOf(t, h, "at once", 1, 2, 4) {
		switch drawOf(t, h, "action", "freight", "freight", "freight", "begin", "finish", "work", "work", "work",
			"work",
			"work", "carry out", "pull", "signal", "verdicts", "verdicts", "command", "command", "rare") {
		case "freight":
			h.drawFreight(t)
		case "begin":
			h.drawBegin(t)
		case "finish":
			h.drawFinish(t)
		case "work":
			h.drawWork(t)
		case "carry out":
			h.drawCarryOut(t)
		case "pull":
			h.drawPull(t)
		case "signal":
			h.drawSignal(t)
		case "verdicts":
			h.verdicts(drawOf(t, h, "stage", h.p.Stages...), drawOf(t, h, "state", states...))
		case "command":
			h.drawCommand(t)
		default:
			h.drawRare(t)
		}
	}
}

// drawOf draws one of several values. It reorders them at every turn, because rapid favours the first value.
func drawOf[T any](t *rapid.T, h *history, what string, of ...T) T {
	h.turn++
	mixed := uint64(h.turn) * 0x9E3779B97F4A7C15
	mixed = (mixed ^ mixed>>31) * 0xBF58476D1CE4E5B9
	i := (rapid.IntRange(0, len(of)-1).Draw(t, what) + int(mixed>>33)) % len(of)
	t.Logf("%s: %v", what, of[i])
	return of[i]
}

func (h *history) drawFreight(t *rapid.T) {
	w := drawOf(t, h, "warehouse", h.p.Warehouses...)
	n := len(h.freight) + 1
	late := drawOf(t, h, "heard of late by", 0, 0, 0, time.Minute, 3*time.Hour)
	f := promotion.NewFreight(w, n, promotion.SHA(fmt.Sprintf("c%07d", n)), h.now.Add(-late))
	f.Author = drawOf(t, h, "author", ann, bob, promotion.Actor{})
	h.freight = append(h.freight, f)
}

// drawBegin begins a wanted effect, which is carried out later even if it is no longer wanted.
func (h *history) drawBegin(t *rapid.T) {
	if all := h.wanted(); len(all) > 0 && len(h.begun) < 3 {
		h.begun = append(h.begun, drawOf(t, h, "effect", all...))
	}
}

func (h *history) drawFinish(t *rapid.T) {
	if len(h.begun) == 0 {
		return
	}
	i := rapid.IntRange(0, len(h.begun)-1).Draw(t, "effect")
	e := h.begun[i]
	h.begun = slices.Delete(h.begun, i, i+1)
	h.happen(e, drawOf(t, h, "luck", "good", "good", "bad", "none"))
}

func (h *history) drawCarryOut(t *rapid.T) {
	if all := h.wanted(); len(all) > 0 {
		h.happen(drawOf(t, h, "effect", all...),
			drawOf(t, h, "luck", "good", "good", "good", "good", "good", "bad", "none"))
	}
}

// drawWork has GitHub carry out effects for a while; most of the checks succeed.
func (h *history) drawWork(t *rapid.T) {
	for range 3 {
		for _, e := range h.wanted() {
			h.happen(e, "good")
		}
		h.decideAll(t)
	}
	if drawOf(t, h, "checks succeed", true, true, false) {
		h.verdicts(drawOf(t, h, "stage", h.p.Stages...), "success")
	}
}

// drawRare draws an event outside of promotions.
func (h *history) drawRare(t *rapid.T) {
	switch drawOf(t, h, "what", "push", "edit", "edit", "grant", "clock", "clock", "clock", "policy", "removal") {
	case "push":
		h.push(promotion.SHA(fmt.Sprint("push", len(h.pushes))),
			drawOf(t, h, "path", "README.md", "a.yaml", "prod.yaml"))
	case "edit":
		stage := drawOf(t, h, "stage", h.p.Stages...)
		h.push(promotion.SHA(fmt.Sprint("push", len(h.pushes))), string(stage.Name)+".yaml")
		h.say(stage.Name, drawOf(t, h, "key", "api", "web"), drawOf(t, h, "text", "hotfix", "hotfix", "api#1", "web#2"))
	case "grant":
		h.rights[drawOf(t, h, "who", ann, bob).Login] = drawOf(t, h, "right", promotion.Read, promotion.Write,
			promotion.Maintain)
	case "clock":
		h.now = h.now.Add(drawOf(t, h, "step", time.Second, time.Minute, 10*time.Minute, time.Hour, 25*time.Hour))
	case "policy":
		stage := drawOf(t, h, "stage", h.p.Stages...)
		stage.Policy.Automatic = !stage.Policy.Automatic
	case "removal":
		h.removed["prod"] = !h.removed["prod"]
	}
}

// drawPull has people and GitHub act on an open pull request of Waybill.
func (h *history) drawPull(t *rapid.T) {
	numbers := slices.Sorted(maps.Keys(h.pulls))
	if len(numbers) == 0 {
		return
	}
	n := drawOf(t, h, "promotion", numbers...)
	pull := h.open(n)
	if pull == nil {
		return
	}
	pull.Revision++
	switch drawOf(t, h, "what", "merged", "merged", "closed", "conflicts", "changed", "nothing") {
	case "merged":
		h.merge(n, pull, bob)
	case "closed":
		pull.State, pull.By = promotion.PullClosed, bob
	case "conflicts":
		pull.Conflicts = true
	case "changed":
		pull.HeadSHA = "foreign"
	}
}

var states = []string{"success", "success", "success", "success", "failure", "cancelled", "skipped", "neutral", "stale",
	"in_progress"}

func (h *history) drawSignal(t *rapid.T) {
	if len(h.pushes) == 0 {
		return
	}
	commits := []promotion.SHA{"base0"}
	for _, p := range h.pushes {
		commits = append(commits, p.After)
	}
	lasting := only(h.stays, func(y promotion.Deployment) bool { return !y.Ended() })
	for range 5 { // mostly on the commits that are deployed
		for _, y := range lasting {
			commits = append(commits, y.Commit)
		}
	}
	name := drawOf(t, h, "name", "a-smoke", "b-smoke", "prod-smoke", "a-e2e/x", "b-e2e/x", "prod-e2e/x", "shared",
		"other")
	started := h.now.Add(-drawOf(t, h, "started", 0, 0, 0, time.Minute, 5*time.Hour))
	h.run(drawOf(t, h, "commit", commits...), name, drawOf(t, h, "state", states...),
		int64(drawOf(t, h, "suite", 1, 2, 3)), started)
}

// verdicts runs all checks that a stage's freight waits for.
func (h *history) verdicts(stage *promotion.Stage, state string) {
	for _, y := range only(h.stays, func(y promotion.Deployment) bool { return y.Stage == stage.Name && !y.Ended() }) {
		for _, m := range stage.Targets[0].Verify {
			h.run(y.Commit, strings.ReplaceAll(m.Pattern, "*", "/x"), state, h.id(), h.now)
		}
	}
}

func (h *history) drawCommand(t *rapid.T) {
	stage := drawOf(t, h, "stage", "a", "a", "b", "b", "via", "prod", "prod", "nowhere")
	freight := drawOf(t, h, "freight", "", "", "#1", "#2", "#3", "c0000001", "api#2")
	text := drawOf(t, h, "command",
		"/promote "+stage+" "+freight, "/promote "+stage+" "+freight, "/rollback "+stage+" "+freight,
		"/rollback "+stage, "/rollback "+stage,
		"/retry "+stage, "/cancel "+stage, "/hold "+stage, "/hold "+stage+" --for 1h", "/hold "+stage+" web for 1h",
		"/hold --all --for 30m",
		"/unhold "+stage, "/unhold "+stage, "/unhold "+stage+" web", "/unhold --all",
		"/verify "+stage, "/approve "+stage, "/deny "+stage, "/verdict "+stage+" pass --because x",
		"/verdict "+stage+" fail --because x",
		"/admit #1 "+stage+" --because x", "/promote", "/reject "+cmp.Or(freight, "#2")+" "+stage+" --because x",
		"/reject #1 --because x", "/unreject #1", "/fixes #3", "/fixes #4 "+stage)
	h.ask(drawOf(t, h, "who", ann, bob, promotion.Actor{ID: 5, Login: "cleo"}), text)
}

// finishWell lets every promotion succeed: it lifts all holds, GitHub carries out all effects, people merge the pull
// requests that wait for them, and every check succeeds. Every promotion must then end.
func (h *history) finishWell(t *rapid.T) {
	cleo := promotion.Actor{ID: 5, Login: "cleo"}
	h.rights["cleo"], h.removed["prod"] = promotion.Admin, false
	for round := range 100 + 50*len(h.freight) {
		h.decideAll(t)
		if h.idle() {
			return
		}
		for _, o := range only(h.holds, func(o promotion.Hold) bool { return o.Stands(h.now) }) {
			h.ask(cleo, "/unhold "+cmp.Or(string(o.Stage), "--all"))
		}
		for _, r := range only(h.rejects, func(r promotion.Reject) bool { return r.Lifted.IsZero() }) {
			h.ask(cleo, "/unreject "+r.Freight.Name)
		}
		for _, e := range h.wanted() {
			h.happen(e, "good")
		}
		if h.unread() {
			h.push(promotion.SHA(fmt.Sprint("healed", round)), "x.yaml")
		}
		h.decideAll(t)
		h.endWell(t, round, cleo)
		h.now = h.now.Add(time.Minute)
	}
	for _, stage := range h.p.Stages {
		for _, at := range Waits(h.snapshot(stage), h.now) {
			t.Logf("%s: p%d is %s because %s", stage.Name, at.Promotion.Number, at.Promotion.State, at.Reason)
		}
	}
	t.Fatal("something never ends")
}

// leaveNothingBehind lets newer freight of each warehouse go through all stages. No promotion of older freight may be
// left then, whatever it waited for: freight that can come no more holds nothing up, and does not wait for ever.
func (h *history) leaveNothingBehind(t *rapid.T) {
	var newest []promotion.Freight
	for _, w := range h.p.Warehouses {
		n := len(h.freight) + 1
		f := promotion.NewFreight(w, n, promotion.SHA(fmt.Sprintf("c%07d", n)), h.now)
		f.Author = bob
		h.freight, newest = append(h.freight, f), append(newest, f)
	}
	cleo := promotion.Actor{ID: 5, Login: "cleo"}
	for range 5 { // it comes to a stage once it has gone through those before
		h.now = h.now.Add(3 * time.Hour)
		h.finishWell(t)
		for _, s := range h.p.Stages {
			for _, f := range newest {
				if _, takes := s.Source(f.Warehouse); takes && !s.Policy.Automatic && s.Delivery != promotion.DeliveryNone {
					h.ask(cleo, fmt.Sprintf("/promote %s %s", s.Name, f.Name))
				}
			}
		}
	}
	h.finishWell(t)
	for _, p := range h.promotions {
		for _, f := range newest {
			if !p.State.Ended() && p.Freight.Warehouse == f.Warehouse && p.Freight.ID != f.ID {
				at := Why(h.snapshot(h.p.Stage(p.Stage)), p.Freight.ID, h.now)
				t.Fatalf("%s: p%d of %s is left: %s because %s", p.Stage, p.Number, p.Freight.Name, p.State, at.Reason)
			}
		}
	}
}

// unread reports whether a promotion waits for a file.
func (h *history) unread() bool {
	return slices.ContainsFunc(h.promotions, func(p promotion.Promotion) bool {
		a := h.attempts[p.Number]
		return p.State == promotion.Queued && a != nil && a.Plan.Unreadable()
	})
}

// endWell has people and checks do their part for every active promotion.
func (h *history) endWell(t *rapid.T, round int, who promotion.Actor) {
	for _, p := range h.promotions {
		if pull := h.open(p.Number); pull != nil && p.State == promotion.WaitingForMerge {
			pull.HeadSHA, pull.Conflicts = h.attempts[p.Number].Made.Head, false
			barred, _ := gate.KeeperOf(h.snapshot(h.p.Stage(p.Stage)), h.now).Barred(&p)
			if pull.Revision++; round > 2 && barred.IsZero() {
				h.merge(p.Number, pull, who)
			}
		}
		if p.State != promotion.Verifying {
			continue
		}
		for i := range h.signals {
			if h.signals[i].State == "in_progress" {
				h.signals[i].State, h.signals[i].Ended = "success", h.now
			}
		}
		for i := range h.suites {
			h.suites[i].Completed = true
		}
		if round > 5 {
			h.ask(who, fmt.Sprintf(`/verdict %s pass --because "it is time"`, p.Stage))
		}
	}
}

// idle reports whether no promotion waits, except queued ones that are unverified, failed upstream or
// forbidden, or behind failed freight of another warehouse.
func (h *history) idle() bool {
	for _, stage := range h.p.Stages {
		for _, at := range Waits(h.snapshot(stage), h.now) {
			switch at.Reason.Code {
			case promotion.Unverified, promotion.FailedCheck, promotion.Forbidden, promotion.BeforeFailed:
				continue
			}
			return false
		}
	}
	return true
}
