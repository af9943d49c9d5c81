package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxCall bounds the size of a request.
const maxCall = 1 << 20

// request is one call to the Web API, with its arguments from a form or from JSON.
type request struct {
	method string
	token  string
	args   map[string]string // JSON values other than strings are kept as JSON
}

// refusal is an error by Slack's name.
type refusal string

func (r refusal) Error() string { return string(r) }

// answer has the fields that a method adds to {"ok": true}.
type answer map[string]any

// methods are the methods of the Web API that the simulator has.
var methods = map[string]func(*webAPI, request) (answer, error){
	"auth.test":             (*webAPI).authTest,
	"chat.postMessage":      (*webAPI).postMessage,
	"chat.postEphemeral":    (*webAPI).postEphemeral,
	"chat.update":           (*webAPI).updateMessage,
	"conversations.open":    (*webAPI).openConversation,
	"users.info":            (*webAPI).userInfo,
	"users.lookupByEmail":   (*webAPI).lookupByEmail,
	"views.publish":         (*webAPI).publishView,
	"views.open":            (*webAPI).openView,
	"apps.connections.open": (*webAPI).openConnection,
}

// webAPI is the App's Web API with its response_urls.
type webAPI struct {
	options Options
	world   *world
	faults  Faults
	calls   []Call // guarded by the world's lock
}

// serve answers one request to the Web API.
func (a *webAPI) serve(w http.ResponseWriter, r *http.Request) {
	c, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fault := a.faults.take(c.method)
	if !pause(r, fault.Delay) {
		panic(http.ErrAbortHandler)
	}
	if fault.Status != 0 {
		a.note(c, fault.Status, "")
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(fault.RetryAfter.Seconds())))
		}
		http.Error(w, http.StatusText(fault.Status), fault.Status)
		return
	}
	var out answer
	if err = error(refusal(fault.Error)); fault.Error == "" {
		out, err = a.do(c)
	}
	if fault.LoseReply {
		panic(http.ErrAbortHandler)
	}
	a.reply(w, c, out, err)
}

// do executes a request, one at a time.
func (a *webAPI) do(c request) (answer, error) {
	do, known := methods[c.method]
	if !known {
		a.options.Report(fmt.Errorf("slack: unknown method %s", c.method))
		return nil, refusal("unknown_method")
	}
	a.world.Lock()
	defer a.world.Unlock()
	want := a.options.BotToken
	if c.method == "apps.connections.open" {
		want = a.options.AppToken
	}
	switch c.token {
	case want:
		return do(a, c)
	case "":
		return nil, refusal("not_authed")
	}
	return nil, refusal("invalid_auth")
}

// tooFast is the error of an App that sends too many requests: the time that it must wait.
type tooFast time.Duration

func (tooFast) Error() string { return "ratelimited" }

func (a *webAPI) reply(w http.ResponseWriter, c request, out answer, err error) {
	var slow tooFast
	if errors.As(err, &slow) {
		a.note(c, http.StatusTooManyRequests, "ratelimited")
		w.Header().Set("Retry-After", strconv.Itoa(int((time.Duration(slow)+time.Second-1)/time.Second)))
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"ok":false,"error":"ratelimited"}`)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err == nil {
		w.Header().Set("X-OAuth-Scopes", strings.Join(a.options.Scopes, ","))
	}
	if out == nil {
		out = answer{}
	}
	out["ok"] = err == nil
	word := ""
	if err != nil {
		word, _, _ = strings.Cut(err.Error(), ": ")
		out["error"] = word
		out["response_metadata"] = answer{"messages": []string{"[ERROR] " + err.Error()}}
	}
	a.note(c, http.StatusOK, word)
	if err := json.NewEncoder(w).Encode(out); err != nil {
		a.options.Report(fmt.Errorf("slack: answer %s: %w", c.method, err))
	}
}

func (a *webAPI) note(c request, status int, word string) {
	a.world.Lock()
	defer a.world.Unlock()
	a.calls = append(a.calls, Call{c.method, c.args["channel"], status, word})
}

// read reads the arguments from a form or from JSON. The token is in the form or in the header.
func read(r *http.Request) (request, error) {
	c := request{method: r.PathValue("method"), args: map[string]string{}}
	c.token, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	body, err := io.ReadAll(io.LimitReader(r.Body, maxCall))
	if err != nil {
		return c, err
	}
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "application/json" {
		if len(body) == 0 {
			return c, nil
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(body, &object); err != nil {
			return c, err
		}
		for name, raw := range object {
			c.args[name] = plain(raw)
		}
		return c, nil
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	if err := r.ParseForm(); err != nil {
		return c, err
	}
	for name := range r.Form {
		c.args[name] = r.Form.Get(name)
	}
	if token := c.args["token"]; token != "" {
		c.token = token
	}
	return c, nil
}

// plain returns a JSON string without its quotes, and any other value unchanged.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// pause waits, and returns false if the client disconnects before.
func pause(r *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
