package sandbox

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/slacksim"
)

// signedOff is a pipeline whose stage needs a sign-off.
var signedOff = strings.Replace(told, "    verify:", "    approvals: 1\n    verify:", 1)

// home opens the App Home as a user and returns its text and buttons.
func (o *office) home(user string) (text string, buttons []slacksim.Element) {
	o.t.Helper()
	require.True(o.t, o.slack.OpenHome(o.ctx, user).OK())
	return o.atHome(user)
}

func (o *office) atHome(user string) (text string, buttons []slacksim.Element) {
	o.t.Helper()
	o.quiet()
	view, shown := o.slack.Home(user)
	require.True(o.t, shown)
	for _, b := range view.Blocks {
		if b.Text != nil {
			text += b.Text.Text + "\n"
		}
	}
	return text, view.Buttons()
}

// joins adds a Slack user, links the GitHub account of the same name, and gives that account a permission level.
func (o *office) joins(login, level string) (id string) {
	o.t.Helper()
	id = o.ann
	if login != "ann" {
		id = o.slack.AddUser(slacksim.User{Name: login})
	}
	status, said := o.links(login, o.says(id, "link"))
	require.Equal(o.t, http.StatusOK, status, said)
	require.NoError(o.t, o.github.SetPermission(home, login, level))
	o.quiet()
	return id
}

func TestTheAppHomeShowsWhatWaitsForSomebodyAndWhatTheyHold(t *testing.T) {
	t.Parallel()
	o := newOffice(t, signedOff)
	text, buttons := o.home(o.ann)
	require.Contains(t, text, "say who you are on GitHub")
	require.Len(t, buttons, 1)
	o.joins("ann", "write")
	eve := o.joins("eve", "read")
	text, _ = o.home(o.ann)
	require.Contains(t, text, "Nothing waits for you.")

	o.do("merge #1 by bob")
	text, buttons = o.home(o.ann)
	require.Contains(t, text, "*Waiting for you*\n*api#\u200b1* to *dev*: ")
	require.Contains(t, text, "You hold nothing.")
	require.Equal(t, "approve", buttons[0].ActionID)
	text, _ = o.home(eve)
	require.Contains(t, text, "Nothing waits for you.")

	require.True(t, o.slack.PressHome(o.ctx, o.ann, buttons[0]).OK())
	text, _ = o.atHome(o.ann)
	require.Contains(t, text, "ann has signed off promotion 1, api#\u200b1 to dev, until 2026-01-")
	require.Contains(t, text, "\nNothing waits for you.")
	require.Equal(t, "dev is held until somebody lifts the hold.", o.says(o.ann, "hold dev for lunch").Text)
	text, _ = o.home(o.ann)
	require.Contains(t, text, "*What you hold*\n*dev* of acme/deploy: held by ann")
	require.Contains(t, text, "for lunch")
	require.True(t, o.slack.PressHome(o.ctx, o.ann, buttons[0]).OK(), "from a window that is old")
	text, _ = o.atHome(o.ann)
	require.Contains(t, text, "Refused: ")
}

func TestT28WhatTwoApproversSignOffAtOnceIsMergedOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, signedOff)
	o.joins("ann", "write")
	bob := o.joins("bob", "write")
	o.do("merge #1 by eve")
	all := o.slack.Messages("deploys")
	card := all[len(all)-1]
	require.Equal(t, "approve", card.Buttons()[0].ActionID)
	var both sync.WaitGroup
	for _, user := range []string{o.ann, bob} {
		both.Go(func() { o.slack.Press(o.ctx, user, "deploys", card.TS, card.Buttons()[0]) })
	}
	both.Wait()
	o.quiet()
	require.Equal(t, []string{"p1 api#1 dev verifying"}, o.states("dev"))
	var answers []string
	for _, m := range o.slack.Messages("deploys")[len(all):] {
		answers = append(answers, m.Text)
	}
	require.Len(t, answers, 2)
	require.Contains(t, strings.Join(answers, "\n"), "has signed off promotion 1")
	require.Equal(t, 1, o.merges())
}
