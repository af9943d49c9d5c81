package say

import (
	"time"
	"waybill/promotion"
	"waybill/promotion/command"
)

// CardsFor returns what waits in the stage of a snapshot for somebody with these rights: the open promotions with which
// nothing goes on before a person has done something.
func CardsFor(s *promotion.Snapshot, open []promotion.FreightStatus, has promotion.Permission,
	teams []string) (cards []Card) {
	for _, at := range open {
		verb := promotion.CmdPromote
		if WaitsForSignOff(at) {
			verb = promotion.CmdApprove
		}
		if needsPerson(at) && command.Entitles(s.Pipeline.Policy, verb, s.Stage.Name, has, teams) {
			cards = append(cards, CardOf(s, at.Promotion, at))
		}
	}
	return cards
}

// HoldCards returns the holds of somebody's that stand, in whatever stage of the pipeline.
func HoldCards(s *promotion.Snapshot, who promotion.Actor, now time.Time) (cards []Card) {
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
			Body:  "*" + Mrkdwn(stage) + "* of " + Mrkdwn(string(s.Pipeline.Home)) + ": " + Mrkdwn(HoldSentence(h)),
			Small: "/waybill unhold " + Mrkdwn(words) + " lets it go on",
		})
	}
	return cards
}
