package core

import (
	"context"
	"os"
	"path/filepath"
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
			o.typed(s, say.Next(at))
			if at.Promotion == nil {
				continue
			}
			for _, outcome := range []string{"failed", "verification-failed", "missing", "drifted", "void"} {
				for _, c := range decide.Told(s, at, outcome, o.now) {
					o.typed(s, command.Write(c)+` --because "seen it work"`)
				}
			}
		}
	}
	return lines, err
}

// typed requires that a command is carried out, or that GitHub is asked before it is.
func (o offering) typed(s *promotion.Snapshot, text string) {
	if text == "" {
		return
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
		promotion.CmdRetry, promotion.CmdCancel, promotion.CmdUnhold, promotion.CmdVerify, promotion.CmdVerdict} {
		require.NotZero(t, offers[verb], verb)
	}
}
