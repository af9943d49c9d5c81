package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/config"
)

// receiver takes events, and refuses them while it is broken.
type receiver struct {
	t       *testing.T
	mu      sync.Mutex
	broken  bool
	refused int
	got     []api.Notice
}

// ServeHTTP takes an event with the right signature.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, err := io.ReadAll(request.Body)
	require.NoError(r.t, err)
	mac := hmac.New(sha256.New, []byte("hush"))
	mac.Write(body)
	require.Equal(r.t, "sha256="+hex.EncodeToString(mac.Sum(nil)), request.Header.Get("X-Hub-Signature-256"))
	if r.broken {
		r.refused++
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var n api.Notice
	require.NoError(r.t, json.Unmarshal(body, &n))
	require.Equal(r.t, n.Kind, request.Header.Get("X-Waybill-Event"))
	r.got = append(r.got, n)
}

// set breaks or repairs the receiver, and returns what it has got and refused since.
func (r *receiver) set(broken bool) (got []api.Notice, refused int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	got, refused = r.got, r.refused
	r.got, r.refused, r.broken = nil, 0, broken
	return got, refused
}

// TestTheReceiverOfEventsGetsEachOfThemThoughItIsAwayAndTheServerRestarts compares what it gets with the audit trail.
func TestTheReceiverOfEventsGetsEachOfThemThoughItIsAwayAndTheServerRestarts(t *testing.T) {
	s := newSite(t, oneStage)
	s.do("merge #1 by ann")
	r := &receiver{t: t}
	at := httptest.NewServer(r)
	defer at.Close()
	s.events = config.Events{URL: config.Secret(at.URL), Secret: "hush"}
	token := s.withTokens(api.Token{Name: "reader"})[0]
	trail := func() (lines []api.Event) {
		var page api.Trail
		require.NoError(t, json.Unmarshal([]byte(s.api(token, "GET", "/api/v1"+boardPath+"/audit?limit=100").body), &page))
		require.Empty(t, page.Next)
		return page.Lines
	}
	before := len(trail())
	var all []api.Notice
	eventually := func(enough func() bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			s.do("wait 5m") // the delays before tries are by this clock
			got, _ := r.set(r.broken)
			all = append(all, got...)
			return enough()
		}, 30*time.Second, 10*time.Millisecond)
	}
	complete := func() bool { return len(all) == len(trail())-before }
	s.do("check smoke success on dev")
	eventually(complete)
	require.NotEmpty(t, all)

	r.set(true)
	s.do("comment #1 by ann: /hold dev")
	require.Eventually(t, func() bool {
		_, refused := r.set(true)
		return refused > 0
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, s.restart(s.ctx))
	r.set(false)
	eventually(complete)
	lines := trail()
	for i, n := range all {
		require.Equal(t, home, n.Repo)
		require.Equal(t, lines[len(lines)-before-1-i], n.Event, "each once and in order")
	}
}
