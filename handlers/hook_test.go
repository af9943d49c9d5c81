package handlers_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/promotion"
)

// ping is the body of an event that is ignored.
const ping = `{"zen":"Design for failure."}`

// push is a body that is stored.
const push = `{"ref":"refs/heads/main","repository":{"id":1,"full_name":"acme/deploy",` +
	`"owner":{"id":2}},"installation":{"node_id":"x","id":3}}`

// T19 and F6: each row is a request that is not a delivery of GitHub.
func TestRequestsThatAreNotDeliveriesAreRefused(t *testing.T) {
	sha1Signed := http.Header{
		"X-Hub-Signature": {"sha1=" + hex.EncodeToString(sum(hmac.New(sha1.New, []byte(secret)), push))},
	}
	for _, row := range []struct {
		name   string
		sent   delivery
		status int
		text   string
	}{
		{"no signature", delivery{body: push, signature: "none"}, 401, "missing"},
		{"SHA-1 only", delivery{body: push, signature: "none", header: sha1Signed}, 401, "missing"},
		{"SHA-1 in the place of SHA-256", delivery{body: push, signature: sha1Signed.Get("X-Hub-Signature")}, 401,
			"malformed"},
		{"SHA-512 in the place of SHA-256", delivery{
			body: push, signature: "sha512=" + hex.EncodeToString(sum(hmac.New(sha512.New, []byte(secret)), push)),
		}, 401, "malformed"},
		{"signature without its kind", delivery{body: push, signature: strings.TrimPrefix(sign(secret, push), "sha256=")},
			401, "malformed"},
		{"signature that is not hex", delivery{body: push, signature: "sha256=" + strings.Repeat("zz", 32)}, 401,
			"does not match"},
		{"signature that is cut", delivery{body: push, signature: sign(secret, push)[:70]}, 401, "malformed"},
		{"wrong secret", delivery{body: push, signature: sign("another", push)}, 401, "does not match"},
		{"empty secret", delivery{body: push, signature: sign("", push)}, 401, "does not match"},
		{"body mutated", delivery{body: push + " ", signature: sign(secret, push)}, 401, "does not match"},
		{"no event", delivery{body: push, event: "none"}, 400, "X-GitHub-Event"},
		{"no delivery id", delivery{body: push, guid: "none"}, 400, "X-GitHub-Delivery"},
		{"no content type", delivery{body: push, contentType: "none"}, 400, "application/json"},
		{"wrong content type", delivery{body: push, contentType: "text/plain"}, 400, "application/json"},
		{"form-encoded", form(push), 400, "choose it in the webhook's settings"},
		{"not an object", delivery{body: `["push"]`}, 400, "not a JSON object"},
		{"not JSON", delivery{body: `Hello, World!`}, 400, "not a JSON object"},
		{"cut JSON", delivery{body: push[:len(push)-1]}, 400, "not a JSON object"},
		{"empty", delivery{}, 400, "not a JSON object"},
		{"not POST", delivery{method: http.MethodGet}, 405, "POST"},
	} {
		t.Run(row.name, func(t *testing.T) {
			inbox := newInbox()
			hook := start(t, handlers.Options{Inbox: inbox})
			answer := hook.post(t, row.sent)
			require.Equal(t, row.status, answer.status, answer.text)
			require.Contains(t, answer.text, row.text)
			require.NotContains(t, answer.text, strings.TrimPrefix(sign(secret, row.sent.body), "sha256="),
				"the signature it should have had")
			require.Empty(t, inbox.kept)
			require.Equal(t, map[handlers.Outcome]int{handlers.Refused: 1}, hook.counts)
			require.Empty(t, hook.events, "names that anybody may send are not counted")
		})
	}
}

func sum(mac interface {
	Write([]byte) (int, error)
	Sum([]byte) []byte
}, body string) []byte {
	_, _ = mac.Write([]byte(body))
	return mac.Sum(nil)
}

func form(body string) delivery {
	encoded := url.Values{"payload": {body}}.Encode()
	return delivery{body: encoded, signature: sign(secret, encoded), contentType: "application/x-www-form-urlencoded"}
}

// T19: with an empty secret go-github would accept any request.
func TestNothingStartsWithoutASecret(t *testing.T) {
	for _, o := range []handlers.Options{{}, {Previous: previous}} {
		o.Inbox = newInbox()
		_, err := handlers.GitHub(o)
		require.ErrorContains(t, err, "GITHUB_APP_WEBHOOK_SECRET")
	}
}

func TestTheSignatureOfGitHubsDocumentationIsAccepted(t *testing.T) {
	hook := start(t, handlers.Options{Inbox: newInbox()})
	const vector = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	answer := hook.post(t, delivery{event: "ping", body: "Hello, World!", signature: vector})
	require.Equal(t, http.StatusAccepted, answer.status)
	answer = hook.post(t, delivery{event: "ping", body: "Hello, World?", signature: vector})
	require.Equal(t, http.StatusUnauthorized, answer.status)
}

// T19: secret rotation.
func TestThePreviousSecretIsAcceptedOnlyIfThereIsOne(t *testing.T) {
	large := `{"text":"` + strings.Repeat("0123456789", 20_000) + `","action":"opened"}`
	old := delivery{event: "pull_request", body: large, signature: sign(previous, large)}

	inbox := newInbox()
	hook := start(t, handlers.Options{Inbox: inbox})
	require.Equal(t, http.StatusUnauthorized, hook.post(t, old).status)

	hook = start(t, handlers.Options{Inbox: inbox, Previous: previous})
	require.Equal(t, http.StatusAccepted, hook.post(t, old).status)
	require.Equal(t, large, string(inbox.kept["72d3162e-cc78-11e3-81ab-4c9367dc0958"].Body))
	require.Equal(t, http.StatusAccepted, hook.post(t, delivery{guid: "new", body: push}).status)
	require.Equal(t, http.StatusUnauthorized, hook.post(t, delivery{body: push, signature: sign("another", push)}).status)
	require.Equal(t, map[handlers.Outcome]int{handlers.Stored: 2, handlers.Refused: 1}, hook.counts)
}

// T19: GitHub sends no body larger than 25 MiB.
func TestBodiesOverTheLimitAreRefused(t *testing.T) {
	const limit = 25 << 20
	body := func(size int) string { return `{"a":"` + strings.Repeat("x", size-8) + `"}` }
	for _, row := range []struct {
		name   string
		size   int
		length bool // whether the request has a Content-Length
		status int
	}{
		{"exactly the limit", limit, true, 202},
		{"one more", limit + 1, true, 413},
		{"one more, unannounced", limit + 1, false, 413},
	} {
		t.Run(row.name, func(t *testing.T) {
			inbox := newInbox()
			hook, err := handlers.GitHub(handlers.Options{Secret: secret, Inbox: inbox})
			require.NoError(t, err)
			sent := body(row.size)
			request := httptest.NewRequest(http.MethodPost, "/api/github/hook", strings.NewReader(sent))
			if !row.length {
				request.ContentLength = -1
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("X-GitHub-Event", "push")
			request.Header.Set("X-GitHub-Delivery", "large")
			request.Header.Set("X-Hub-Signature-256", sign(secret, sent))
			response := httptest.NewRecorder()
			hook.ServeHTTP(response, request)
			require.Equal(t, row.status, response.Code, response.Body)
			require.Equal(t, row.status == 202, len(inbox.kept) == 1)
		})
	}
}

func TestABodyThatIsAnnouncedAsTooLargeIsNotRead(t *testing.T) {
	hook, err := handlers.GitHub(handlers.Options{Secret: secret, Inbox: newInbox()})
	require.NoError(t, err)
	unread := strings.NewReader(push)
	request := httptest.NewRequest(http.MethodPost, "/api/github/hook", unread)
	request.ContentLength = 25<<20 + 1
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-GitHub-Event", "push")
	request.Header.Set("X-GitHub-Delivery", "large")
	request.Header.Set("X-Hub-Signature-256", sign(secret, push))
	response := httptest.NewRecorder()
	hook.ServeHTTP(response, request)
	require.Equal(t, http.StatusRequestEntityTooLarge, response.Code)
	require.Equal(t, len(push), unread.Len())
}

func TestABodyThatEndsEarlyIsNotTakenForAForgedOne(t *testing.T) {
	inbox := newInbox()
	hook, err := handlers.GitHub(handlers.Options{Secret: secret, Previous: previous, Inbox: inbox})
	require.NoError(t, err)
	half := io.MultiReader(strings.NewReader(push[:20]), iotest.ErrReader(io.ErrUnexpectedEOF))
	request := httptest.NewRequest(http.MethodPost, "/api/github/hook", half)
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("X-GitHub-Event", "push")
	request.Header.Set("X-GitHub-Delivery", "half")
	request.Header.Set("X-Hub-Signature-256", sign(secret, push))
	response := httptest.NewRecorder()
	hook.ServeHTTP(response, request)
	require.Equal(t, http.StatusBadRequest, response.Code)
	require.Contains(t, response.Body.String(), "ended too early")
	require.Empty(t, inbox.kept)
}

func TestADeliveryIsStoredWithWhatItIsAbout(t *testing.T) {
	inbox := newInbox()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	hook := start(t, handlers.Options{Inbox: inbox, Clock: func() time.Time { return now }})
	body := strings.Replace(push, "{", `{"action":"created",`, 1)
	require.Equal(t, answer{http.StatusAccepted, ""}, hook.post(t, delivery{event: "check_run", guid: "g", body: body}))
	require.Equal(t, map[string]handlers.Delivery{"g": {
		Source: "github", GUID: "g", Event: "check_run", Action: "created", Repo: promotion.Repo("acme/deploy"),
		Installation: 3, Body: []byte(body), Received: now,
	}}, inbox.kept)
	require.Equal(t, map[handlers.Outcome]int{handlers.Stored: 1}, hook.counts)
}

func TestEventsThatNothingIsAboutAreCountedAndForgotten(t *testing.T) {
	inbox := newInbox()
	hook := start(t, handlers.Options{Inbox: inbox})
	require.Equal(t, answer{http.StatusAccepted, ""}, hook.post(t, delivery{event: "ping", body: ping}))
	require.Empty(t, inbox.kept)
	require.Equal(t, map[handlers.Outcome]int{handlers.Ignored: 1}, hook.counts)
	require.Equal(t, []string{"ping"}, hook.events)
}

// GitHub keeps a delivery that was not acknowledged, so that it can be redelivered.
func TestADeliveryThatCannotBeStoredIsNotAcknowledged(t *testing.T) {
	inbox := newInbox()
	hook := start(t, handlers.Options{Inbox: inbox})
	inbox.full = true
	answer := hook.post(t, delivery{body: push})
	require.Equal(t, http.StatusServiceUnavailable, answer.status)
	require.NotContains(t, answer.text, "disk", "what is wrong here is nobody else's business")

	inbox.full = false
	require.Equal(t, http.StatusAccepted, hook.post(t, delivery{body: push}).status)
	require.Equal(t, map[handlers.Outcome]int{handlers.Lost: 1, handlers.Stored: 1}, hook.counts)
}

// F3 and T20: a GUID identifies an event, however often it is delivered.
func TestAReplayedDeliveryIsHandledOnce(t *testing.T) {
	inbox := newInbox()
	hook := start(t, handlers.Options{Inbox: inbox})
	for range 3 {
		require.Equal(t, http.StatusAccepted, hook.post(t, delivery{body: push}).status)
	}
	broken := func(handlers.Delivery) error { return errors.New("GitHub is down") }
	fine := func(handlers.Delivery) error { return nil }
	require.Equal(t, 0, inbox.work(broken))

	require.Equal(t, http.StatusAccepted, hook.post(t, delivery{body: push}).status, "replayed after a failure")
	require.Equal(t, 1, inbox.work(fine), "it still waits")

	require.Equal(t, http.StatusAccepted, hook.post(t, delivery{body: push}).status, "replayed after success")
	require.Equal(t, 0, inbox.work(fine), "it is done")
	require.Equal(t, map[handlers.Outcome]int{handlers.Stored: 1, handlers.Repeated: 4}, hook.counts)
}

// T20: the same GUID with another body does not come from GitHub.
func TestAKnownGUIDWithAnotherBodyIsRefused(t *testing.T) {
	inbox := newInbox()
	hook := start(t, handlers.Options{Inbox: inbox})
	require.Equal(t, http.StatusAccepted, hook.post(t, delivery{body: push}).status)
	answer := hook.post(t, delivery{body: push + "\n"})
	require.Equal(t, http.StatusBadRequest, answer.status)
	require.Contains(t, answer.text, "another body")
	require.Equal(t, push, string(inbox.kept["72d3162e-cc78-11e3-81ab-4c9367dc0958"].Body))
}
