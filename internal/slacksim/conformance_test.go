package slacksim

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite CONFORMANCE.md")

// behaviour is a behaviour of Slack with its source: Slack's documentation ("docs:"), a report ("issue:"), or only
// memory ("unverified").
type behaviour struct {
	does   string
	source string
	prove  func(k *kit)
}

// kit is a Slack with a person and a channel, an App that listens, and slack-go as the App's client.
type kit struct {
	*testing.T
	*Server
	ann, deploys string
	client       *slack.Client
	ctx          context.Context

	mu     sync.Mutex
	heard  []*http.Request
	bodies []string
	answer func(w http.ResponseWriter)
}

func newKit(t *testing.T, o Options) *kit {
	s, err := Start(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	k := &kit{T: t, Server: s, ctx: t.Context()}
	k.ann, k.deploys = s.AddUser(User{Name: "ann", Email: "ann@acme.test"}), s.AddChannel("deploys")
	k.client = slack.New(s.BotToken(), slack.OptionAPIURL(s.APIURL()), slack.OptionAppLevelToken(s.AppToken()))
	app := httptest.NewServer(http.HandlerFunc(k.hear))
	t.Cleanup(app.Close)
	s.SetRequestURL(app.URL)
	return k
}

func (k *kit) hear(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	k.mu.Lock()
	k.heard, k.bodies = append(k.heard, r), append(k.bodies, string(body))
	answer := k.answer
	k.mu.Unlock()
	if answer != nil {
		answer(w)
	}
}

func (k *kit) post(text string, options ...slack.MsgOption) (ts string, err error) {
	_, ts, err = k.client.PostMessageContext(k.ctx, "#deploys", append(options, slack.MsgOptionText(text, false))...)
	return ts, err
}

// section returns a block with n characters.
func section(n int) slack.Block {
	return slack.NewSectionBlock(slack.NewTextBlockObject(slack.MarkdownType, strings.Repeat("x", n), false, false), nil,
		nil)
}

var rows = []behaviour{
	{"knows the App by the token, in the form or in the header", "docs: authentication/tokens", func(k *kit) {
		_, err := k.client.AuthTestContext(k.ctx)
		require.NoError(k, err)
		_, err = slack.New("", slack.OptionAPIURL(k.APIURL())).AuthTestContext(k.ctx)
		require.EqualError(k, err, "not_authed")
		_, err = slack.New("xoxb-other", slack.OptionAPIURL(k.APIURL())).AuthTestContext(k.ctx)
		require.EqualError(k, err, "invalid_auth")
		r, _ := http.NewRequest("POST", k.APIURL()+"auth.test", nil)
		r.Header.Set("Authorization", "Bearer "+k.BotToken())
		answer, err := http.DefaultClient.Do(r)
		require.NoError(k, err)
		defer answer.Body.Close()
		var said struct {
			OK   bool
			Team string `json:"team_id"`
		}
		require.NoError(k, json.NewDecoder(answer.Body).Decode(&said))
		require.True(k, said.OK)
		require.Equal(k, Team, said.Team)
	}},
	{"posts to a channel by id or name, and to a user's conversation with the bot", "docs: methods/chat.postMessage",
		func(k *kit) {
			channel, _, err := k.client.PostMessageContext(k.ctx, "#deploys", slack.MsgOptionText("a", false))
			require.NoError(k, err)
			require.Equal(k, k.deploys, channel)
			channel, _, err = k.client.PostMessageContext(k.ctx, k.ann, slack.MsgOptionText("b", false))
			require.NoError(k, err)
			require.Regexp(k, "^D", channel)
		}},
	{"sends no direct messages while the App's Messages tab is off", "docs: methods/chat.postMessage#errors",
		func(k *kit) {
			k.SwitchMessages(false)
			_, _, err := k.client.PostMessageContext(k.ctx, k.ann, slack.MsgOptionText("b", false))
			require.EqualError(k, err, "messages_tab_disabled")
		}},
	{"refuses a channel that does not exist, or that the bot is not in", "docs: methods/chat.postMessage#errors",
		func(k *kit) {
			_, _, err := k.client.PostMessageContext(k.ctx, "#none", slack.MsgOptionText("a", false))
			require.EqualError(k, err, "channel_not_found")
			k.RemoveBot("deploys")
			_, err = k.post("a")
			require.EqualError(k, err, "not_in_channel")
		}},
	{"changes the App's own message; without blocks the old ones stay, an empty list removes them",
		"docs: methods/chat.update", func(k *kit) {
			ts, err := k.post("a", slack.MsgOptionBlocks(section(1)))
			require.NoError(k, err)
			_, _, _, err = k.client.UpdateMessageContext(k.ctx, k.deploys, ts, slack.MsgOptionText("b", false))
			require.NoError(k, err)
			require.Equal(k, "b", k.Messages("deploys")[0].Text)
			require.Len(k, k.Messages("deploys")[0].Blocks, 1)
			_, _, _, err = k.client.UpdateMessageContext(k.ctx, k.deploys, ts, slack.MsgOptionText("c", false),
				slack.MsgOptionBlocks([]slack.Block{}...))
			require.NoError(k, err)
			_, _, _, err = k.client.UpdateMessageContext(k.ctx, k.deploys, "1.2", slack.MsgOptionText("b", false))
			require.EqualError(k, err, "message_not_found")
		}},
	{"changes no message of a person's, and no ephemeral one", "docs: methods/chat.update#errors", func(k *kit) {
		k.Mention(k.ctx, k.ann, "deploys", "", "hello")
		_, _, _, err := k.client.UpdateMessageContext(k.ctx, k.deploys, k.Messages("deploys")[0].TS,
			slack.MsgOptionText("b", false))
		require.EqualError(k, err, "cant_update_message")
		ts, err := k.client.PostEphemeralContext(k.ctx, k.deploys, k.ann, slack.MsgOptionText("psst", false))
		require.NoError(k, err)
		_, _, _, err = k.client.UpdateMessageContext(k.ctx, k.deploys, ts, slack.MsgOptionText("b", false))
		require.EqualError(k, err, "message_not_found")
	}},
	{"shows answers in a thread below the message, in the channel too when they are broadcast",
		"docs: methods/chat.postMessage#threads", func(k *kit) {
			ts, err := k.post("a")
			require.NoError(k, err)
			_, err = k.post("b", slack.MsgOptionTS(ts), slack.MsgOptionBroadcast())
			require.NoError(k, err)
			all := k.Messages("deploys")
			require.Len(k, all, 1)
			require.True(k, all[0].Replies[0].Broadcast)
		}},
	{"takes 50 blocks in a message and 100 in a view", "docs: reference/block-kit/blocks", func(k *kit) {
		many := make([]slack.Block, 50)
		for i := range many {
			many[i] = slack.NewDividerBlock()
		}
		_, err := k.post("a", slack.MsgOptionBlocks(many...))
		require.NoError(k, err)
		many = append(many, slack.NewDividerBlock())
		_, err = k.post("a", slack.MsgOptionBlocks(many...))
		require.ErrorContains(k, err, "invalid_blocks")
		_, err = k.client.PublishViewContext(k.ctx,
			slack.PublishViewContextRequest{
				UserID: k.ann, View: slack.HomeTabViewRequest{Type: "home", Blocks: slack.Blocks{BlockSet: many}},
			})
		require.NoError(k, err)
		home, _ := k.Home(k.ann)
		require.Len(k, home.Blocks, 51)
	}},
	{"takes 3000 characters in a section", "docs: reference/block-kit/blocks/section-block", func(k *kit) {
		_, err := k.post("a", slack.MsgOptionBlocks(section(3000)))
		require.NoError(k, err)
		_, err = k.post("a", slack.MsgOptionBlocks(section(3001)))
		require.ErrorContains(k, err, "invalid_blocks")
	}},
	{"refuses blocks of more than about 13,200 characters together", "issue: slackapi/bolt-js#2509", func(k *kit) {
		_, err := k.post("a", slack.MsgOptionBlocks(section(3000), section(3000), section(3000), section(3000),
			section(1200)))
		require.NoError(k, err)
		_, err = k.post("a", slack.MsgOptionBlocks(section(3000), section(3000), section(3000), section(3000), section(1201)))
		require.ErrorContains(k, err, "msg_blocks_too_long")
	}},
	{"demands a text, or blocks", "docs: methods/chat.postMessage#errors", func(k *kit) {
		_, err := k.post("")
		require.EqualError(k, err, "no_text")
	}},
	{"answers 429 with Retry-After to messages that come too fast to one channel", "docs: apis/web-api/rate-limits",
		func(k *kit) {
			_, err := k.post("a")
			require.NoError(k, err)
			_, err = k.post("b")
			var limited *slack.RateLimitedError
			require.ErrorAs(k, err, &limited)
			require.Equal(k, time.Second, limited.RetryAfter)
		}},
	{"shows whether a person is a guest, a bot, deactivated, or of another workspace", "docs: methods/users.info",
		func(k *kit) {
			eve := k.AddUser(User{Name: "eve", TeamID: "T0OTHER", Restricted: true, Single: true, Deleted: true})
			u, err := k.client.GetUserInfoContext(k.ctx, eve)
			require.NoError(k, err)
			require.True(k, u.IsRestricted && u.IsUltraRestricted && u.Deleted)
			require.False(k, u.IsStranger, "whoever shares a channel with the App is none")
			require.Equal(k, "T0OTHER", u.TeamID)
			_, err = k.client.GetUserInfoContext(k.ctx, "U0NOBODY")
			require.EqualError(k, err, "user_not_found")
		}},
	{"finds people by their address", "docs: methods/users.lookupByEmail", func(k *kit) {
		u, err := k.client.GetUserByEmailContext(k.ctx, "ann@acme.test")
		require.NoError(k, err)
		require.Equal(k, k.ann, u.ID)
		_, err = k.client.GetUserByEmailContext(k.ctx, "nobody@acme.test")
		require.EqualError(k, err, "users_not_found")
	}},
	{"opens a conversation with a person, but not with a deactivated one", "docs: methods/conversations.open",
		func(k *kit) {
			c, _, _, err := k.client.OpenConversationContext(k.ctx, &slack.OpenConversationParameters{Users: []string{k.ann}})
			require.NoError(k, err)
			require.Regexp(k, "^D", c.ID)
			k.ChangeUser(k.ann, func(u *User) { u.Deleted = true })
			_, _, _, err = k.client.OpenConversationContext(k.ctx, &slack.OpenConversationParameters{Users: []string{k.ann}})
			require.EqualError(k, err, "user_disabled")
		}},
	{"opens a dialog once for a trigger", "docs: methods/views.open", func(k *kit) {
		k.Slash(k.ctx, k.ann, "deploys", "help")
		id := k.Acks()[0].ID
		view := slack.ModalViewRequest{
			Type: "modal", Title: slack.NewTextBlockObject("plain_text", "t", false, false),
			Blocks: slack.Blocks{BlockSet: []slack.Block{section(1)}},
		}
		_, err := k.client.OpenViewContext(k.ctx, id, view)
		require.NoError(k, err)
		_, err = k.client.OpenViewContext(k.ctx, id, view)
		require.ErrorContains(k, err, "expired_trigger_id")
	}},
	{"signs its requests with v0, the time and the raw body", "docs: authentication/verifying-requests-from-slack",
		func(k *kit) {
			k.Slash(k.ctx, k.ann, "deploys", "promote prod")
			verifier, err := slack.NewSecretsVerifier(k.heard[0].Header, k.SigningSecret())
			require.NoError(k, err)
			_, err = verifier.Write([]byte(k.bodies[0]))
			require.NoError(k, err)
			require.NoError(k, verifier.Ensure())
		}},
	{"shows operation_timeout to a person whose command was not acknowledged in time",
		"docs: interactivity/slash-commands", func(k *kit) {
			k.answer = func(http.ResponseWriter) { time.Sleep(2 * k.options.AckTime) }
			require.False(k, k.Slash(k.ctx, k.ann, "deploys", "help").OK())
			require.Contains(k, k.Messages("deploys")[0].Text, "operation_timeout")
		}},
	{"takes five answers at a response_url, ephemeral unless they say otherwise",
		"docs: interactivity/handling-user-interaction", func(k *kit) {
			k.Slash(k.ctx, k.ann, "deploys", "help")
			r, _ := http.NewRequest("POST", "", strings.NewReader(k.bodies[0]))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			for i := range 6 {
				err := slack.PostWebhookContext(k.ctx, r.FormValue("response_url"), &slack.WebhookMessage{Text: fmt.Sprint(i)})
				require.Equal(k, i == 5, err != nil)
			}
			require.Len(k, k.Messages("deploys"), 5)
			require.Equal(k, k.ann, k.Messages("deploys")[0].EphemeralTo)
		}},
	{"repeats an event up to three times, with the same event_id and the number of the retry",
		"docs: apis/events-api#retries", func(k *kit) {
			k.answer = func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }
			k.Mention(k.ctx, k.ann, "deploys", "", "help")
			require.Eventually(k, func() bool { return len(k.Acks()) == 4 }, 10*time.Second, time.Millisecond)
			require.Equal(k, k.Acks()[0].ID, k.Acks()[3].ID)
			require.Equal(k, "3", k.heard[3].Header.Get("X-Slack-Retry-Num"))
		}},
	{"sends everything by Socket Mode where no address is known, and waits for the acknowledgement",
		"docs: apis/events-api/using-socket-mode", func(k *kit) {
			k.SetRequestURL("")
			require.ErrorContains(k, k.Slash(k.ctx, k.ann, "deploys", "help").Err, "dispatch_failed")
			client := socketmode.New(k.client)
			ctx, cancel := context.WithCancel(k.ctx)
			ended := make(chan error)
			go func() { ended <- client.RunContext(ctx) }()
			go func() {
				for e := range client.Events {
					if e.Request != nil && e.Request.EnvelopeID != "" {
						client.Ack(*e.Request)
					}
				}
			}()
			require.Eventually(k, func() bool { return k.Sockets() == 1 }, 10*time.Second, time.Millisecond)
			require.True(k, k.Slash(k.ctx, k.ann, "deploys", "help").OK())
			require.True(k, k.Mention(k.ctx, k.ann, "deploys", "", "help").OK())
			cancel()
			require.True(k, errors.Is(<-ended, context.Canceled))
		}},
	{"answers unknown_method to an unknown method", "docs: apis/web-api", func(k *kit) {
		require.ErrorContains(k, k.client.ArchiveConversationContext(k.ctx, k.deploys), "unknown_method")
	}},
}

func TestConformance(t *testing.T) {
	for _, row := range rows {
		t.Run(row.does, func(t *testing.T) {
			o := Options{Retries: []time.Duration{0, 0, 0}}
			if strings.Contains(row.does, "429") {
				o.PostsPerSecond, o.Clock = 1, func() time.Time { return time.Unix(1_700_000_000, 0) }
			}
			if strings.Contains(row.does, "operation_timeout") {
				o.AckTime = 20 * time.Millisecond
			}
			row.prove(newKit(t, o))
		})
	}
}

func TestFaultsBreakOneRequest(t *testing.T) {
	k := newKit(t, Options{})
	k.Faults().FailNext("chat.postMessage", Fault{Status: 503})
	k.Faults().FailNext("chat.postMessage", Fault{Error: "fatal_error"})
	k.Faults().FailNext("chat.postMessage", Fault{LoseReply: true})
	_, err := k.post("a")
	require.ErrorContains(t, err, "503")
	_, err = k.post("b")
	require.EqualError(t, err, "fatal_error")
	_, err = k.post("c")
	require.Error(t, err)
	require.Len(t, k.Messages("deploys"), 1, "the reply was lost, the message was not")
	require.Equal(t, "c", k.Messages("deploys")[0].Text)
}

func TestConformanceTableIsWrittenDown(t *testing.T) {
	preface, err := os.ReadFile("testdata/conformance.md")
	require.NoError(t, err)
	var text strings.Builder
	fmt.Fprintf(&text, string(preface), len(rows))
	text.WriteString("| Slack | known from |\n|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(&text, "| %s | %s |\n", row.does, row.source)
	}
	if *update {
		require.NoError(t, os.WriteFile("CONFORMANCE.md", []byte(text.String()), 0o644))
	}
	have, err := os.ReadFile("CONFORMANCE.md")
	require.NoError(t, err)
	require.Equal(t, text.String(), string(have), "run: go test ./internal/slacksim -run TableIsWrittenDown -update")
}
