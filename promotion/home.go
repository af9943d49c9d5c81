package promotion

import "time"

// CardsFor returns what waits in the stage of a snapshot for somebody with these rights: the open promotions with which
// nothing goes on before a person has done something.
func CardsFor(s *Snapshot, open []Standing, has Permission, teams []string) (cards []Card) {
	for _, at := range open {
		verb := CmdPromote
		if at.WaitsForSignOff() {
			verb = CmdApprove
		}
		if at.needsPerson() && s.Pipeline.Policy.Entitles(verb, s.Stage.Name, has, teams) {
			cards = append(cards, CardOf(s, at.Promotion, at))
		}
	}
	return cards
}

// MaySignOff reports whether somebody with these rights is to be asked for their sign-off of a promotion: it lacks one, they may give
// it, and they have not yet.
func MaySignOff(s *Snapshot, n Number, who Actor, has Permission, teams []string, now time.Time) bool {
	w := newWork(s, now)
	p := w.active()
	if p == nil || p.Number != n || p.State != WaitingForMerge || w.unsigned(p) == 0 || w.hasSigned(p, who) {
		return false
	}
	signs := Request{Command: Command{Verb: CmdApprove, Stage: p.Stage}, By: who, Permission: has, Teams: teams}
	return w.mayNotIn(p.Stage, signs).IsZero()
}

// HoldCards returns the holds of somebody's that stand, in whatever stage of the pipeline.
func HoldCards(s *Snapshot, who Actor, now time.Time) (cards []Card) {
	for _, h := range s.Holds {
		if !h.By.Is(who) || !h.Stands(now) {
			continue
		}
		stage, words := string(h.Stage), string(h.Stage)
		switch {
		case h.Stage == "":
			stage, words = "the whole pipeline", "--all"
		case h.Target != "":
			words += "/" + string(h.Target)
		}
		cards = append(cards, Card{
			Body:  "*" + Mrkdwn(stage) + "* of " + Mrkdwn(string(s.Pipeline.Home)) + ": " + Mrkdwn(h.Sentence()),
			Small: "/waybill unhold " + Mrkdwn(words) + " lets it go on",
		})
	}
	return cards
}
