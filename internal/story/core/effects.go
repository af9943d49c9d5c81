package core

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"waybill/internal/story"
	"waybill/promotion"
)

// carryOut carries out one effect. A crash before it leaves the effect due. A crash after it leaves the effect done but
// not recorded, and the second try finds it done.
func (w *World) carryOut(j *job) {
	if w.settles(j) {
		return
	}
	if w.faults.crashAt("before", j.Verb) {
		return
	}
	if code := w.faults.fails(j.Verb); code != 0 {
		w.failed(j, code)
		return
	}
	record := w.perform(j)
	if w.faults.crashAt("after", j.Verb) {
		record = w.perform(j)
	}
	j.done = true
	record()
}

// perform carries out an effect at GitHub, unless it is already done there. The returned function records the result.
func (w *World) perform(j *job) (record func()) {
	switch j.Verb {
	case promotion.PlanVerb:
		return func() { w.plan(j) }
	case promotion.Open:
		return w.open(j)
	case promotion.Merge:
		return w.merge(j)
	case promotion.Commit:
		return w.commit(j)
	case promotion.Dispatching:
		return w.dispatch(j)
	case promotion.Compare:
		return func() { w.compare(j) }
	case promotion.Close:
		return w.close(j)
	case promotion.Observe:
		return func() { w.observe(j) }
	case promotion.Look:
		return func() { w.learn(w.github.everyFile) }
	case promotion.Probe:
		return func() { w.probe(j) }
	case promotion.Tell:
		return func() { w.tell(j) }
	}
	return func() { w.reply(j) }
}

// open makes the commit and the pull request of a promotion, or moves its branch to a new commit.
func (w *World) open(j *job) func() {
	p := w.memory.promotion(j.Promotion)
	name := strings.NewReplacer("#", "-", "@", "-").Replace(p.Freight.Name)
	branch := fmt.Sprintf("waybill/%s/%s/%d", p.Stage, name, p.Number)
	if p.Rolls() {
		branch += fmt.Sprintf("-%s-%d", p.Rollout.BatchName(), j.Step)
	}
	it := w.github.pullFor(p.Number, j.Step)
	if it == nil || it.round != j.Round {
		it = w.github.open(p, w.memory.attempt(p.Number).Files, branch, w.writes[p.Number], w.now)
		it.round = j.Round
	}
	return func() {
		a := w.memory.attempt(p.Number)
		a.Propose(promotion.Made{Round: int(j.Round), Base: it.baseSHA, Head: it.HeadSHA}, branch, it.Number)
		w.learn(pullFact(it.Pull))
		w.say(j, a.Plan.Paths...)
	}
}

// compare compares what a pull request shows with what was planned.
func (w *World) compare(j *job) {
	it, planned := w.github.pullFor(j.Promotion, j.Step), w.writes[j.Promotion]
	has := promotion.Comparison{Head: it.HeadSHA}
	for _, path := range sortedKeys(it.writes) {
		is, was := it.writes[path], planned[path]
		if is == nil || was == nil || *is != *was {
			has.Foreign = append(has.Foreign, path)
		}
	}
	w.memory.attempt(j.Promotion).Compared = has
}

func (w *World) merge(j *job) func() {
	it := w.github.pullFor(j.Promotion, j.Step)
	if it.State == promotion.PullOpen {
		w.github.merge(it, promotion.Actor{}, w.now)
	}
	return func() {
		w.learn(pullFact(it.Pull))
		if it.State == promotion.PullMerged && it.By.Bot() {
			w.say(j)
		}
	}
}

// settles handles a commit or a workflow start that GitHub answered with an error, and reports whether the attempt has
// one. The simulated GitHub never carried it out, so settles abandons it, to be decided anew. For a workflow this is
// certain only after two minutes.
func (w *World) settles(j *job) bool {
	if j.Verb != promotion.Commit && j.Verb != promotion.Dispatching {
		return false
	}
	a := w.memory.attempt(j.Promotion)
	switch {
	case !a.Underway():
		return false
	case a.State == promotion.AttemptStarting && w.now.Sub(a.Dispatched) < 2*time.Minute:
		j.tries++
		j.due = w.now.Add(retryAfter(j.tries))
	default:
		a.Abandon()
		j.tries++
	}
	return true
}

// dispatch starts the workflow of a promotion.
func (w *World) dispatch(j *job) func() {
	run := w.github.runFor(j.Promotion)
	if run == nil {
		run = w.github.startRun(j.Promotion, j.Stage, w.now)
	}
	return func() {
		a := w.memory.attempt(j.Promotion)
		a.BeginStart(w.now)
		a.Deliver(promotion.Made{Round: 1, Base: run.SHA, Head: run.SHA, At: run.Started})
		w.learn(signalFact(run.Signal))
		w.say(j, a.Plan.Paths...)
	}
}

// commit puts the commit of a promotion on the branch. If the branch has moved, commit makes the plan anew.
func (w *World) commit(j *job) func() {
	a := w.memory.attempt(j.Promotion)
	sha, found := w.github.commitOf(j.Key())
	if !found && w.planAnew(j, a) {
		sha, found = w.github.commitDirectly(j.Key(), a.Files, w.writes[j.Promotion], w.now), true
	}
	return func() {
		if !found {
			a.Miss(int(j.Round))
			return
		}
		a.BeginCommit(j.Step, int(j.Round))
		a.Deliver(promotion.Made{Round: int(j.Round), Base: a.Plan.Base, Head: sha, At: w.now})
		w.say(j, a.Plan.Paths...)
	}
}

// close closes the pull request of a promotion that has ended, if it exists.
func (w *World) close(j *job) func() {
	it := w.github.pullFor(j.Promotion, j.Step)
	if it == nil {
		return func() {}
	}
	if it.State == promotion.PullOpen {
		w.github.close(it, promotion.Actor{}, w.now)
	}
	return func() {
		w.learn(pullFact(it.Pull))
		if it.State == promotion.PullClosed && it.By.Bot() {
			w.say(j)
		}
	}
}

// observe reads all signals from GitHub and records the time of the answer.
func (w *World) observe(j *job) {
	w.readSignals()
	w.memory.attempt(j.Promotion).Observed = w.now
	for i := range w.memory.requests {
		if w.memory.requests[i].ID == j.Request && j.Request != 0 {
			w.memory.requests[i].Observed = w.now
		}
	}
	w.say(j)
}

// tell prints a comment on the freight's source pull request. It does not print messages about void approvals.
func (w *World) tell(j *job) {
	if j.Outcome == string(promotion.Void) {
		return
	}
	f := w.memory.freightByID(j.Freight)
	line := story.Line{
		At: w.now, Where: story.Where{Stage: j.Stage}, Promotion: j.Promotion,
		Act: story.Act{Word: string(promotion.Tell), Args: []string{j.Outcome}},
	}
	if f.Pull != 0 {
		line.Where = story.Where{Pull: story.Pull{Repo: f.Repo, Number: f.Pull}}
	}
	w.lines = append(w.lines, line)
}

// reply answers a command on the surface that it came from.
func (w *World) reply(j *job) {
	line := story.Line{
		At: w.now, Where: surfaceOf(j.Surface), Reason: j.Reason,
		Act: story.Act{Word: string(promotion.Reply), Args: []string{j.Outcome}},
	}
	w.lines = append(w.lines, line)
}

// say prints an effect as an act of its promotion.
func (w *World) say(j *job, args ...string) {
	p := w.memory.promotion(j.Promotion)
	w.lines = append(w.lines, story.Line{
		At: w.now, Where: story.Where{Stage: j.Stage}, Promotion: j.Promotion, Freight: p.Freight.Name, Class: p.Class,
		Act: story.Act{Word: string(j.Verb), Args: args},
	})
}

// failed handles an error that GitHub answers. A transient error is retried later. A refused merge waits until an event
// could change the answer. Any other refusal is retried until GitHub has refused for too long; a final answer ends the
// effect, unless the effect is Repeated.
func (w *World) failed(j *job, code int) {
	j.tries++
	delay := retryAfter(j.tries)
	a := w.memory.attempt(j.Promotion)
	switch {
	case passes(code):
		j.due, j.rejection = w.now.Add(delay), promotion.Rejection{}
		switch j.Verb {
		case promotion.Commit:
			a.BeginCommit(j.Step, int(j.Round))
		case promotion.Dispatching:
			a.BeginStart(w.now)
		}
	case j.Verb == promotion.Merge && refusesMerge(code):
		j.done = true
		a.RefuseMerge(j.Round, fmt.Sprint(code))
	case !final(j.Verb, code) || j.Verb.Is(promotion.Repeated):
		spent := false
		j.rejection, spent = patience.With(j.Effect).After(j.rejection, refusal, j.due, w.now, delay)
		j.due = j.rejection.Again
		if spent && !j.Verb.Is(promotion.Repeated) {
			w.giveUp(j)
		}
	default:
		w.giveUp(j)
	}
}

// giveUp ends an effect that cannot be carried out. If the effect is Fatal, the attempt fails.
func (w *World) giveUp(j *job) {
	j.done = true
	if j.Verb.Is(promotion.Fatal) {
		w.memory.attempt(j.Promotion).Fail(promotion.Because(promotion.Refused))
	}
}

// passes reports whether an error is transient: the same call may succeed later.
func passes(code int) bool {
	switch code {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return code >= http.StatusInternalServerError
}

// refusesMerge reports whether an answer is about the merge rather than about the caller.
func refusesMerge(code int) bool {
	return code == http.StatusMethodNotAllowed || code == http.StatusConflict || code == http.StatusUnprocessableEntity
}

// final reports whether an answer is the same on every try. A pull request that GitHub does not find for the merge may
// be there the next time.
func final(v promotion.Verb, code int) bool {
	switch code {
	case http.StatusBadRequest, http.StatusGone:
		return true
	case http.StatusNotFound:
		return v != promotion.Merge
	case http.StatusUnprocessableEntity:
		return v == promotion.Dispatching
	}
	return false
}
