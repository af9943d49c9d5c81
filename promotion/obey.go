package promotion

import (
	"strings"
	"time"
)

// obey answers what people ask for, in the order they asked. Stopping is lenient, going is strict. Who asks is checked
// here, when it is carried out, with the rights they have now.
func (w *work) obey() {
	for _, r := range w.Requests {
		if r.Command.Verb == CmdVerify && r.Observed.IsZero() && w.judgeable() >= 0 {
			return // GitHub is being asked; what came later waits for its turn
		}
		w.Requests = w.Requests[1:]
		w.obeyOne(r)
	}
}

func (w *work) obeyOne(r Request) {
	if why := w.misplaced(r); !why.IsZero() {
		w.refuse(r, why)
		return
	}
	if why := w.mayNot(r); !why.IsZero() {
		w.refuse(r, why)
		return
	}
	switch r.Command.Verb {
	case CmdPromote:
		w.obeyPromote(r)
	case CmdRollback:
		w.obeyRollback(r)
	case CmdHold:
		w.obeyHold(r)
	case CmdUnhold:
		w.obeyUnhold(r)
	case CmdCancel:
		w.obeyCancel(r)
	case CmdRetry:
		w.obeyRetry(r)
	case CmdVerify:
		w.obeyVerify(r)
	case CmdVerdict:
		w.obeyVerdict(r)
	case CmdApprove:
		w.obeyApprove(r)
	case CmdDeny:
		w.obeyDeny(r)
	case CmdAdmit:
		w.obeyAdmit(r)
	default:
		w.refuse(r, Because(Unknown, string(r.Command.Verb)))
	}
}

// misplaced returns why a command makes no sense for this stage: it names one that does not exist, or wants something of
// a stage that has no promotions; the zero reason if it does.
func (w *work) misplaced(r Request) Reason {
	c := r.Command
	switch {
	case c.Stage != "" && c.Stage != w.Stage.Name:
		return Because(Unknown, string(c.Stage))
	case w.Stage.PassThrough() && c.Verb != CmdHold && c.Verb != CmdUnhold:
		return Because(NoChange)
	}
	return Reason{}
}

// answer owes the person a reply where they asked, if there is such a place. What has been answered is done with.
func (w *work) answer(r Request, outcome Code, why Reason) {
	w.moved = true
	w.out.Answered = append(w.out.Answered, r.ID)
	if r.Surface == "" {
		return
	}
	w.out.Effects = append(w.out.Effects, Effect{
		Verb: Reply, Stage: w.Stage.Name, Request: r.ID, Surface: r.Surface, Outcome: string(outcome), Reason: why,
	})
}

func (w *work) done(r Request)                { w.answer(r, Done, Reason{}) }
func (w *work) already(r Request, why Reason) { w.answer(r, Already, why) }
func (w *work) refuse(r Request, why Reason)  { w.answer(r, Refused, why) }
func (r Request) asked() Reason               { return Because(Asked, string(r.By.Login)) }
func (r Request) unknown(what string) Reason  { return Because(Unknown, what) }
func (p *Promotion) behind() Reason           { return Because(Behind, p.Number.String()) }

// obeyPromote queues a promotion. What is queued automatically becomes manual; what is open or hosted already is not
// done twice (Q16).
func (w *work) obeyPromote(r Request) {
	i, why := w.meant(r)
	if i < 0 {
		w.refuse(r, why)
		return
	}
	f := &w.Freight[i]
	if p := w.open(f.ID); p != nil {
		w.insist(r, p)
		return
	}
	if h := w.hosted(f.Warehouse); h >= 0 && w.Stays[h].Freight == f.ID && w.Stays[h].Verdict != Bad {
		w.already(r, Reason{})
		return
	}
	if !w.available(i) {
		w.refuse(r, w.whyNotAvailable(i))
		return
	}
	w.promoteByHand(r, f)
	w.done(r)
}

// insist makes a queued automatic promotion a manual one.
func (w *work) insist(r Request, p *Promotion) {
	if p.State != Queued || p.Class != Automatic {
		w.already(r, Reason{})
		return
	}
	p = w.change(p.Number)
	p.Class, p.By = Manual, r.By
	w.out.Log = append(w.out.Log, Entry{At: w.now, Stage: p.Stage, Promotion: p.Number, Class: Manual, By: r.By})
	w.done(r)
}

// promoteByHand queues a manual promotion. Automatic promotions of newer freight that wait give way, and once the older
// freight is merged the bot holds the stage (Q12).
func (w *work) promoteByHand(r Request, f *Freight) Number {
	pins := false
	for _, p := range w.Promotions {
		i := w.freight(p.Freight)
		if p.State == Queued && p.Class == Automatic && p.Warehouse == f.Warehouse && i >= 0 && f.Before(w.Freight[i]) {
			w.end(p.Number, Superseded, r.asked())
			pins = true
		}
	}
	n := w.add(Promotion{Warehouse: f.Warehouse, Freight: f.ID, FreightName: f.Name, Class: Manual, By: r.By, Pins: pins})
	w.promoted(f)
	return n
}

// open returns the promotion of this freight that has not ended, or nil.
func (w *work) open(f FreightID) *Promotion {
	for i := range w.Promotions {
		if w.Promotions[i].Freight == f && !w.Promotions[i].State.Ended() {
			return &w.Promotions[i]
		}
	}
	return nil
}

// meant returns the index of the freight that a request means: the one it names, that of the pull request it stands on,
// or the newest available; -1 with the reason if there is none.
func (w *work) meant(r Request) (int, Reason) {
	if name := r.Command.Freight; name != "" {
		if i := w.named(name); i >= 0 {
			return i, Reason{}
		}
		return -1, r.unknown(name)
	}
	for i := range w.Freight {
		if r.Pull != 0 && w.Freight[i].Number == r.Pull && w.Freight[i].Repo == r.PullRepo {
			return i, Reason{}
		}
	}
	for i := len(w.Freight) - 1; i >= 0; i-- {
		if w.available(i) {
			return i, Reason{}
		}
	}
	return -1, r.unknown("freight")
}

// named returns the index of the freight with that name, pull request number or commit, or -1.
func (w *work) named(name string) int {
	for i := len(w.Freight) - 1; i >= 0; i-- {
		f := &w.Freight[i]
		if f.Name == name || "#"+Number(f.Number).String() == name || len(name) >= 7 && strings.HasPrefix(string(f.SHA), name) {
			return i
		}
	}
	return -1
}

// obeyCancel ends what waits, or what runs and is not merged yet. What is merged can only be rolled back.
func (w *work) obeyCancel(r Request) {
	var first *Promotion
	for i := range w.Promotions {
		if p := &w.Promotions[i]; p.State == Queued && (first == nil || p.goesBefore(first)) {
			first = p
		}
	}
	if first == nil {
		first = w.active()
	}
	switch {
	case first == nil:
		w.already(r, Reason{})
	case first.State == Verifying:
		w.refuse(r, first.behind())
	default:
		w.withdraw(first.Number, Cancelled, r.asked())
		w.done(r)
	}
}

// obeyRetry promotes again what failed last: a new promotion that names the old one as its cause.
func (w *work) obeyRetry(r Request) {
	var last *Promotion
	for i := range w.Promotions {
		p := &w.Promotions[i]
		if p.State.Ended() && p.State != Succeeded && p.State != Superseded {
			last = p
		}
	}
	i := -1
	if last != nil {
		i = w.freight(last.Freight)
	}
	switch {
	case i < 0:
		w.refuse(r, r.unknown("failed promotion"))
	case w.open(last.Freight) != nil:
		w.already(r, Reason{})
	case last.Class != Rollback && !w.available(i):
		w.refuse(r, w.whyNotAvailable(i))
	default:
		cause := last.Number
		w.change(w.promoteByHand(r, &w.Freight[i])).Cause = cause
		w.done(r)
	}
}

// obeyVerify comes after GitHub has been asked again: judge has seen what it answered.
func (w *work) obeyVerify(r Request) {
	i := w.judgeable()
	if i < 0 {
		w.refuse(r, r.unknown("freight"))
		return
	}
	if !w.Stays[i].JudgedBy.Bot() {
		w.ownStays()
		w.Stays[i].JudgedBy = Actor{}
		w.saveStay(i)
	}
	w.done(r)
}

// obeyVerdict lets a person decide what no check could.
func (w *work) obeyVerdict(r Request) {
	i := w.judgeable()
	if i < 0 {
		w.refuse(r, r.unknown("freight"))
		return
	}
	o := opinion{verdict: Bad, at: w.now, reason: r.asked()}
	if r.Command.Pass {
		o.verdict = Passed
	}
	w.ownStays()
	w.Stays[i].JudgedBy = r.By
	if p := w.promotion(w.Stays[i].Promotion); p != nil && p.State == Verifying {
		w.conclude(i, p, o)
	} else {
		w.record(i, o)
	}
	w.done(r)
}

// obeyApprove signs off the pull request that is open.
func (w *work) obeyApprove(r Request) {
	p := w.active()
	if p == nil || p.State != WaitingForMerge {
		w.refuse(r, r.unknown("open promotion"))
		return
	}
	for _, a := range w.Approvals {
		if a.By == r.By && w.signsOff(&a, p) {
			w.already(r, Reason{})
			return
		}
	}
	w.approve(Approval{Freight: p.Freight, Kind: SignOff, By: r.By, Plan: w.attempt(p.Number).planHash()})
	w.done(r)
}

// obeyDeny ends the promotion whose plan was visible.
func (w *work) obeyDeny(r Request) {
	p := w.active()
	if p == nil || p.State == Verifying {
		w.refuse(r, r.unknown("open promotion"))
		return
	}
	w.withdraw(p.Number, Cancelled, r.asked())
	w.done(r)
}

// obeyAdmit makes freight available that has not earned it.
func (w *work) obeyAdmit(r Request) {
	i, why := w.meant(r)
	if i < 0 {
		w.refuse(r, why)
		return
	}
	f := w.Freight[i]
	if _, takes := w.Stage.Source(f.Warehouse); !takes {
		w.refuse(r, r.unknown(f.Name))
		return
	}
	if w.available(i) {
		w.already(r, Reason{})
		return
	}
	w.approve(Approval{Freight: f.ID, Kind: Admission, By: r.By, Text: r.Command.Text})
	w.admission(EventAvailable, f.Name, r.By)
	w.done(r)
}

// approvalLasts is how long a sign-off or an admission counts (DESIGN 4.4).
const approvalLasts = 24 * time.Hour

// approve records an approval.
func (w *work) approve(a Approval) {
	a.ID, a.Stage, a.At, a.Expires, a.Entitled = w.NextID, w.Stage.Name, w.now, w.now.Add(approvalLasts), true
	w.NextID++
	w.wakeAt(a.Expires)
	w.Approvals = append(w.Approvals[:len(w.Approvals):len(w.Approvals)], a)
	w.out.Approvals = append(w.out.Approvals, a)
}
