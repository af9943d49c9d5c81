package slack_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/slack"
	"waybill/internal/slacksim"
)

// newClient starts a Slack with a channel #deploys, and a client of it.
func newClient(t *testing.T) (*slacksim.Server, *slack.Client) {
	t.Helper()
	s, err := slacksim.Start(slacksim.Options{Report: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.AddChannel("deploys")
	return s, slack.New(slack.Config{BotToken: s.BotToken(), APIURL: s.APIURL(), Clock: time.Now})
}

func TestWhateverIsSaidSlackTakesIt(t *testing.T) {
	for name, m := range map[string]slack.Message{
		"nothing but a text": {Text: "x"},
		"far too many parts": {Text: "x", Parts: repeated(300, slack.Part{Text: "short", Small: "small"})},
		"parts that are long": {
			Text:  strings.Repeat("é", 50_000),
			Parts: repeated(40, slack.Part{Text: strings.Repeat("é", 9000), Small: strings.Repeat("<", 9000)}),
		},
		"a button that is long": {Text: "x", Parts: []slack.Part{{Buttons: []slack.Button{
			{Action: "hold", Words: strings.Repeat("w", 300), Value: "1.a", Ask: strings.Repeat("a", 900), Style: "danger"},
		}}}},
	} {
		t.Run(name, func(t *testing.T) {
			chat, c := newClient(t)
			at, err := c.Post(t.Context(), slack.Place{Channel: "#deploys"}, m)
			require.NoError(t, err)
			require.NoError(t, c.Update(t.Context(), at, m))
			require.NoError(t, c.ShowHome(t.Context(), chat.AddUser(slacksim.User{Name: "ann"}), m))
		})
	}
}

func TestWhatDoesNotFitIsCountedAndButtonsAlwaysFit(t *testing.T) {
	chat, c := newClient(t)
	parts := append(repeated(300, slack.Part{Text: "short"}),
		slack.Part{Buttons: []slack.Button{{Action: "hold", Words: "Hold", Value: "1.a"}}})
	_, err := c.Post(t.Context(), slack.Place{Channel: "#deploys"}, slack.Message{Text: "x", Parts: parts})
	require.NoError(t, err)
	shown := chat.Messages("deploys")[0]
	require.Len(t, shown.Buttons(), 1)
	require.Equal(t, "+257 more", shown.Blocks[len(shown.Blocks)-1].Elements[0].Text())
}

func repeated(n int, p slack.Part) (all []slack.Part) {
	for range n {
		all = append(all, p)
	}
	return all
}

func TestAnswersGoToNobodyButSlackT29(t *testing.T) {
	var asked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(elsewhere.Close)
	_, c := newClient(t)
	for _, address := range []string{
		elsewhere.URL + "/commands/T1/1", "http://hooks.slack.com/commands/T1/1", "https://hooks.slack.com.evil.example/",
		"https://hooks.slack.com@evil.example/", "https://user@hooks.slack.com/", "https://hooks.slack.com:8443/",
		"file:///etc/passwd", "",
	} {
		err := c.Respond(t.Context(), address, slack.Message{Text: "x"})
		require.ErrorContains(t, err, "none of Slack's", address)
		_, again := slack.Transient(err)
		require.False(t, again, address)
	}
	require.Zero(t, asked.Load())
}

func TestARedirectOfSlacksIsNotFollowedT29(t *testing.T) {
	var asked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(elsewhere.Close)
	api := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(api.Close)
	c := slack.New(slack.Config{BotToken: "xoxb-1", APIURL: api.URL + "/api/", Clock: time.Now})
	require.Error(t, c.Respond(t.Context(), api.URL+"/commands/T1/1", slack.Message{Text: "x"}))
	_, err := c.Home(t.Context())
	require.Error(t, err)
	require.Zero(t, asked.Load())
}
