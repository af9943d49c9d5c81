package say

import (
	"waybill/promotion"
	"waybill/promotion/command"
)

// CardsFor returns the cards of a stage of the pipeline for a person with these rights: its open promotions that wait
// for an action of a person.
func CardsFor(p *promotion.Pipeline, open []promotion.FreightStatus, has promotion.Permission,
	teams []string) (cards []Card) {
	for _, at := range open {
		verb := promotion.CmdPromote
		if WaitsForSignOff(at) {
			verb = promotion.CmdApprove
		}
		if needsPerson(at) && command.Entitles(p.Policy, verb, at.Stage.Name, has, teams) {
			cards = append(cards, CardOf(p, at))
		}
	}
	return cards
}

// HoldCards shows holds of a pipeline to the person who has set them.
func HoldCards(p *promotion.Pipeline, held []promotion.Hold) (cards []Card) {
	for _, h := range held {
		stage, words := string(h.Stage), string(h.Stage)
		switch {
		case h.Stage == "":
			stage, words = "the whole pipeline", "--all"
		case h.Target != "":
			words += "/" + string(h.Target)
		case h.Warehouse != "":
			words += " " + string(h.Warehouse)
		}
		cards = append(cards, Card{
			Body:  "*" + Mrkdwn(stage) + "* of " + Mrkdwn(string(p.Home)) + ": " + Mrkdwn(HoldSentence(h)),
			Small: "/waybill unhold " + Mrkdwn(words) + " lifts the hold",
		})
	}
	return cards
}
