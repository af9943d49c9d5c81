package notify

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

// answering returns a server that answers with a status, and what it is sent.
func answering(t *testing.T, status int, location string) (at *httptest.Server, got *[]*http.Request, body *string) {
	got, body = new([]*http.Request), new(string)
	at = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		*got, *body = append(*got, r), string(text)
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}))
	t.Cleanup(at.Close)
	return at, got, body
}

func TestAnEventIsSignedLikeAWebhookOfGitHub(t *testing.T) {
	at, got, body := answering(t, http.StatusNoContent, "")
	m, err := messageOf(&store.Unsent{Pipeline: 7, Repo: "acme/deploy"},
		store.Event{Seq: 3, Kind: "state", Word: "queued", Hash: "0123456789abcdef"})
	require.NoError(t, err)
	require.NoError(t, newClient(nil).post(t.Context(), Receiver{at.URL + "/in", []byte("It's a Secret to Everybody")}, m))
	require.Len(t, *got, 1)
	header := (*got)[0].Header
	require.Equal(t, string(m.Body), *body)
	require.Contains(t, *body, `"repo":"acme/deploy"`)
	require.Equal(t, "7-3-0123456789ab state", header.Get("X-Waybill-Delivery")+" "+header.Get("X-Waybill-Event"))
	require.Equal(t, sign([]byte("It's a Secret to Everybody"), m.Body), header.Get("X-Hub-Signature-256"))
	// the example of https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
	require.Equal(t, "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
		sign([]byte("It's a Secret to Everybody"), []byte("Hello, World!")))
}

func TestAnEventGoesToNobodyElse(t *testing.T) {
	other, strayed, _ := answering(t, http.StatusOK, "")
	at, got, _ := answering(t, http.StatusTemporaryRedirect, other.URL)
	require.EqualError(t, newClient(nil).post(t.Context(), Receiver{URL: at.URL}, message{}), "the receiver answers 307")
	require.Len(t, *got, 1)
	require.Empty(t, *strayed)
}

func TestARefusalDoesNotRepeatTheAddress(t *testing.T) {
	at, _, _ := answering(t, http.StatusInternalServerError, "")
	err := newClient(nil).post(t.Context(), Receiver{URL: at.URL + "/hush"}, message{})
	require.EqualError(t, err, "the receiver answers 500")
	at.Close()
	err = newClient(nil).post(t.Context(), Receiver{URL: at.URL + "/hush"}, message{})
	require.ErrorContains(t, err, "the receiver does not answer")
	require.NotContains(t, err.Error(), "hush")
	require.NotContains(t, newClient(nil).post(t.Context(), Receiver{URL: "http://hush\x7f"}, message{}).Error(), "hush")
}
