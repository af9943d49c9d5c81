package decide

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// answer owes the person a reply where they asked, if there is such a place, and closes the request. The reply to
// several stages is owed when the last of them has answered.
func (d *draft) answer(r promotion.Request, outcome promotion.Code, about promotion.Number, why promotion.Reason) {
	d.moved = true
	d.out.Answered = append(d.out.Answered, promotion.Answer{
		Request: r.ID, Outcome: outcome, About: about, Plan: d.shown, Reason: why,
		Rule: command.DecidedBy(d.Pipeline.Policy, r.Command.Verb, d.Stage.Name),
	})
	if r.Surface == "" || r.Together != 0 {
		return
	}
	d.out.Effects = append(d.out.Effects, promotion.Effect{
		Verb: promotion.Reply, Stage: d.Stage.Name, Promotion: about, Request: r.ID, Surface: r.Surface,
		Outcome: string(outcome), Reason: why,
	})
}

func (d *draft) done(r promotion.Request) { d.doneTo(r, 0) }

// doneTo answers that a command has been carried out on a promotion.
func (d *draft) doneTo(r promotion.Request, n promotion.Number) {
	d.answer(r, promotion.Done, n, promotion.Reason{})
}

func (d *draft) already(r promotion.Request) { d.answer(r, promotion.Already, 0, promotion.Reason{}) }

func (d *draft) refuse(r promotion.Request, why promotion.Reason) {
	d.answer(r, promotion.Refused, 0, why)
}

// queued answers that a promotion has been queued, and keeps the reason that was given; queuedAlready that it is open,
// and which one it is (Q16).
func (d *draft) queued(r promotion.Request, n promotion.Number) {
	if r.Command.Text != "" {
		d.change(n).Words = promotion.Clip(r.Command.Text, maxWords)
	}
	d.doneTo(r, n)
}

// maxWords is how much is kept of the reason that a person gives for a promotion.
const maxWords = 500

func (d *draft) queuedAlready(r promotion.Request, n promotion.Number) {
	d.answer(r, promotion.Already, n, promotion.Reason{})
}
