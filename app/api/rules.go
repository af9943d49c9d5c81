package api

import (
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// Rule is what a rule of a branch on GitHub means for the promotions of a stage.
type Rule struct {
	Branch   string `json:"branch" doc:"owner/name@branch"`
	From     string `json:"from,omitempty" doc:"the ruleset, or the protection of the branch"`
	Weight   string `json:"weight" doc:"stops: no promotion gets through; asks people; takes: met by waiting, or nothing"`
	Says     string `json:"says" doc:"what is demanded"`
	Do       string `json:"do,omitempty" doc:"what to change"`
	Sentence string `json:"sentence" doc:"all of that"`
}

// RuleStops is the weight of a rule that lets no promotion through.
const RuleStops = string(promotion.Stops)

// rules says what the rules of its branches mean for a stage.
func (s *Server) rules(tx *store.Tx, p *promotion.Pipeline, stage *promotion.Stage) (all []Rule, err error) {
	some, err := s.adapter.Demands(tx, p, stage)
	for _, d := range some {
		all = append(all, Rule{
			Branch: d.On.String(), From: d.From, Weight: string(d.Weight), Says: d.Says, Do: d.Do, Sentence: say.Demand(d),
		})
	}
	return all, err
}
