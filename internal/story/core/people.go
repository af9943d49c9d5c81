package core

import (
	"fmt"
	"slices"
	"strings"

	"waybill/internal/story"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/decide"
	"waybill/promotion/say"
)

// Comment implements play.Pulls. One webhook reports the comment and its pull request. Each line may be a command.
func (w ground) Comment(pull story.Pull, by promotion.Login, text string) error {
	var typed []promotion.Command
	for line := range strings.Lines(text) {
		if c, is := command.ParseLine(line); is {
			typed = append(typed, c)
		}
	}
	source := w.github.source(pull)
	on := promotion.Request{
		PullRepo: pull.Repo, Pull: pull.Number, Unmerged: source == nil || source.sha == "",
	}
	var heard []fact
	for _, c := range command.Together(typed) {
		heard = append(heard, w.request(c, by, pull.String(), on))
	}
	w.hook(inTurn(heard...))
	return nil
}

// Slash implements play.Ground. Commands from Slack are never lost.
func (w ground) Slash(by promotion.Login, text string) error {
	if c, is := command.ParseCommand(text); is {
		w.learn(w.request(c, by, "slack:C1/1", promotion.Request{Heard: true}))
	}
	return nil
}

// Press implements play.Ground. The check run of some freight must offer the button in the stage; the newest such
// freight counts.
func (w ground) Press(stage promotion.StageName, button string, by promotion.Login) error {
	s := w.Pipeline().Stage(stage)
	if s == nil {
		return fmt.Errorf("there is no stage %s", stage)
	}
	shown := w.snapshot(s, false)
	pressed := func(b say.Button) bool { return string(b.Verb) == button }
	for _, f := range slices.Backward(shown.Freight) {
		if !slices.ContainsFunc(say.Buttons(decide.Why(shown, f.ID, w.now)), pressed) {
			continue
		}
		c := promotion.Command{Verb: promotion.CommandVerb(button), Stage: stage}
		if c.Verb == promotion.CmdRetry {
			c.Freight = f.Name
		}
		if p := shown.Active(); c.Verb == promotion.CmdApprove && p != nil {
			c.Plan = string(shown.Attempt(p.Number).Made.Head)
		}
		w.hook(w.request(c, by, "check:"+string(stage), promotion.Request{}))
		return nil
	}
	return fmt.Errorf("no check run of %s has a button %s now", stage, button)
}

// Rerun implements play.Ground. The check run is that of the newest freight.
func (w ground) Rerun(stage promotion.StageName, by promotion.Login) error {
	s := w.Pipeline().Stage(stage)
	if s == nil {
		return fmt.Errorf("there is no stage %s", stage)
	}
	all := w.snapshot(s, false).Freight
	if len(all) == 0 {
		return fmt.Errorf("no check run shows %s now", stage)
	}
	w.hook(w.rerun(s, all[len(all)-1].ID, by))
	return nil
}

// RerunAll implements play.Ground.
func (w ground) RerunAll(pull story.Pull, by promotion.Login) error {
	var heard []fact
	for _, s := range w.Pipeline().Stages {
		if s.Delivery == promotion.DeliveryNone {
			continue
		}
		for _, f := range w.snapshot(s, false).Freight {
			if f.Repo == pull.Repo && f.Pull == pull.Number {
				heard = append(heard, w.rerun(s, f.ID, by))
			}
		}
	}
	if len(heard) == 0 {
		return fmt.Errorf("no check run shows %s now", pull)
	}
	w.hook(inTurn(heard...))
	return nil
}

// rerun is the fact that somebody asks for the check run of a stage on a freight to be run again: what the stage hosts
// is judged again, else the pipeline is compared with GitHub.
func (w *World) rerun(s *promotion.Stage, f promotion.FreightID, by promotion.Login) fact {
	c := promotion.Command{Verb: promotion.CmdRefresh, Stage: s.Name}
	if slices.ContainsFunc(w.snapshot(s, false).Deployments,
		func(d promotion.Deployment) bool { return d.Freight == f && !d.Ended() }) {
		c.Verb = promotion.CmdVerify
	}
	return w.request(c, by, "check:"+string(s.Name), promotion.Request{})
}

// Grant implements play.Ground.
func (w ground) Grant(login promotion.Login, permission string) error {
	w.rights.granted[login], _ = promotion.ParsePermission(permission)
	return nil
}

// request returns the fact of a command request, to one stage or to several.
func (w *World) request(c promotion.Command, by promotion.Login, surface string, r promotion.Request) fact {
	if n, is := command.PromotionInPlace(w.Pipeline(), c); is {
		if p := w.memory.promotion(n); p.Number == n {
			c = command.OfPromotion(c, n, p.Stage)
		}
	}
	var facts []fact
	all := command.Each(w.Pipeline(), c, w.rights.of(by), nil)
	r.By, r.Surface, r.At = w.rights.actor(by), surface, w.now
	for i := range all {
		w.requests++
		var stage promotion.StageName
		stage, r.Command = command.Address(w.Pipeline(), all[i])
		if r.ID = w.requests; i == 0 && len(all) > 1 {
			r.Together = r.ID
		}
		facts = append(facts, requestFact(stage, r))
	}
	return inTurn(facts...)
}

// surfaceOf returns the place of a surface: Slack, the check run of a stage, or a pull request.
func surfaceOf(surface string) story.Where {
	if strings.HasPrefix(surface, "slack:") {
		return story.Where{Slack: true}
	}
	if stage, is := strings.CutPrefix(surface, "check:"); is {
		return story.Where{Stage: promotion.StageName(stage)}
	}
	return story.Where{Pull: story.PullOf(surface)}
}
