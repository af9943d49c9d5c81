package handlers_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

const (
	secret   = "It's a Secret to Everybody"
	previous = "the secret of last year"
)

// self is the App that the tests run as.
var self = handlers.Self{AppID: 4711, Slug: "waybill"}

// sign returns the signature that GitHub would send with a body.
func sign(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// inbox is a small Inbox in memory.
type inbox struct {
	mu      sync.Mutex
	kept    map[string]handlers.Delivery
	handled map[string]bool
	full    bool // it stores nothing
}

func newInbox() *inbox {
	return &inbox{kept: map[string]handlers.Delivery{}, handled: map[string]bool{}}
}

// Accept implements handlers.Inbox.
func (in *inbox) Accept(_ context.Context, d handlers.Delivery) (bool, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	before, known := in.kept[d.GUID]
	switch {
	case in.full:
		return false, errors.New("the disk is full")
	case known && !bytes.Equal(before.Body, d.Body):
		return false, handlers.ErrAltered
	case known:
		return false, nil
	}
	in.kept[d.GUID] = d
	return true, nil
}

// work handles the waiting deliveries, and returns how many it has handled.
func (in *inbox) work(handle func(handlers.Delivery) error) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	done := 0
	for guid, d := range in.kept {
		if !in.handled[guid] && handle(d) == nil {
			in.handled[guid] = true
			done++
		}
	}
	return done
}

// hook is a running webhook that counts.
type hook struct {
	url    string
	counts map[handlers.Outcome]int
	events []string // counted with their names
}

func start(t *testing.T, o handlers.Options) *hook {
	t.Helper()
	h := &hook{counts: map[handlers.Outcome]int{}}
	if o.Secret == "" {
		o.Secret = secret
	}
	o.Count = func(outcome handlers.Outcome, event string) {
		h.counts[outcome]++
		if event != "" {
			h.events = append(h.events, event)
		}
	}
	handler, err := handlers.GitHub(o)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// delivery is a request to the webhook. An empty field gets GitHub's usual value; "none" leaves it out.
type delivery struct {
	method, event, guid, body, signature, contentType string
	header                                            http.Header
}

// answer is the response.
type answer struct {
	status int
	text   string
}

func (h *hook) post(t *testing.T, d delivery) answer {
	t.Helper()
	request, err := http.NewRequest(or(d.method, http.MethodPost), h.url, strings.NewReader(d.body))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"Content-Type":        or(d.contentType, "application/json"),
		"X-GitHub-Event":      or(d.event, "push"),
		"X-GitHub-Delivery":   or(d.guid, "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
		"X-Hub-Signature-256": or(d.signature, sign(secret, d.body)),
	} {
		if value != "none" {
			request.Header.Set(name, value)
		}
	}
	for name, values := range d.header {
		request.Header[name] = values
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(response.Body)
	require.NoError(t, err)
	return answer{response.StatusCode, text.String()}
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
