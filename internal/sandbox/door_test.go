package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/internal/githubsim"
)

const chatSecret = "slack signs with this"

// knockedAt is a process in front of which 2,000 connections have begun requests that they do not end.
func knockedAt(t testing.TB) *victim {
	github, err := githubsim.Start(githubsim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = github.Close() })
	v := newVictim(t, github)
	v.env = append(v.env, "SLACK_BOT_TOKEN=xoxb-1", "SLACK_SIGNING_SECRET="+chatSecret, "SLACK_API_URL="+github.URL())
	v.start()
	require.Eventually(t, v.ready, time.Minute, 10*time.Millisecond)
	heads := []string{
		"", "POST /api/github/hook HTTP/1.1\r\nHost: x\r\n",
		"POST /api/github/hook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-GitHub-Event: push\r\n" +
			"X-GitHub-Delivery: g\r\nX-Hub-Signature-256: sha256=" + strings.Repeat("0", 64) + "\r\n" +
			"Content-Length: 1000\r\n\r\n{",
		fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nX-Slack-Request-Timestamp: %d\r\n"+
			"X-Slack-Signature: v0=%s\r\n\r\n", handlers.SlackCommandsPath, time.Now().Unix(), strings.Repeat("0", 64)),
	}
	for i := range 2000 {
		conn, err := net.Dial("tcp", v.address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = io.WriteString(conn, heads[i%len(heads)])
		require.NoError(t, err)
	}
	return v
}

// posts posts a signed request, and returns the status of its answer.
func (v *victim) posts(path, body string, header map[string]string) int {
	request, err := http.NewRequest(http.MethodPost, "http://"+v.address+path, strings.NewReader(body))
	require.NoError(v.t, err)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(v.t, err)
	defer response.Body.Close()
	return response.StatusCode
}

func signedBy(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// hooked posts the nth webhook that GitHub has signed.
func (v *victim) hooked(n int) int {
	body := `{"action":"x","repository":{"full_name":"acme/deploy"},"installation":{"id":1}}`
	return v.posts("/api/github/hook", body, map[string]string{
		"Content-Type": "application/json", "X-GitHub-Event": "push", "X-GitHub-Delivery": fmt.Sprint("guid-", n),
		"X-Hub-Signature-256": "sha256=" + signedBy(v.github.WebhookSecret(), body),
	})
}

// commanded posts the nth slash command that Slack has signed.
func (v *victim) commanded(n int) int {
	body := url.Values{
		"command": {"/waybill"}, "text": {"status"}, "team_id": {"T1"}, "user_id": {"U1"}, "channel_id": {"C1"},
		"trigger_id": {fmt.Sprint(n)},
	}.Encode()
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	return v.posts(handlers.SlackCommandsPath, body, map[string]string{
		"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": "v0=" + signedBy(chatSecret, "v0:"+stamp+":"+body),
	})
}

func TestTheProcessTakesWebhooksAndCommandsBesideTwoThousandIdleConnections(t *testing.T) {
	t.Parallel()
	v := knockedAt(t)
	for n := range 10 {
		require.Equal(t, http.StatusAccepted, v.hooked(n))
		require.Equal(t, http.StatusOK, v.commanded(n))
	}
}

// BenchmarkDoorBesideTwoThousandIdleConnections prints how long the process takes to acknowledge, at most. 100 ms is
// what it should take.
func BenchmarkDoorBesideTwoThousandIdleConnections(b *testing.B) {
	v := knockedAt(b)
	var longest time.Duration
	n := 0
	for b.Loop() {
		for range 50 {
			n++
			begun := time.Now()
			require.Equal(b, http.StatusAccepted, v.hooked(n))
			between := time.Now()
			require.Equal(b, http.StatusOK, v.commanded(n))
			longest = max(longest, between.Sub(begun), time.Since(between))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms-at-most")
}

// TestTheProcessAsksGitHubFromWhereWebhooksCome puts the process behind a proxy on the same machine.
func TestTheProcessAsksGitHubFromWhereWebhooksCome(t *testing.T) {
	t.Parallel()
	github, err := githubsim.Start(githubsim.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = github.Close() })
	v := newVictim(t, github)
	v.env = append(v.env, "WAYBILL_WEBHOOKS_FROM=github", "WAYBILL_TRUSTED_PROXIES=127.0.0.1")
	v.start()
	require.Eventually(t, v.ready, time.Minute, 10*time.Millisecond)
	stranger := map[string]string{"X-Forwarded-For": "203.0.113.9"}
	require.Eventually(t, func() bool { return v.posts("/api/github/hook", "{}", stranger) == http.StatusForbidden },
		time.Minute, 10*time.Millisecond)
	require.Equal(t, http.StatusAccepted, v.hooked(1), "it cannot be told from where that comes, and it is signed")
}
