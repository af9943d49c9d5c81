package handlers_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

// slow is a body that pauses at some byte until it is released.
type slow struct {
	left    int
	arrived *sync.WaitGroup // done when the bytes before the pause have been read
	goOn    chan struct{}
	waited  bool
}

// Read implements io.Reader.
func (s *slow) Read(p []byte) (int, error) {
	if s.left > 0 {
		n := min(len(p), s.left)
		s.left -= n
		return n, nil
	}
	if !s.waited {
		s.waited = true
		s.arrived.Done()
		<-s.goOn
	}
	return 0, io.ErrUnexpectedEOF
}

// sent returns a request that looks like a webhook.
func sent(body io.Reader, length int64, signature string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, "/api/github/hook", body)
	request.ContentLength = length
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-GitHub-Event", "push")
	request.Header.Set("X-GitHub-Delivery", "guid")
	request.Header.Set("X-Hub-Signature-256", signature)
	return request
}

// TestBodiesThatDoNotEndTakeNoRoomFromOneThatComesF4 has senders begin as much of a body as they like, and stop. None
// of them is signed.
func TestBodiesThatDoNotEndTakeNoRoomFromOneThatComesF4(t *testing.T) {
	for claim, c := range map[string]struct {
		senders, size int // number of senders, and the bytes that each sends
		rotating      bool
	}{
		"three large ones that would fill the memory": {3, (64 << 20) / 3, false},
		"two that leave room":                         {2, 22 << 20, false},
		"large ones while there are two secrets":      {4, 16<<20 - 1, true},
		"those who say much and send little":          {2000, 1, false},
		"those who say much and send nothing":         {2000, 0, false},
		"many that would fill the memory together":    {1100, 64 << 10, false},
	} {
		t.Run(claim, func(t *testing.T) {
			o := handlers.Options{Secret: secret, Inbox: newInbox()}
			if c.rotating {
				o.Previous = previous
			}
			hook, err := handlers.GitHub(o)
			require.NoError(t, err)
			var arrived, ended sync.WaitGroup
			goOn := make(chan struct{})
			arrived.Add(c.senders)
			for range c.senders {
				ended.Go(func() {
					body := &slow{left: c.size, arrived: &arrived, goOn: goOn}
					hook.ServeHTTP(httptest.NewRecorder(), sent(body, 25<<20, sign(secret, "")))
					if !body.waited {
						arrived.Done() // it was ended before it had sent everything
					}
				})
			}
			arrived.Wait()
			text := push + strings.Repeat(" ", 100<<10)
			for range 3 {
				answer := httptest.NewRecorder()
				hook.ServeHTTP(answer, sent(strings.NewReader(text), int64(len(text)), sign(secret, text)))
				require.Equal(t, http.StatusAccepted, answer.Code)
				require.LessOrEqual(t, handlers.Held(hook), int64(64<<20))
			}
			close(goOn)
			ended.Wait()
			require.Zero(t, handlers.Held(hook), "all of it is given back")
		})
	}
}

// fullInbox is an inbox that stores nothing before it is told to.
type fullInbox struct {
	*inbox
	within *sync.WaitGroup
	goOn   chan struct{}
}

// Accept implements handlers.Inbox.
func (in *fullInbox) Accept(ctx context.Context, d handlers.Delivery) (bool, error) {
	in.within.Done()
	<-in.goOn
	return in.inbox.Accept(ctx, d)
}

func TestWebhooksAreTurnedAwayWhileTooManyAreStoredF4(t *testing.T) {
	var within, ended sync.WaitGroup
	in := &fullInbox{newInbox(), &within, make(chan struct{})}
	hook, err := handlers.GitHub(handlers.Options{Secret: secret, Inbox: in})
	require.NoError(t, err)
	post := func() *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		hook.ServeHTTP(answer, sent(strings.NewReader(push), int64(len(push)), sign(secret, push)))
		return answer
	}
	within.Add(256)
	for range 256 {
		ended.Go(func() { post() })
	}
	within.Wait()
	answer := post()
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
	require.NotEmpty(t, answer.Header().Get("Retry-After"))
	close(in.goOn)
	ended.Wait()
	within.Add(1)
	require.Equal(t, http.StatusAccepted, post().Code, "afterwards there is room again")
}

// TestTheDoorsOfGitHubAndSlackHavePlacesOfTheirOwnF4 fills the places of the one with requests that do not get stored,
// and comes to the other.
func TestTheDoorsOfGitHubAndSlackHavePlacesOfTheirOwnF4(t *testing.T) {
	doors := func(ofGitHub, ofSlack handlers.Inbox) (webhook, command func() int) {
		hook, err := handlers.GitHub(handlers.Options{Secret: secret, Inbox: ofGitHub})
		require.NoError(t, err)
		slack := slackRoutes(t, ofSlack)
		webhook = func() int {
			answer := httptest.NewRecorder()
			hook.ServeHTTP(answer, sent(strings.NewReader(push), int64(len(push)), sign(secret, push)))
			return answer.Code
		}
		return webhook, func() int { return slack(fromSlack{body: typed("status", "1")}).Code }
	}
	var within, ended sync.WaitGroup
	full := &fullInbox{newInbox(), &within, make(chan struct{})}
	fill := func(door func() int) {
		within.Add(256)
		for range 256 {
			ended.Go(func() { door() })
		}
		within.Wait()
		require.Equal(t, http.StatusServiceUnavailable, door(), "it is full")
	}
	webhook, command := doors(full, newInbox())
	fill(webhook)
	require.Equal(t, http.StatusOK, command())
	webhook, command = doors(newInbox(), full)
	fill(command)
	require.Equal(t, http.StatusAccepted, webhook())
	close(full.goOn)
	ended.Wait()
}
