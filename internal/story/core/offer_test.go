package core

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/decide"
	"waybill/promotion/say"
)

// offering is a world in which a person with every right types, after each happening, each command that a page offers,
// and nothing comes of it.
type offering struct {
	*World
	t      *testing.T
	offers map[promotion.CommandVerb]int // how many of each verb were accepted
}

func (o offering) Do(ctx context.Context, h story.Happening) ([]story.Line, error) {
	lines, err := o.World.Do(ctx, h)
	for _, stage := range o.Pipeline().Stages {
		s := o.snapshot(stage, false)
		for i := range s.Freight {
			at := decide.Why(s, s.Freight[i].ID, o.now)
			o.does(s, at, say.Next(at))
			if at.Promotion == nil {
				continue
			}
			o.pressed(s, at)
			if at.LetsGo.Verb != "" {
				o.typed(s, command.Write(at.LetsGo))
			}
			if at.Promotion.State.Active() {
				for _, c := range inCode.FindAllStringSubmatch(say.PullBody(at, s.Freight[i], nil), -1) {
					o.typed(s, c[1])
				}
			}
			for _, outcome := range []string{"failed", "verification-failed", "missing", "drifted", "void", "cancelled",
				"superseded"} {
				for _, c := range decide.Told(s, at, outcome, o.now) {
					o.typed(s, command.Write(c)+` --because "seen it work"`) // whatever has come of it meanwhile
				}
			}
		}
	}
	return lines, err
}

// inCode is a command in a text, as people copy it.
var inCode = regexp.MustCompile("`(/[a-z]+ [a-z][^`]*)`")

// pressed has a person press each button of the message about a promotion, and those of its check run while the stage
// hosts it. What the rollback of freight that has left brings back is asked when it is pressed.
func (o offering) pressed(s *promotion.Snapshot, at promotion.FreightStatus) {
	verbs := map[promotion.CommandVerb]bool{}
	for _, b := range say.CardOf(s.Pipeline, at).Buttons {
		verbs[b.Verb] = true
		if b.Verb == promotion.CmdRollback {
			require.Contains(o.t, b.Ask, " to "+at.BackTo+",")
		}
	}
	for _, b := range say.Buttons(at) {
		verbs[b.Verb] = verbs[b.Verb] || b.Verb != promotion.CmdRollback || at.Hosted
	}
	for verb, offered := range verbs {
		c := promotion.Command{Verb: verb, Stage: s.Stage.Name}
		if verb == promotion.CmdRetry {
			c.Freight = at.Name
		}
		if offered {
			o.does(s, at, command.Write(c))
		}
	}
}

// does requires that a command is carried out, and does what it says about freight.
func (o offering) does(s *promotion.Snapshot, at promotion.FreightStatus, text string) {
	d := o.typed(s, text)
	if d == nil || len(d.Answered) == 0 {
		return // GitHub is asked first
	}
	c, _ := command.ParseCommand(text)
	_, c = command.Address(s.Pipeline, c)
	changed := func(is func(p promotion.Promotion) bool) bool { return slices.ContainsFunc(d.Promotions, is) }
	done := true
	switch c.Verb {
	case promotion.CmdPromote:
		done = changed(func(p promotion.Promotion) bool {
			return p.Freight.ID == at.Freight && p.Class != promotion.Rollback
		})
	case promotion.CmdRollback:
		to := cmp.Or(c.Freight, at.BackTo)
		done = changed(func(p promotion.Promotion) bool { return p.Class == promotion.Rollback && p.Freight.Name == to })
	case promotion.CmdRetry:
		done = changed(func(p promotion.Promotion) bool {
			return p.Freight.ID == at.Freight && p.Number > at.Promotion.Number && p.Cause == at.Promotion.Number
		})
	case promotion.CmdCancel, promotion.CmdDeny:
		done = changed(func(p promotion.Promotion) bool { return p.Number == at.Promotion.Number && p.State.Ended() })
	case promotion.CmdApprove:
		done = slices.ContainsFunc(d.Approvals, func(a promotion.Approval) bool {
			return a.By.Login == "maria" && a.Freight == at.Freight
		})
	case promotion.CmdHold:
		done = slices.ContainsFunc(d.Holds, func(h promotion.Hold) bool { return h.By.Login == "maria" && h.Lifted.IsZero() })
	case promotion.CmdUnhold:
		done = slices.ContainsFunc(d.Holds, func(h promotion.Hold) bool { return h.LiftedBy.Login == "maria" })
	case promotion.CmdVerdict:
		done = slices.ContainsFunc(d.Deployments, func(y promotion.Deployment) bool {
			return y.Freight == at.Freight && (y.Verdict == promotion.Passed || len(y.Results) > 0)
		})
	}
	require.True(o.t, done, "%s did not do what it says about %s", text, at.Name)
}

// typed requires that a command is carried out, or that GitHub is asked before it is.
func (o offering) typed(s *promotion.Snapshot, text string) *promotion.Decision {
	if text == "" {
		return nil
	}
	c, is := command.ParseCommand(text)
	require.True(o.t, is, text)
	place, c := command.Address(s.Pipeline, c)
	if !c.All {
		require.Equal(o.t, s.Stage.Name, place, text)
	}
	asked := new(*s)
	asked.Requests = []promotion.Request{{
		ID: 1, Command: c, By: promotion.Actor{ID: 1 << 40, Login: "maria"}, At: o.now.Add(time.Minute),
		Permission: promotion.Admin, Teams: s.Pipeline.Policy.Teams(),
	}}
	d := decide.Decide(asked, o.now)
	for _, a := range d.Answered {
		require.Equal(o.t, promotion.Done, a.Outcome, "%s: %s", text, say.Sentence(a.Reason))
	}
	o.offers[c.Verb]++
	return &d
}

// TestEachCommandThatIsOfferedIsCarriedOut types in all stories each command that is offered at any time.
func TestEachCommandThatIsOfferedIsCarriedOut(t *testing.T) {
	files, err := filepath.Glob("../../../promotion/testdata/stories/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	offers := map[promotion.CommandVerb]int{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			s, err := story.Parse(file, data)
			require.NoError(t, err)
			_, err = story.Run(context.Background(), s, offering{newWorld(t, s), t, offers})
			require.NoError(t, err)
		})
	}
	for _, verb := range []promotion.CommandVerb{promotion.CmdPromote, promotion.CmdApprove, promotion.CmdRollback,
		promotion.CmdRetry, promotion.CmdCancel, promotion.CmdUnhold, promotion.CmdVerify, promotion.CmdVerdict,
		promotion.CmdDeny, promotion.CmdHold} {
		require.NotZero(t, offers[verb], verb)
	}
}
