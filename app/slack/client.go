package slack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/slack-go/slack"
)

// Config is how Slack is reached.
type Config struct {
	BotToken, AppToken string
	APIURL             string            // with a slash at the end
	Transport          http.RoundTripper // http.DefaultTransport if nil
	Clock              func() time.Time
}

// Client speaks to one workspace, or to an organization of several, as the App's bot.
type Client struct {
	config Config
	api    *slack.Client
	http   *http.Client

	mu     sync.Mutex
	home   Home
	people map[string]known
	turns  map[string]turns // of the channels that had a message just now
}

// timeout is how long Slack may take to answer.
const timeout = 10 * time.Second

// New makes a client. Nothing is asked before it is used.
func New(c Config) *Client {
	web := &http.Client{
		Transport: c.Transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // T29
	}
	return &Client{
		config: c, http: web, people: map[string]known{}, turns: map[string]turns{},
		api: slack.New(c.BotToken, slack.OptionAPIURL(c.APIURL), slack.OptionHTTPClient(web),
			slack.OptionAppLevelToken(c.AppToken)),
	}
}

// Home is the workspace that the App is installed in.
type Home struct {
	Team       string
	Enterprise string // "": it belongs to none
	Bot        string // our own user
}

// Home asks once where we are.
func (c *Client) Home(ctx context.Context) (Home, error) {
	c.mu.Lock()
	home := c.home
	c.mu.Unlock()
	if home != (Home{}) {
		return home, nil
	}
	is, err := c.api.AuthTestContext(ctx)
	if err != nil {
		return Home{}, classify("ask where we are", err)
	}
	home = Home{Team: is.TeamID, Enterprise: is.EnterpriseID, Bot: is.UserID}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.home = home
	return home, nil
}

// Place is where a message is.
type Place struct {
	Channel string // an id, or for a first message a name or a user
	TS      string // of the message; empty: there is none yet
}

// Post writes a message to a channel, or into the thread that a message begins.
func (c *Client) Post(ctx context.Context, to Place, m Message) (Place, error) {
	if wait := c.turn(to.Channel); wait > 0 {
		return Place{}, &failure{
			what: "post a message", cause: errors.New("the channel has just had one"), transient: true, after: wait,
		}
	}
	options := m.options()
	if to.TS != "" {
		options = append(options, slack.MsgOptionTS(to.TS))
		if m.Broadcast {
			options = append(options, slack.MsgOptionBroadcast())
		}
	}
	channel, ts, err := c.api.PostMessageContext(ctx, to.Channel, options...)
	return Place{channel, ts}, classify("post to "+to.Channel, err)
}

// Update changes a message of ours.
func (c *Client) Update(ctx context.Context, at Place, m Message) error {
	_, _, _, err := c.api.UpdateMessageContext(ctx, at.Channel, at.TS, m.options()...)
	return classify("change a message in "+at.Channel, err)
}

// Whisper shows a message to one person in a channel, until they reload.
func (c *Client) Whisper(ctx context.Context, channel, user, thread string, m Message) error {
	options := m.options()
	if thread != "" {
		options = append(options, slack.MsgOptionTS(thread))
	}
	_, err := c.api.PostEphemeralContext(ctx, channel, user, options...)
	return classify("answer in "+channel, err)
}

// Respond answers by the address that came with a command or a click, if it is one of Slack's (T29).
func (c *Client) Respond(ctx context.Context, address string, m Message) error {
	if !c.slacks(address) {
		return &failure{what: "answer", cause: errors.New("the address for answers is none of Slack's")}
	}
	err := slack.PostWebhookCustomHTTPContext(ctx, address, c.http, &slack.WebhookMessage{
		Text: m.text(), Blocks: &slack.Blocks{BlockSet: m.blocks(maxBlocks)}, ResponseType: slack.ResponseTypeEphemeral,
	})
	return classify("answer", err)
}

// slacks reports whether an address is one that Slack takes answers at.
func (c *Client) slacks(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	api, err := url.Parse(c.config.APIURL)
	own := err == nil && u.Host == api.Host && u.Scheme == api.Scheme && api.Host != "slack.com"
	return u.Scheme == "https" && u.Host == "hooks.slack.com" || own
}

// ShowHome shows a message in a person's App Home.
func (c *Client) ShowHome(ctx context.Context, user string, m Message) error {
	_, err := c.api.PublishViewContext(ctx, slack.PublishViewContextRequest{
		UserID: user,
		View:   slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: m.blocks(2 * maxBlocks)}},
	})
	return classify("show the home of "+user, err)
}

// failure is a failed request.
type failure struct {
	what      string
	cause     error
	transient bool
	after     time.Duration
}

func (f *failure) Error() string { return fmt.Sprintf("%s: Slack: %v", f.what, f.cause) }
func (f *failure) Unwrap() error { return f.cause }

// Transient reports whether the same may be asked again, after some time if Slack says how long. Whether it had an
// effect is unknown then.
func Transient(err error) (after time.Duration, is bool) {
	var f *failure
	if !errors.As(err, &f) {
		return 0, false
	}
	return f.after, f.transient
}

// Again reports whether the call may be made again, and after how long; 0 if Slack did not say.
func (f *failure) Again() (after time.Duration, again bool) { return f.after, f.transient }

// Word returns the word by which Slack has refused something, such as "channel_not_found"; empty if it has said none.
func Word(err error) string {
	var said slack.SlackErrorResponse
	if !errors.As(err, &said) {
		return ""
	}
	return said.Err
}

// Refused reports whether Slack answered with a word of refusal, such as "message_not_found".
func Refused(err error, words ...string) bool {
	word := Word(err)
	return word != "" && slices.Contains(words, word)
}

// Untaken reports whether Slack has certainly not carried out a request, and may be asked again: it said so, or it was
// not reached.
func Untaken(err error) bool {
	var f *failure
	if !errors.As(err, &f) || !f.transient {
		return false
	}
	var limited *slack.RateLimitedError
	var dialled *net.OpError
	return f.after > 0 || errors.As(err, &limited) || Refused(err, "ratelimited", "team_added_to_org") ||
		errors.As(err, &dialled) && dialled.Op == "dial"
}

// passing are refusals that go away by themselves.
var passing = []string{
	"internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited", "team_added_to_org",
}

// classify says whether asking again can help: only a refusal in so many words is final.
func classify(what string, err error) error {
	if err == nil {
		return nil
	}
	f := &failure{what: what, cause: err, transient: true}
	var limited *slack.RateLimitedError
	var status slack.StatusCodeError
	var said slack.SlackErrorResponse
	switch {
	case errors.As(err, &limited):
		f.after = limited.RetryAfter
	case errors.As(err, &status):
		f.transient = status.Code >= 500 || status.Code == http.StatusTooManyRequests
	case errors.As(err, &said):
		f.transient = Refused(err, passing...)
	}
	return f
}
