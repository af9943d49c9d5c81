package decide

import (
	"time"

	"waybill/promotion"
	"waybill/promotion/command"
)

// anybody is a person who plays no part in any promotion: GitHub gives nobody this id.
var anybody = promotion.Actor{ID: 1<<62 - 1, Login: "anybody"}

// reading is how long people may take to read a page and to type what it offers: longer than it may take until it is
// known that a pull request has shown its commit (store.headFrom).
const reading = 5 * time.Minute

// Accepts reports whether a command would be carried out if a person with every right gave it now, somewhere else than
// on a pull request. It is a dry run of the rules for commands.
func Accepts(s *promotion.Snapshot, c promotion.Command, now time.Time) bool {
	a, answered := rehearse(s, c, now)
	return !answered || a.Outcome == promotion.Done
}

// rehearse returns the answer that a person with every right would get to a command; false if GitHub would be asked
// first.
func rehearse(s *promotion.Snapshot, c promotion.Command, now time.Time) (promotion.Answer, bool) {
	d := newDraft(s, now)
	d.Requests = []promotion.Request{{
		Command: c, By: anybody, At: now.Add(reading), Permission: promotion.Admin, Teams: s.Pipeline.Policy.Teams(),
	}}
	if command.LeavesOutAuthor(s.Pipeline, c) {
		d.Freight = read(d.Freight)
	}
	obey(d)
	if len(d.out.Answered) == 0 {
		return promotion.Answer{}, false
	}
	return d.out.Answered[0], true
}

// read returns freight as if GitHub had been asked who has made it, which it is as soon as somebody signs off, or gives
// another command that leaves out the author.
func read(all []promotion.Freight) (known []promotion.Freight) {
	for _, f := range all {
		f.Hands.Unread = false
		known = append(known, f)
	}
	return known
}

// nextFor returns the command that a person could give next about a freight where it stands; without a verb if none
// would be carried out.
func nextFor(s *promotion.Snapshot, at *promotion.FreightStatus, now time.Time) promotion.Command {
	if s.Removed {
		return promotion.Command{}
	}
	for _, c := range candidates(s, at) {
		if !Accepts(s, c, now) {
			continue
		}
		if p := at.Promotion; c.Verb == promotion.CmdCancel && c.Freight == "" {
			if a, _ := rehearse(s, c, now); a.About != p.Number {
				continue // it would end another one
			}
		}
		return c
	}
	return promotion.Command{}
}

// retries reports whether the promotion of a freight has failed, and a retry of it would be carried out.
func retries(s *promotion.Snapshot, at *promotion.FreightStatus, now time.Time) bool {
	if s.Removed || at.Promotion == nil {
		return false
	}
	switch p := at.Promotion; {
	case p.State == promotion.Failed, p.State == promotion.Declined, p.State == promotion.VerificationFailed && !at.Good():
		return Accepts(s, promotion.Command{Verb: promotion.CmdRetry, Stage: p.Stage, Freight: at.Name}, now)
	}
	return false
}

// candidates returns the commands that fit where a freight stands, the best first.
func candidates(s *promotion.Snapshot, at *promotion.FreightStatus) []promotion.Command {
	promote := promotion.Command{Verb: promotion.CmdPromote, Stage: s.Stage.Name, Freight: at.Name}
	p := at.Promotion
	if p == nil {
		if at.Place == promotion.PlaceAvailable || at.Place == promotion.PlaceSkipped {
			return []promotion.Command{promote}
		}
		return nil
	}
	if !at.Drift.IsZero() && p.State.Ended() && !at.Bad() {
		return []promotion.Command{promote}
	}
	about := func(verb promotion.CommandVerb) promotion.Command {
		return promotion.Command{Verb: verb, Stage: s.Stage.Name}
	}
	back := about(promotion.CmdRollback)
	named, every := about(promotion.CmdCancel), promotion.Command{Verb: promotion.CmdUnhold, All: true}
	named.Freight = "p" + p.Number.String()
	switch {
	case at.Place == promotion.PlaceOpen && at.Reason.Code == promotion.Unapproved:
		return []promotion.Command{about(promotion.CmdApprove)}
	case at.Place == promotion.PlaceOpen && at.Reason.Code == promotion.Forbidden:
		return []promotion.Command{promote, about(promotion.CmdCancel), named}
	case at.Place == promotion.PlaceOpen && at.Reason.Code == promotion.Held:
		lets := about(promotion.CmdUnhold)
		lets.Rest = at.Reason.Arg(1) // the warehouse
		return []promotion.Command{lets, every, about(promotion.CmdCancel), named}
	}
	switch {
	case p.State == promotion.Failed, p.State == promotion.Declined, p.State == promotion.VerificationFailed && at.Partly:
		return []promotion.Command{retry(s, p)}
	}
	if at.Bad() {
		switch {
		case p.State == promotion.VerificationFailed && at.Tally.Recovers():
			return []promotion.Command{retry(s, p)}
		case at.BackTo != "":
			return []promotion.Command{about(promotion.CmdRollback)}
		case at.Hosted: // other freight came later: a rollback without a name means that
			if back.Freight = backFrom(s, s.Hosted(p.Freight.Warehouse)); back.Freight != "" {
				return []promotion.Command{back}
			}
		}
		return nil
	}
	switch p.State {
	case promotion.Queued, promotion.Running, promotion.WaitingForMerge:
		return []promotion.Command{about(promotion.CmdCancel), named}
	}
	if at.Reason.Code == promotion.Inconclusive || at.Reason.Code == promotion.Missing {
		if i := s.Judgeable(); i >= 0 && s.Deployments[i].Promotion == p.Number {
			return []promotion.Command{about(promotion.CmdVerify)}
		}
	}
	return nil
}

// Told returns the commands that a comment about a promotion may offer: those that would be carried out now.
func Told(s *promotion.Snapshot, at promotion.FreightStatus, outcome string, now time.Time) (all []promotion.Command) {
	p := at.Promotion
	about := func(verb promotion.CommandVerb) promotion.Command {
		return promotion.Command{Verb: verb, Stage: p.Stage}
	}
	again := about(promotion.CmdPromote)
	again.Freight = p.Freight.Name
	passes := promotion.Command{Verb: promotion.CmdVerdict, Stage: p.Stage, Pass: true, Text: "..."}
	could := []promotion.Command{about(promotion.CmdVerify), passes}
	switch outcome {
	case string(promotion.Failed), string(promotion.VerificationFailed):
		could = []promotion.Command{at.Next, at.LetsGo}
	case string(promotion.EventDrifted), string(promotion.Cancelled), string(promotion.Superseded):
		could = []promotion.Command{again}
	case string(promotion.Void):
		could = []promotion.Command{about(promotion.CmdApprove)}
	}
	for _, c := range could {
		if c.Verb != "" && !s.Removed && Accepts(s, c, now) {
			all = append(all, c)
		}
	}
	return all
}

// lettingGo returns the command that lifts the bot's hold that a promotion has made necessary; none without one, or
// where it would not be carried out.
func lettingGo(s *promotion.Snapshot, p *promotion.Promotion, now time.Time) promotion.Command {
	if p == nil || s.Removed {
		return promotion.Command{}
	}
	h := heldBecauseOf(s, p.Number, now)
	if h == nil {
		return promotion.Command{}
	}
	c := promotion.Command{Verb: promotion.CmdUnhold, Stage: s.Stage.Name, Rest: string(h.Warehouse)}
	if Accepts(s, c, now) {
		return c
	}
	return promotion.Command{}
}

// retry returns the command that promotes again what a promotion has not brought, with the freight where it would mean
// other freight without.
func retry(s *promotion.Snapshot, p *promotion.Promotion) promotion.Command {
	c := promotion.Command{Verb: promotion.CmdRetry, Stage: p.Stage}
	if last := command.ToRetry(s, promotion.Request{Command: c}); last == nil || last.Number != p.Number {
		c.Freight = p.Freight.Name
	}
	return c
}
