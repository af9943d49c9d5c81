package api

import (
	"net/http"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"

	"github.com/rs/zerolog"
)

// Explanation has the rights of a person in a stage.
type Explanation struct {
	Stage      string  `json:"stage" doc:"as the pipeline file calls it"`
	Login      string  `json:"login" doc:"of the person"`
	Permission string  `json:"permission" doc:"on the home repository: none, read, triage, write, maintain or admin"`
	Automatic  bool    `json:"automatic" doc:"whether the policy promotes into the stage automatically"`
	Approvals  int     `json:"approvals" doc:"how many people must sign a promotion off"`
	Rollbacks  bool    `json:"rollbacks" doc:"whether so many must sign every rollback off, too"`
	Merge      string  `json:"merge" doc:"who merges: auto or manual"`
	Commands   []Right `json:"commands" doc:"each command, as help lists them"`
}

// Right says whether a person may give a command, and by which rule.
type Right struct {
	Command string `json:"command" doc:"its verb"`
	May     bool   `json:"may" doc:"whether they may, whatever part they play in the promotion"`
	Rule    string `json:"rule" doc:"the place of the deciding rule, as file:line; default; or none, and no one may"`
	Text    string `json:"text" doc:"the same in words, with the exceptions"`
}

// explain answers with the rights of a person in a stage.
func (s *Server) explain(c *call) (any, error) {
	name, err := c.stage()
	if err != nil {
		return nil, err
	}
	stage := c.pipeline.Stage(name)
	login := promotion.Login(c.PathValue("login"))
	who, has, teams, err := s.adapter.Rights(c.Context(), c.row, login)
	if err != nil {
		zerolog.Ctx(c.Context()).Warn().Err(err).Msg("rights not read")
		return nil, unavailable("GitHub could not be asked what %s may: %s", login, err)
	}
	if who.ID == 0 {
		return nil, newProblem(http.StatusNotFound, "nobody on GitHub is called %s", login)
	}
	answer := Explanation{
		Stage: string(stage.Name), Login: string(who.Login), Permission: has.String(),
		Automatic: stage.Policy.Automatic, Approvals: stage.Policy.Approvals,
		Rollbacks: stage.Policy.SignRollbacks,
		Merge:     string(stage.Merge.By), Commands: []Right{},
	}
	for _, r := range command.Explain(c.pipeline.Policy, stage.Name, has, teams) {
		answer.Commands = append(answer.Commands,
			Right{Command: string(r.Verb), May: r.Why.IsZero(), Rule: r.Rule, Text: say.RightWords(r)})
	}
	return answer, nil
}
