package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/internal/spent"
)

// FuzzHook posts any body with any headers. A delivery is stored only if it is signed with one of the two secrets; no
// other request is acknowledged.
func FuzzHook(f *testing.F) {
	f.Add("push", "72d3162e", "application/json", "", `{"ref":"x"}`, 0)
	f.Add("push", "72d3162e", "application/json; charset=utf-8", "", `{}`, 1)
	f.Add("push", "72d3162e", "application/json", sign("guessed", `{}`), `{}`, 2)
	f.Add("push", "72d3162e", "application/x-www-form-urlencoded", "sha1=00", `payload=%7B%7D`, 2)
	f.Add("no such event", "\x00", "text/plain", "sha256=", `null`, 2)
	f.Fuzz(func(t *testing.T, event, guid, media, signature, body string, signer int) {
		in := newInbox()
		hook, err := handlers.GitHub(handlers.Options{Secret: secret, Previous: previous, Inbox: in})
		require.NoError(t, err)
		right := map[int]string{0: sign(secret, body), 1: sign(previous, body)}
		if one, signs := right[signer]; signs {
			signature = one
		}
		request := httptest.NewRequest(http.MethodPost, "/api/github/hook", strings.NewReader(body))
		request.Header = http.Header{
			"X-Github-Event": {event}, "X-Github-Delivery": {guid}, "Content-Type": {media}, "X-Hub-Signature-256": {signature},
		}
		answer := httptest.NewRecorder()
		length := len(event) + len(guid) + len(media) + len(signature) + len(body)
		spent.Bound{Base: 256 << 10, PerByte: 64}.Check(t, length, func() { hook.ServeHTTP(answer, request) })
		signed := strings.EqualFold(signature, right[0]) || strings.EqualFold(signature, right[1])
		if len(in.kept) > 0 && (!signed || answer.Code != http.StatusAccepted) {
			t.Fatalf("%q is stored and answered with %d", signature, answer.Code)
		}
		if answer.Code == http.StatusAccepted && !signed {
			t.Fatalf("%q is acknowledged", signature)
		}
		if answer.Code >= 500 {
			t.Fatalf("answered with %d %s", answer.Code, answer.Body)
		}
	})
}
