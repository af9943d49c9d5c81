package handlers_test

import (
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

func TestWebhooksAreTurnedAwayBeforeTheyFillTheMemoryF4(t *testing.T) {
	for claim, c := range map[string]struct {
		senders, size int // number of senders, and the bytes that each sends
		rotating      bool
		status        int
	}{
		"three large ones fill it":       {3, (64 << 20) / 3, false, http.StatusServiceUnavailable},
		"two do not":                     {2, 22 << 20, false, http.StatusAccepted},
		"two that are kept do not":       {2, 16<<20 - 1, true, http.StatusServiceUnavailable},
		"who says much and sends little": {200, 1, false, http.StatusAccepted},
		"too many at once":               {256, 1, false, http.StatusServiceUnavailable},
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
				})
			}
			arrived.Wait()
			answer := httptest.NewRecorder()
			text := push + strings.Repeat(" ", 100<<10)
			hook.ServeHTTP(answer, sent(strings.NewReader(text), int64(len(text)), sign(secret, text)))
			require.Equal(t, c.status, answer.Code)
			require.Equal(t, c.status == http.StatusServiceUnavailable, answer.Header().Get("Retry-After") != "")

			close(goOn)
			ended.Wait()
			answer = httptest.NewRecorder()
			hook.ServeHTTP(answer, sent(strings.NewReader(text), int64(len(text)), sign(secret, text)))
			require.Equal(t, http.StatusAccepted, answer.Code, "afterwards there is room again")
		})
	}
}
