package torture

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/torture/act"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
	"waybill/store"
)

// TestNothingThatIsSaidHoldsASecretT36 searches all output of the program in histories full of accidents: its log,
// errors, panics and answers, its requests to GitHub, the events that it sends, the files of its database, a backup of
// that, and an export of the audit trail.
func TestNothingThatIsSaidHoldsASecretT36(t *testing.T) {
	require.NoError(t, Prepare())
	heard := map[string]bool{}
	for seed := range uint64(9) {
		e := newEar(t)
		synctest.Test(t, func(t *testing.T) {
			_, err := playTo(e.listener(), restless(seed), Place{Folder: fast(t)}, false)
			require.NoError(t, err)
		})
		require.Empty(t, e.leaks(), "seed %d", seed)
		for _, what := range []string{"authorization", "private key", "webhook secret", "previous webhook secret",
			"client secret", "API token", "token of a workflow", "secret of the receiver of events"} {
			require.NotEmpty(t, e.secrets[what], what)
		}
		heard["the cookie of a sign-in"] = heard["the cookie of a sign-in"] || len(e.secrets["session"]) > 0
		heard["a message in Slack"] = heard["a message in Slack"] || e.chats > 0
		for what, where := range worthHearing {
			heard[what] = heard[what] || bytes.Contains(e.said[where].Bytes(), []byte(what))
		}
	}
	for what, was := range heard {
		require.True(t, was, "nothing was heard of %s: there is no proof in silence", what)
	}
}

// worthHearing maps texts to the output that must contain them in at least one history. Without them the test above
// would pass on empty output.
var worthHearing = map[string]string{
	"a bug in Waybill": inLog, "signed in": inLog, "a value of type *errors.errorString": inErrors,
	"waybill_panics_total{": inAnswers, `"promotions": [`: inAnswers,
	"401 ": inAnswers, `"kind":"effect"`: inEvents, "nobody listens": inLog,
	"/merge ": inRequests, "waybill:": inRequests, "pull_request": inDatabase,
	"api#1": inBackup, `"prev":`: inExport,
}

// TestAnEarKnowsASecretInEveryCoat shows that the test above can fail.
func TestAnEarKnowsASecretInEveryCoat(t *testing.T) {
	const secret = "it's a secret/of+nobody"
	for _, text := range []string{
		secret, "x" + secret + "y", hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret)),
		url.QueryEscape(secret),
		fmt.Sprintf("%q", secret),
	} {
		e := newEar(t)
		e.keep("secret", secret)
		e.hear(inLog, text)
		require.Len(t, e.leaks(), 1, text)
	}
	e := newEar(t)
	e.keepKey(string(pem.EncodeToMemory(&pem.Block{Type: "KEY", Bytes: bytes.Repeat([]byte("0123456789"), 20)})))
	e.hear(inAnswers, `{"key": "`+strings.ReplaceAll(string(pem.EncodeToMemory(&pem.Block{Type: "KEY",
		Bytes: bytes.Repeat([]byte("0123456789"), 20)})), "\n", `\n`)+`"}`)
	require.NotEmpty(t, e.leaks())
}

// restless returns a plan with an accident after every act.
func restless(seed uint64) plan.Plan {
	p := NewPlan(seed)
	p.End = false
	for i := range p.Acts {
		p.Acts[i].ID *= 2
	}
	for i := len(p.Acts); i > 0; i-- {
		accident := plan.Act{ID: 2*i - 1, Kind: act.Request, A: int(seed) + i, B: i, Steps: 3}
		p.Acts = slices.Insert(p.Acts, i, accident)
	}
	return p
}

// The kinds of output.
const (
	inLog      = "the log"
	inErrors   = "errors, panics and answers to webhooks"
	inAnswers  = "answers of the API and metrics"
	inRequests = "what is sent to GitHub"
	inEvents   = "what is sent to the receiver of events"
	inDatabase = "the files of the database"
	inBackup   = "a backup"
	inExport   = "an export of the audit trail"
)

// ear records the program's output, and the secrets that it must never contain.
type ear struct {
	mu      sync.Mutex
	said    map[string]*bytes.Buffer   // by kind of output
	secrets map[string]map[string]bool // by kind of secret
	token   string                     // for the API
	tokens  string                     // the file that lists the token
	panics  int                        // how many of the next requests panic
	chats   int                        // messages posted in Slack
	events  int                        // that were sent to the receiver of events
}

func newEar(t *testing.T) *ear {
	e := &ear{said: map[string]*bytes.Buffer{}, secrets: map[string]map[string]bool{},
		tokens: filepath.Join(t.TempDir(), "tokens")}
	for _, where := range []string{inLog, inErrors, inAnswers, inRequests, inEvents, inDatabase,
		inBackup, inExport} {
		e.said[where] = new(bytes.Buffer)
	}
	token, secret, err := api.NewToken(api.Token{Name: "ear", Scope: api.Operate})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(e.tokens, []byte(token.Line()+"\n"), 0o600))
	e.token = secret
	e.keep("API token", secret)
	return e
}

func (e *ear) listener() *listener {
	logger := zerolog.New(writer{e, inLog}).Level(zerolog.TraceLevel)
	return &listener{
		base:     logger.WithContext(context.Background()),
		settings: e.settle,
		wire:     func(to http.RoundTripper) http.RoundTripper { return tapped{e, to} },
		said:     func(text string) { e.hear(inErrors, text) },
		last:     e.last,
	}
}

// writer records the text that is written to it.
type writer struct {
	ear   *ear
	where string
}

// Write implements io.Writer.
func (w writer) Write(p []byte) (int, error) {
	w.ear.hear(w.where, string(p))
	return len(p), nil
}

func (e *ear) hear(where, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said[where].WriteString(text + "\n")
}

// keep remembers a secret.
func (e *ear) keep(what, secret string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.secrets[what] == nil {
		e.secrets[what] = map[string]bool{}
	}
	e.secrets[what][secret] = true
}

// keepKey records each line of a key. A line is the same however the key is written.
func (e *ear) keepKey(text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			e.keep("private key", line)
		}
	}
}

// settle gives the program every secret that its settings allow.
func (e *ear) settle(s *config.Server) {
	s.APITokensFile = e.tokens
	s.GitHub.PreviousWebhookSecret = "the secret of last year"
	e.keepKey(string(s.GitHub.PrivateKey))
	e.keep("webhook secret", string(s.GitHub.WebhookSecret))
	e.keep("previous webhook secret", string(s.GitHub.PreviousWebhookSecret))
	e.keep("client secret", string(s.GitHub.OAuthClientSecret))
	s.Events = config.Events{URL: "https://events.invalid/the-way-in", Secret: "the secret of the receiver"}
	e.keep("address of the receiver of events", "the-way-in")
	e.keep("secret of the receiver of events", string(s.Events.Secret))
	if s.Slack.On() {
		e.keep("Slack token", string(s.Slack.BotToken))
		e.keep("Slack signing secret", string(s.Slack.SigningSecret))
	}
	e.hear(inErrors, fmt.Sprintf("%v %+v %#v", *s, *s, *s))
}

// tapped is a wire to GitHub that records requests.
type tapped struct {
	ear *ear
	to  http.RoundTripper
}

// RoundTrip records credentials as secrets, and everything else as output. While panics are left, it panics with a
// value that holds a secret.
func (x tapped) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "events.invalid" {
		return x.ear.receive(r)
	}
	_, proof, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if proof != "" {
		x.ear.keep("authorization", proof)
	}
	if err := x.listen(r); err != nil {
		return nil, err
	}
	if !isToken(r) && x.ear.panics > 0 {
		x.ear.panics--
		panic(errors.New("cannot send: Bearer " + proof))
	}
	return x.to.RoundTrip(r)
}

// listen records a request to GitHub without its credentials. It skips a sign-in, which must send the client's secret.
func (x tapped) listen(r *http.Request) error {
	if r.Body == nil || r.URL.Host != "github.invalid" || strings.HasPrefix(r.URL.Path, "/login/oauth/") {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	header := r.Header.Clone()
	header.Del("Authorization")
	x.ear.hear(inRequests, fmt.Sprintf("%s %s %v %s", r.Method, r.URL, header, body))
	return nil
}

// receive takes four events of five.
func (e *ear) receive(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	e.hear(inEvents, fmt.Sprint(r.Header, string(body)))
	e.events++
	if e.events%5 == 3 {
		return nil, errors.New("nobody listens")
	}
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody, Request: r}, nil
}

// last makes the program panic, calls every route with a valid token and without, and reads the program's files.
func (e *ear) last(w *World) {
	e.panics = 4
	w.ledger.Log.Failure, w.machine.looks = nil, 0 // an earlier failure does not matter here: only the output does
	w.ledger.GitHub.Faults().Clear()
	w.schedule.hooks = act.Deliveries{}
	w.cast.Developer.Publish(plan.Act{B: 1})
	w.machine.wakeAll()
	w.schedule.Some(300)
	e.panics = 0
	workflow, err := w.ledger.GitHub.WorkflowToken(githubsim.WorkflowRun{Repo: shape.Home, Audience: act.PublicURL})
	w.machine.ear.hears(fmt.Sprint(err))
	e.keep("token of a workflow", workflow)
	for _, token := range []string{e.token, e.token + "x", workflow, ""} {
		for _, path := range []string{"/metrics", "/readyz", "/healthz", "/api/v1/deliveries/none"} {
			e.ask(w, http.MethodGet, path, token)
		}
		for _, route := range api.Routes {
			path := strings.NewReplacer("{owner}/{repo}", shape.Home, "{stage}", w.ledger.Checkout.Pipeline.Stages[0].Name,
				"{number}", "1", "{login}", "ann", "{guid}", e.delivery(w)).Replace(route.Path)
			e.ask(w, route.Method, path, token)
		}
	}
	e.signIn(w)
	if w.ledger.Chat != nil {
		e.chats = len(w.ledger.Chat.Messages(shape.Room))
	}
	database := strings.TrimPrefix(w.machine.database, "sqlite://")
	for _, file := range []string{database, database + "-wal"} {
		text, err := os.ReadFile(file)
		w.machine.ear.hears(fmt.Sprint(err))
		e.hear(inDatabase, string(text))
	}
	e.copies(w)
}

// copies backs the database up, and exports its audit trail.
func (e *ear) copies(w *World) {
	file := e.tokens + ".backup"
	err := store.Backup(w.machine.base, w.machine.database, file)
	w.machine.ear.hears(fmt.Sprint(err))
	text, err := os.ReadFile(file)
	w.machine.ear.hears(fmt.Sprint(err))
	e.hear(inBackup, string(text))
	err = store.Read(w.machine.base, w.machine.database, func(tx *store.Tx) error {
		chains, err := tx.Audit.Chains()
		for _, c := range chains {
			err = errors.Join(err, tx.Audit.EachLine(c, 0, func(l store.Line) error {
				e.hear(inExport, fmt.Sprint(l))
				return nil
			}))
		}
		return err
	})
	w.machine.ear.hears(fmt.Sprint(err))
}

// delivery returns the GUID of a webhook that the program has acknowledged.
func (e *ear) delivery(w *World) string {
	for guid := range w.ledger.Acked {
		return guid
	}
	return "none"
}

// ask sends a request to the program and records the answer.
func (e *ear) ask(w *World, method, path, token string) {
	r := httptest.NewRequest(method, act.PublicURL+path, nil)
	r.RemoteAddr = "127.0.0.1:1234" // metrics answer the machine's own network only
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	e.answered(w, r)
}

// answered records the answer to a request, without the headers that only a browser gets at a sign-in.
func (e *ear) answered(w *World, r *http.Request) *http.Response {
	ctx, cancel := context.WithTimeout(w.machine.base, time.Second)
	defer cancel()
	answer := httptest.NewRecorder()
	w.machine.program.service.Handler().ServeHTTP(answer, r.WithContext(ctx))
	header := answer.Header().Clone()
	header.Del("Set-Cookie")
	header.Del("Location")
	e.hear(inAnswers, fmt.Sprintf("%d %v %s", answer.Code, header, answer.Body))
	return answer.Result()
}

// signIn signs a person in and reads with the session's cookies.
func (e *ear) signIn(w *World) {
	left := e.answered(w, httptest.NewRequest(http.MethodGet, act.PublicURL+api.SignInPath, nil))
	there, err := w.ledger.GitHub.RoundTrip(httptest.NewRequest(http.MethodGet, left.Header.Get("Location"), nil))
	w.machine.ear.hears(fmt.Sprint(err))
	back := httptest.NewRequest(http.MethodGet, there.Header.Get("Location"), nil)
	for range 2 { // a sign-in works only once
		for _, cookie := range left.Cookies() {
			back.AddCookie(cookie)
		}
		e.looksAround(w, e.answered(w, back).Cookies())
	}
}

// looksAround reads with the cookies of a signed-in person.
func (e *ear) looksAround(w *World, cookies []*http.Cookie) {
	r := httptest.NewRequest(http.MethodGet, act.PublicURL+"/api/v1/pipelines", nil)
	for _, cookie := range cookies {
		if cookie.Value != "" {
			e.keep("session", cookie.Value)
		}
		r.AddCookie(cookie)
	}
	e.answered(w, r)
}

// leaks lists the secrets found in the output, and where.
func (e *ear) leaks() (all []string) {
	for what, secrets := range e.secrets {
		for secret := range secrets {
			for where, said := range e.said {
				if said := said.Bytes(); slices.ContainsFunc(coats(secret),
					func(c string) bool { return bytes.Contains(said, []byte(c)) }) {
					all = append(all, what+" in "+where)
				}
			}
		}
	}
	return all
}

// coats returns the encodings in which a secret may be written.
func coats(secret string) []string {
	return []string{
		secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
}
