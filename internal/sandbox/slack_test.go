package sandbox

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/slacksim"
	"waybill/promotion"
	"waybill/store"
)

// office is a site with a simulated Slack, which has a user ann and a channel #deploys.
type office struct {
	*site
	slack *slacksim.Server
	ann   string
}

func newOffice(t *testing.T, pipeline string) *office { return newOfficeOf(t, "", pipeline) }

// newOfficeOf returns an office whose workspace belongs to an organization. Its server works for acme only, to whom all
// channels belong.
func newOfficeOf(t *testing.T, enterprise, pipeline string) *office {
	s := newSite(t, pipeline)
	s.owners = []promotion.Actor{{Login: "acme"}}
	chat, err := slacksim.Start(slacksim.Options{Clock: s.clock.Now, Enterprise: enterprise})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, chat.Close()) })
	o := &office{site: s, slack: chat, ann: chat.AddUser(slacksim.User{Name: "ann"})}
	chat.AddChannel("deploys")
	s.chat = slackSettings(chat)
	require.NoError(t, s.restart(s.ctx))
	chat.SetRequestURL(s.program.url)
	s.quiet()
	return o
}

const told = `version: 1
warehouses:
  api: {pull-requests: {}}
stages:
  dev:
    from: api
    set: {deploy/dev.yaml: {tag: "${api.commit}"}}
    verify: [smoke]
    slack: "#deploys"
`

// says sends a slash command as a user and returns the ephemeral reply to that user.
func (o *office) says(user, text string) slacksim.Message {
	o.t.Helper()
	require.True(o.t, o.slack.Slash(o.ctx, user, "deploys", text).OK())
	o.quiet()
	all := o.slack.Messages("deploys")
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].EphemeralTo == user {
			return all[i]
		}
	}
	return slacksim.Message{}
}

// links follows the button of an offer to link accounts, in a browser signed in to GitHub as login.
func (o *office) links(login string, offer slacksim.Message) (status int, said string) {
	o.t.Helper()
	require.Len(o.t, offer.Buttons(), 1)
	o.github.SignInAs(login)
	jar, err := cookiejar.New(nil)
	require.NoError(o.t, err)
	browser := &http.Client{Jar: jar}
	address := offer.Buttons()[0].URL
	at, err := url.Parse(address)
	require.NoError(o.t, err)
	page, err := browser.Get(address)
	require.NoError(o.t, err)
	require.NoError(o.t, page.Body.Close())
	if page.StatusCode != http.StatusOK {
		return page.StatusCode, ""
	}
	at.RawQuery = ""
	page, err = browser.PostForm(at.String(), url.Values{"state": {strings.TrimPrefix(address, at.String()+"?state=")}})
	require.NoError(o.t, err)
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	require.NoError(o.t, err)
	return page.StatusCode, string(text)
}

func TestT26T27WhoIsNotLinkedMayReadAndLinksOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	o.do("merge #1 by ann")
	require.Contains(t, o.says(o.ann, "status").Blocks[0].Text.Text, "acme")
	offer := o.says(o.ann, "hold dev")
	require.Contains(t, offer.Text, "say who you are on GitHub")
	status, said := o.links("ann", offer)
	require.Equal(t, http.StatusOK, status, said)
	require.Contains(t, said, `<meta name="viewport" content="width=device-width`, "people are on phones")
	status, _ = o.links("ann", offer)
	require.Equal(t, http.StatusBadRequest, status, "it was used")
	require.Equal(t, "dev is held until somebody lifts the hold.", o.says(o.ann, "hold dev").Text)

	guest := o.slack.AddUser(slacksim.User{Name: "ann", Restricted: true})
	require.Contains(t, o.says(guest, "status").Text, "guests may not")
	stranger := o.slack.AddUser(slacksim.User{Name: "ann", TeamID: "T0OTHER"})
	require.Contains(t, o.says(stranger, "status").Text, "other workspaces may not")
	gone := o.slack.AddUser(slacksim.User{Name: "ann", Deleted: true})
	require.Contains(t, o.says(gone, "status").Text, "has been deactivated")
	bot := o.slack.AddUser(slacksim.User{Name: "ann", Bot: true})
	require.Contains(t, o.says(bot, "status").Text, "bots may not")
	bob := o.slack.AddUser(slacksim.User{Name: "bob"})
	o.slack.ChangeUser(bob, func(u *slacksim.User) { u.Name, u.Email = "ann", "ann@acme.example" })
	require.Contains(t, o.says(bob, "unhold dev").Text, "say who you are on GitHub", "a name says nothing")
	status, said = o.links("ann", o.says(bob, "link"))
	require.Equal(t, http.StatusForbidden, status, said)
}

// TestT26InAnOrganizationEveryWorkspaceOfItIsHome: a user links an account there once, and users of other organizations
// are refused.
func TestT26InAnOrganizationEveryWorkspaceOfItIsHome(t *testing.T) {
	t.Parallel()
	o := newOfficeOf(t, "E1ACME", told)
	o.do("merge #1 by ann")
	sister := o.slack.AddUser(slacksim.User{Name: "ann", TeamID: "T0SISTER", Enterprise: "E1ACME"})
	require.Contains(t, o.says(sister, "status").Text, "acme/deploy")
	status, said := o.links("ann", o.says(sister, "hold dev"))
	require.Equal(t, http.StatusOK, status, said)
	require.Equal(t, "dev is held until somebody lifts the hold.", o.says(sister, "hold dev").Text)
	for _, elsewhere := range []string{"", "E2OTHER"} {
		stranger := o.slack.AddUser(slacksim.User{Name: "ann", TeamID: "T0OTHER", Enterprise: elsewhere})
		require.Contains(t, o.says(stranger, "unhold dev").Text, "other workspaces may not", elsewhere)
	}
}

// TestT27WhatWasBegunInOneBrowserIsNotEndedInAnother: an address that was passed on links no account in another
// browser.
func TestT27WhatWasBegunInOneBrowserIsNotEndedInAnother(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	o.do("merge #1 by ann")
	address := o.says(o.ann, "link").Buttons()[0].URL
	state := address[strings.Index(address, "state=")+len("state="):]
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	o.github.SignInAs("ann")
	page, err := (&http.Client{Jar: jar}).Get(address)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Equal(t, http.StatusOK, page.StatusCode)
	other, err := http.PostForm(strings.SplitN(address, "?", 2)[0], url.Values{"state": {state}})
	require.NoError(t, err)
	defer other.Body.Close()
	text, err := io.ReadAll(other.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusBadRequest, other.StatusCode)
	require.Contains(t, string(text), "was not begun in this browser")
	require.Contains(t, o.says(o.ann, "hold dev").Text, "say who you are on GitHub")
}

func TestT28AButtonCountsAsLongAsWhatItShowedIsSo(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	o.do("merge #1 by ann")
	_, _ = o.links("ann", o.says(o.ann, "link"))
	o.do("check smoke success on dev", "wait 1m", "merge #2 by ann", "wait 1m", "check smoke failure on dev", "wait 1m")
	var shown slacksim.Message
	for _, m := range o.slack.Messages("deploys") {
		if m.EphemeralTo == "" {
			shown = m
		}
	}
	require.Contains(t, shown.Text, "Verification failed")
	require.NotEmpty(t, shown.Replies)
	require.True(t, shown.Replies[len(shown.Replies)-1].Broadcast)
	buttons := shown.Buttons()
	require.Equal(t, "rollback", buttons[0].ActionID)
	require.NotNil(t, buttons[0].Confirm)
	require.Equal(t, "Take dev back from api#2 to api#1, and hold it then?", buttons[0].Confirm.Text.Text)
	tampered := buttons[0]
	pipeline, _, _ := strings.Cut(tampered.Value, "/")
	tampered.Value = pipeline + "/1.other"
	require.True(t, o.slack.Press(o.ctx, o.ann, "deploys", shown.TS, tampered).OK())
	o.quiet()
	all := o.slack.Messages("deploys")
	require.Contains(t, all[len(all)-1].Text, "Refused")
	require.Contains(t, all[len(all)-1].Text, "see /status dev", "it was shown for something else")
}

func TestT30SlackIsAcknowledgedWhileGitHubHangsAndWhatItSendsAgainIsDoneOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	_, _ = o.links("ann", o.says(o.ann, "link"))
	o.github.Faults().FailNext(githubsim.Route{}, githubsim.Fault{Delay: 4 * time.Second})
	ack := o.slack.Slash(o.ctx, o.ann, "deploys", "hold dev")
	require.True(t, ack.OK(), "%+v", ack)
	for retry := 1; retry <= 3; retry++ {
		again, known := o.slack.Again(o.ctx, ack.ID, retry)
		require.True(t, known && again.OK())
	}
	o.github.Faults().Clear()
	o.do("wait 10m")
	require.Equal(t, 1, o.answered("dev is held until somebody lifts the hold."))
}

func TestT30WhatIsToldAgainBySocketModeIsDoneOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	o.joins("ann", "write")
	o.chat.AppToken = config.Secret(o.slack.AppToken())
	require.NoError(t, o.restart(o.ctx))
	o.slack.SetRequestURL("")
	connected := func() bool { return o.slack.Sockets() > 0 }
	require.Eventually(t, connected, 30*time.Second, 10*time.Millisecond)
	ack := o.slack.Slash(o.ctx, o.ann, "deploys", "hold dev")
	require.True(t, ack.OK(), "%+v", ack)
	again, known := o.slack.Again(o.ctx, ack.ID, 1)
	require.True(t, known && again.OK(), "%+v", again)
	o.quiet()
	require.Equal(t, 1, o.answered("dev is held until somebody lifts the hold."))
}

func TestWhatACommentAndSlackAskForAtOnceIsDoneOnceQ16(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	o.joins("ann", "write")
	o.do("merge #1 by bob", "check smoke success on dev", "merge #2 by bob", "check smoke success on dev")
	var both sync.WaitGroup
	both.Go(func() { o.slack.Slash(o.ctx, o.ann, "deploys", "rollback dev") })
	both.Go(func() {
		_, err := o.github.Comment(home, 2, "ann", "/rollback dev")
		require.NoError(t, err)
	})
	both.Wait()
	o.quiet()
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded", "p3 api#1 dev verifying"},
		o.states("dev"))
	require.Equal(t, 3, o.merges())
}

// answered counts the messages in #deploys with this text.
func (o *office) answered(text string) (n int) {
	for _, m := range o.slack.Messages("deploys") {
		if m.Text == text {
			n++
		}
	}
	return n
}

// mentions has a user mention the bot, and returns how many messages of the bot that brings.
func (o *office) mentions(user string, times int, text string) int {
	o.t.Helper()
	before := o.ours()
	for range times {
		require.True(o.t, o.slack.Mention(o.ctx, user, "deploys", "", text).OK())
		o.do("wait 2s") // a channel takes a message a second
	}
	return o.ours() - before
}

// ours counts the messages of the bot in the channel and its threads.
func (o *office) ours() (n int) {
	for _, m := range o.slack.Messages("deploys") {
		for _, m := range append(m.Replies, m) {
			if m.User == slacksim.Bot {
				n++
			}
		}
	}
	return n
}

// TestT26AnswersInSlackAreBoundedForEachPerson has people ask again and again: one from another workspace, one without
// an account on GitHub, and one who may do everything.
func TestT26AnswersInSlackAreBoundedForEachPerson(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	o.do("merge #1 by ann")
	stranger := o.slack.AddUser(slacksim.User{Name: "eve", TeamID: "T0OTHER"})
	require.Equal(t, 1, o.mentions(stranger, 5, "status"), "one refusal")
	unlinked := o.slack.AddUser(slacksim.User{Name: "rea"})
	require.Equal(t, 20, o.mentions(unlinked, 25, "status"), "in the channel")
	before := o.ours()
	for range 25 {
		o.says(unlinked, "hold dev")
	}
	require.Equal(t, 20, o.ours()-before, "offers to link the accounts")

	status, said := o.links("ann", o.says(o.ann, "link"))
	require.Equal(t, http.StatusOK, status, said)
	require.Equal(t, 60, o.mentions(o.ann, 65, "status"))
	require.Equal(t, 0, o.mentions(o.ann, 1, "hold dev"))
	o.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Ledger.Holds(pipeline)
		require.Len(t, all, 1, "what is asked for is done all the same")
		return err
	})
	o.do("wait 1h")
	require.Equal(t, 1, o.mentions(o.ann, 1, "status"))
	require.Equal(t, 1, o.mentions(stranger, 2, "status"))
}

// TestWhoAsksInSlackDoesNotWaitForTheCommentOnThePullRequest has GitHub refuse that comment for good, as where the pull
// request is locked, or be out of order. The answer is given at once, and once.
func TestWhoAsksInSlackDoesNotWaitForTheCommentOnThePullRequest(t *testing.T) {
	t.Parallel()
	for claim, c := range map[string]struct {
		status int
		words  string
		comes  int // how many comments, once GitHub takes them
	}{
		"it is locked":           {http.StatusForbidden, "Unable to create comment because issue is locked.", 0},
		"GitHub is out of order": {http.StatusServiceUnavailable, "Unavailable", 1},
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, told)
			o.joins("ann", "write")
			o.do("merge #1 by bob", "check smoke success on dev", "merge #2 by bob", "check smoke success on dev")
			o.github.Faults().FailNext(routes[promotion.Tell],
				githubsim.Fault{Status: c.status, Body: `{"message": "` + c.words + `"}`, Times: -1})
			said := o.says(o.ann, "rollback dev").Text
			require.Contains(t, said, "goes back to")
			o.do("wait 10m")
			o.github.Faults().Clear()
			o.do("wait 10m")
			require.Equal(t, 1, o.answered(said))
			comments := 0
			for _, one := range o.told(1) {
				comments += strings.Count(one.Body, "via Slack")
			}
			require.Equal(t, c.comes, comments)
		})
	}
}

// TestAChannelThatRefusesIsLeftInPeaceAndGetsWhatIsFresh has a channel that the bot is not in. Slack is asked once for
// each new look of a message. When the bot is there and the channel is claimed, what is under way is told, and nothing
// that is over.
func TestAChannelThatRefusesIsLeftInPeaceAndGetsWhatIsFresh(t *testing.T) {
	t.Parallel()
	o := newOffice(t, told)
	o.do("grant ann write")
	status, said := o.links("ann", o.says(o.ann, "link"))
	require.Equal(t, http.StatusOK, status, said)
	o.slack.Faults().FailNext("chat.postMessage", slacksim.Fault{Error: "channel_not_found", Times: -1})
	posts := func() (n int) {
		for _, call := range o.slack.Calls() {
			if call.Method == "chat.postMessage" {
				n++
			}
		}
		return n
	}
	o.do("merge #1 by ann", "check smoke success at m1", "merge #2 by ann", "wait 1m")
	before := posts()
	require.Positive(t, before)
	o.do("wait 12h")
	require.LessOrEqual(t, posts(), before+1, "nothing is new but what takes longer")
	o.slack.Faults().Clear()
	require.Empty(t, o.heard())
	require.True(t, o.slack.Slash(o.ctx, o.ann, "deploys", "claim acme/deploy").OK())
	o.do("wait 1m")
	require.Contains(t, strings.Join(o.heard(), "\n"), "api#2 to dev")
	require.NotContains(t, strings.Join(o.heard(), "\n"), "api#1 to dev")
	o.do("check smoke success at m2", "wait 1m")
	require.Contains(t, strings.Join(o.heard(), "\n"), "Verified")
}
