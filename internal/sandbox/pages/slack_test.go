package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/sandbox/pages"
	"waybill/internal/slacksim"
)

// workspace is a browser with a Slack that has a channel #deploys, and an App that echoes every command.
type workspace struct {
	*browser
	slack   *slacksim.Server
	channel string
	mu      sync.Mutex
	heard   []string
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	slack, err := slacksim.Start(slacksim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, slack.Close()) })
	w := &workspace{browser: newBrowser(t), slack: slack}
	for _, name := range []string{"ann", "bob"} {
		slack.AddUser(slacksim.User{ID: "U" + strings.ToUpper(name), Name: name})
	}
	w.channel = slack.AddChannel("deploys")
	listener := httptest.NewServer(w)
	t.Cleanup(listener.Close)
	slack.SetRequestURL(listener.URL)
	w.ShowPages(pages.New(pages.Sandbox{
		GitHub: w.Server, Slack: slack, Waybill: "http://127.0.0.1:1", Home: app, CI: w.ci,
		People: []pages.Person{{Login: "ann"}, {Login: "bob"}, {Login: "eve"}},
	}))
	return w
}

// ServeHTTP handles Slack's requests as the App.
func (w *workspace) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text := r.FormValue("text"); text != "" {
		w.heard = append(w.heard, text)
		fmt.Fprint(answer, "heard "+text)
		return
	}
	var said struct {
		Event   struct{ Text string }
		Actions []struct{ Value string }
	}
	_ = json.NewDecoder(r.Body).Decode(&said)
	_ = json.Unmarshal([]byte(r.FormValue("payload")), &said)
	for _, a := range said.Actions {
		w.heard = append(w.heard, "pressed "+a.Value)
	}
	if said.Event.Text != "" {
		w.heard = append(w.heard, said.Event.Text)
	}
}

func (w *workspace) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.heard) == 0 {
		return ""
	}
	return w.heard[len(w.heard)-1]
}

// call calls Slack's Web API as the App.
func (w *workspace) call(method string, form url.Values) {
	w.Helper()
	form.Set("token", w.slack.BotToken())
	response, err := http.PostForm(w.slack.APIURL()+method, form)
	require.NoError(w, err)
	defer response.Body.Close()
	var said struct {
		OK    bool
		Error string
	}
	require.NoError(w, json.NewDecoder(response.Body).Decode(&said))
	require.True(w, said.OK, said.Error)
}

func (w *workspace) post(text, blocks, thread string) {
	w.Helper()
	w.call("chat.postMessage",
		url.Values{"channel": {w.channel}, "text": {text}, "blocks": {blocks}, "thread_ts": {thread}})
}

func TestACommandInTheChannelIsAnsweredThere(t *testing.T) {
	w := newWorkspace(t)
	at := "/-/slack/" + w.channel
	require.Contains(t, w.see("/-/slack"), "Nobody has said anything yet")
	require.Equal(t, at, w.submit(at+"/say", "text", "/waybill hold prod"))
	require.Equal(t, "hold prod", w.last())
	require.Contains(t, w.see(at), "heard hold prod")
	require.Contains(t, w.see(at), "Only you can see this")
	w.as = "bob"
	require.NotContains(t, w.see(at), "heard hold prod")
	w.submit(at+"/say", "text", "@waybill status")
	require.Equal(t, "<@"+slacksim.Bot+"> status", w.last())
	require.Contains(t, w.see(at), `<span class="mention">@waybill</span> status`)
	page := w.refused(at+"/say", "text", "how are you?")
	require.Contains(t, page, "Waybill hears what begins with /waybill")
	require.Contains(t, page, `value="how are you?"`)
}

func TestMessagesAreShownWithTheirBlocksAndButtons(t *testing.T) {
	w := newWorkspace(t)
	at := "/-/slack/" + w.channel
	w.post("fallback", `[{"type":"header","text":{"type":"plain_text","text":"api#142 <to> prod"}},
		{"type":"section","text":{"type":"mrkdwn","text":"*prod* _waits_ for <@UANN> :eyes:"},"fields":[
		{"type":"mrkdwn","text":"`+"`code *x*`"+`"}]},
		{"type":"divider"},{"type":"context","elements":[
		{"type":"mrkdwn","text":"<https://example.com/a|here> &amp; there"}]},
		{"type":"actions","elements":[{"type":"button","action_id":"approve","value":"7",
		"text":{"type":"plain_text","text":"Approve"},"style":"primary"},
		{"type":"button","action_id":"deny","value":"7","text":{"type":"plain_text","text":"Deny"},"style":"danger",
		"confirm":{"title":{"type":"plain_text","text":"Sure?"},
		"text":{"type":"plain_text","text":"It will not go to prod"},
		"confirm":{"type":"plain_text","text":"Yes, deny"},"deny":{"type":"plain_text","text":"No"}}}]}]`, "")
	ts := w.slack.Messages(w.channel)[0].TS
	w.post("and *more*", "", ts)
	page := w.see(at)
	for _, want := range []string{
		"api#142 &lt;to&gt; prod", "<strong>prod</strong> <em>waits</em>", `<span class="mention">@ann</span> 👀`,
		"<code>code *x*</code>", `<a href="https://example.com/a" rel="nofollow noopener noreferrer">here</a> &amp; there`,
		"Approve", "Sure?", "Yes, deny", "and <strong>more</strong>",
	} {
		require.Contains(t, page, want)
	}
	require.Equal(t, at, w.submit(at+"/press", "ts", ts, "action", "approve", "value", "7"))
	require.Equal(t, "pressed 7", w.last())
	require.Contains(t, w.refused(at+"/press", "ts", ts, "action", "approve", "value", "8"), "no longer shows that button")
}

func TestTheHomeOfTheAppIsOpenedAndPressed(t *testing.T) {
	w := newWorkspace(t)
	require.Contains(t, w.see("/-/slack/home"), "Nothing is here yet")
	require.Equal(t, "/-/slack/home", w.submit("/-/slack-home"))
	w.call("views.publish", url.Values{
		"user_id": {"UANN"},
		"view": {`{"type":"home","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"*One* waits for you"},
		"accessory":{"type":"button","action_id":"approve","value":"9","text":{"type":"plain_text","text":"Approve"}}}]}`},
	})
	page := w.see("/-/slack/home")
	require.Contains(t, page, "<strong>One</strong> waits for you")
	require.Contains(t, page, `/api/v1/pipelines/`+app+`">`, "of the pipeline, whose home is another")
	require.Equal(t, "/-/slack/home", w.submit("/-/slack/home/press", "action", "approve", "value", "9"))
	require.Equal(t, "pressed 9", w.last())
}

func TestWhoIsNotInTheWorkspaceSeesNothingOfIt(t *testing.T) {
	w := newWorkspace(t)
	w.as = "eve"
	for _, path := range []string{"/-/slack", "/-/slack/" + w.channel, "/-/slack/home"} {
		response, _ := w.send("GET", path, nil)
		require.Equal(t, http.StatusNotFound, response.StatusCode, path)
	}
	w.as = "ann"
	response, _ := w.send("GET", "/-/slack/C404", nil)
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Contains(t, w.see("/"), `href="/-/slack"`)
	require.NotContains(t, newBrowser(t).see("/"), `href="/-/slack"`)
}

func TestT11HostileTextIsInertInSlack(t *testing.T) {
	w := newWorkspace(t)
	for _, text := range []string{
		"<script>alert(1)</script>", "<javascript:alert(1)|click>", "&lt;img src=x onerror=alert(1)&gt;", "*<img src=x>*",
		"`<b onclick=x>`", `<http://x"onclick="alert(1)|y>`, `<https://x|<img src=x>>`, "<!channel> <@U\"><script>",
		"```</pre><script>alert(1)</script>```", "<data:text/html,x|d>",
	} {
		w.post(text, "", "")
	}
	at := "/-/slack/" + w.channel
	inert(t, at, w.see(at))
}
