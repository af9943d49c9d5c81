package promotion

import "time"

// CardsFor returns what waits in the stage of a snapshot for somebody with these rights: the open promotions with which
// nothing goes on before a person has done something.
func CardsFor(s *Snapshot, has Permission, teams []string, now time.Time) (cards []Card) {
	for _, at := range Waits(s, now) {
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

// HoldCards returns the holds of somebody's that stand, in whatever stage of the pipeline.
func HoldCards(s *Snapshot, who Actor, now time.Time) (cards []Card) {
	for _, h := range s.Holds {
		if !h.By.Is(who) || !h.Stands(now) {
			continue
		}
		stage, words := string(h.Stage), string(h.Stage)
		if h.Stage == "" {
			stage, words = "the whole pipeline", "--all"
		}
		cards = append(cards, Card{
			Body:  "*" + Mrkdwn(stage) + "* of " + Mrkdwn(string(s.Pipeline.Home)) + ": " + Mrkdwn(h.Sentence()),
			Small: "/waybill unhold " + Mrkdwn(words) + " lets it go on",
		})
	}
	return cards
}
