package sandbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/slacksim"
	"waybill/promotion"
	"waybill/store"
)

// direct lists the direct messages of the bot to a user.
func (o *office) direct(user string) (all []slacksim.Message) {
	for _, m := range o.slack.Messages(user) {
		if m.EphemeralTo == "" {
			all = append(all, m)
		}
	}
	return all
}

// unsigned returns an office in which ann and bob may write and eve may read. Freight of bob's waits for a sign-off.
func unsigned(t *testing.T, before func(o *office)) (o *office, bob, eve string) {
	t.Helper()
	o = newOffice(t, signedOff)
	o.joins("ann", "write")
	bob, eve = o.joins("bob", "write"), o.joins("eve", "read")
	for _, login := range []string{"ann", "bob", "eve"} {
		o.actors[login] = true
	}
	before(o)
	o.do("merge #1 by bob", "wait 1m")
	return o, bob, eve
}

func nothing(*office) {}

func TestWhoMaySignOffIsToldDirectlyOnceAndSeesWhatIsDecided(t *testing.T) {
	t.Parallel()
	o, bob, eve := unsigned(t, nothing)
	require.Len(t, o.direct(o.ann), 1)
	require.Empty(t, o.direct(bob), "it is bob's own change")
	require.Empty(t, o.direct(eve), "eve may not sign off")
	ask := o.direct(o.ann)[0]
	buttons := ask.Buttons()
	require.Len(t, buttons, 3)
	require.Equal(t, []string{"approve", "deny", "hold"},
		[]string{buttons[0].ActionID, buttons[1].ActionID, buttons[2].ActionID})

	require.NoError(t, o.restart(o.ctx))
	o.slack.SetRequestURL(o.program.url)
	o.do("resync", "wait 10m")
	require.Len(t, o.direct(o.ann), 1, "a restart repeats nothing")
	require.True(t, o.slack.Press(o.ctx, o.ann, o.ann, ask.TS, buttons[0]).OK())
	o.do("wait 1m")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, o.states("dev"))
	require.Equal(t, promotion.Login("ann"), o.signer())
	all := o.direct(o.ann)
	require.Len(t, all, 1)
	require.Empty(t, all[0].Buttons())
	require.Contains(t, all[0].Text, "verifying")
}

// signer returns the login of the first sign-off in force.
func (o *office) signer() (login promotion.Login) {
	o.t.Helper()
	o.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Ledger.StandingApprovals(pipeline)
		if len(all) > 0 {
			login = all[0].By.Login
		}
		return err
	})
	return login
}

// TestADirectMessageIsSentOnceWhateverBecomesOfIt loses Slack's replies, and has Slack answer 429.
func TestADirectMessageIsSentOnceWhateverBecomesOfIt(t *testing.T) {
	t.Parallel()
	o, _, _ := unsigned(t, func(o *office) {
		o.slack.Faults().FailNext("chat.postMessage", slacksim.Fault{LoseReply: true, Times: 3})
	})
	o.do("wait 1h")
	require.Len(t, o.direct(o.ann), 1, "it arrived, though nobody was told so")

	o, _, _ = unsigned(t, func(o *office) {
		o.slack.Faults().FailNext("chat.postMessage", slacksim.Fault{Status: 429, RetryAfter: 30 * time.Second, Times: 5})
	})
	o.do("wait 10m")
	require.Len(t, o.direct(o.ann), 1, "Slack took it later")
}

// TestWhatNobodyHasToSignOffAnyMoreIsToldToNobody has Slack answer 429 for longer than the promotion waits.
func TestWhatNobodyHasToSignOffAnyMoreIsToldToNobody(t *testing.T) {
	t.Parallel()
	o, _, _ := unsigned(t, func(o *office) {
		o.slack.Faults().FailNext("chat.postMessage", slacksim.Fault{Status: 429, RetryAfter: time.Hour, Times: 2})
	})
	require.Empty(t, o.direct(o.ann))
	o.do("comment #1 by ann: /deny dev", "wait 3h")
	require.Empty(t, o.direct(o.ann))
}

func TestWhoWantsNoDirectMessagesGetsNone(t *testing.T) {
	t.Parallel()
	o, _, _ := unsigned(t, func(o *office) {
		require.Contains(t, o.says(o.ann, "dms").Text, "/waybill dms on")
		require.Contains(t, o.says(o.ann, "dms off").Text, "no direct messages any more")
		cleo := o.slack.AddUser(slacksim.User{Name: "cleo"})
		require.Contains(t, o.says(cleo, "dms off").Text, "/waybill link")
	})
	require.Empty(t, o.direct(o.ann))
	require.Contains(t, o.says(o.ann, "dms on").Text, "told directly")
	o.do("comment #1 by ann: /deny dev", "merge #2 by bob", "wait 1m")
	require.Len(t, o.direct(o.ann), 1)
}

// TestAnAppWithoutAMessagesTabStillTellsTheChannel: Waybill does not retry a permanent refusal by Slack.
func TestAnAppWithoutAMessagesTabStillTellsTheChannel(t *testing.T) {
	t.Parallel()
	o, _, _ := unsigned(t, func(o *office) { o.slack.SwitchMessages(false) })
	o.do("wait 1h")
	refused := 0
	for _, call := range o.slack.Calls() {
		if call.Error == "messages_tab_disabled" {
			refused++
		}
	}
	require.Equal(t, 1, refused)
	all := o.slack.Messages("deploys")
	require.Equal(t, "approve", all[len(all)-1].Buttons()[0].ActionID)
}

// TestNotEverybodyIsToldDirectly has more people who may sign off than get direct messages.
func TestNotEverybodyIsToldDirectly(t *testing.T) {
	t.Parallel()
	o := newOffice(t, signedOff)
	ids, logins := map[string]string{}, []string{}
	for i := range 23 {
		login := fmt.Sprintf("dev-%02d", i)
		require.NoError(t, o.meet(promotion.Login(login)))
		ids[login], logins = o.slack.AddUser(slacksim.User{Name: login}), append(logins, login)
	}
	require.NoError(t, linkAccounts(o.ctx, o.program.store, o.github, ids, logins...))
	o.quiet()
	before := len(o.github.Requests())
	o.do("merge #1 by bob", "wait 1m")
	asked := 0
	for _, r := range o.github.Requests()[before:] {
		if strings.HasSuffix(r.Path, "/permission") {
			asked++
		}
	}
	require.LessOrEqual(t, asked, 21)
	told := 0
	for _, id := range ids {
		told += len(o.direct(id))
	}
	require.Equal(t, 20, told)
}

// TestOnePersonSignsOffOnceHoweverManyAccountsTheyHaveT15 has ann sign off on GitHub, in Slack, and from a second Slack
// account that she has linked since.
func TestOnePersonSignsOffOnceHoweverManyAccountsTheyHaveT15(t *testing.T) {
	t.Parallel()
	o := newOffice(t, strings.Replace(signedOff, "approvals: 1", "approvals: 2", 1))
	require.NoError(t, o.meet("ann"))
	o.joins("ann", "write")
	o.do("merge #1 by bob", "comment #1 by ann: /approve dev")
	require.Contains(t, o.says(o.ann, "approve dev").Text, "Nothing to do")
	require.Contains(t, o.says(o.ann, "unlink").Text, "no longer linked")
	second := o.slack.AddUser(slacksim.User{Name: "ann-too"})
	_, said := o.links("ann", o.says(second, "link"))
	require.Contains(t, o.says(second, "approve dev").Text, "Nothing to do", said)
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, o.states("dev"))
	o.do("comment #1 by cleo: /approve dev")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, o.states("dev"))
}
