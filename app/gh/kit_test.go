package gh

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// kit is a GitHub with a repository acme/app and the App installed on it, a hub, and a client for the repository. Every
// exchange is checked against GitHub's OpenAPI description.
type kit struct {
	*testing.T
	*githubsim.Server
	clock   *clock
	install int64
	hub     *Hub
	client  *Client
	naps    []time.Duration
}

// clock moves only when a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

const repo = "acme/app"

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newKit(t *testing.T) *kit {
	t.Helper()
	k := &kit{T: t, clock: &clock{now: noon}}
	server, err := githubsim.Start(githubsim.Options{Clock: k.clock.Now, Report: func(err error) {
		t.Errorf("violation: %v", err)
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	k.Server = server
	require.NoError(t, server.CreateOrg("acme"))
	require.NoError(t, server.CreateUser("ann", "acme"))
	require.NoError(t, server.CreateRepo(repo,
		map[string]string{"deploy/dev.yaml": "tag: v1\n", "deploy/prod.yaml": "tag: v0\n", "README.md": "app\n"}))
	k.install, err = server.InstallApp("acme")
	require.NoError(t, err)
	k.hub = k.newHub()
	k.client = k.clientOf(k.hub, repo)
	return k
}

// newHub returns a hub that has sent no request yet, as after a restart.
func (k *kit) newHub(change ...func(*Config)) *Hub {
	k.Helper()
	config := Config{
		V3URL: k.V3URL(), V4URL: k.V4URL(), WebURL: k.URL(), AppID: k.AppID(), PrivateKey: []byte(k.PrivateKeyPEM()),
		Clock: k.clock.Now, Transport: &http.Transport{},
	}
	for _, one := range change {
		one(&config)
	}
	hub, err := New(config)
	require.NoError(k, err)
	hub.nap = func(_ context.Context, d time.Duration) error { k.naps = append(k.naps, d); return nil }
	return hub
}

func (k *kit) clientOf(hub *Hub, name promotion.Repo) *Client {
	k.Helper()
	client, err := hub.Installation(k.install, name)
	require.NoError(k, err)
	return client
}

// onceForAll are the requests whose answers are cached: tokens, the App's own name, and its installations.
var onceForAll = []string{
	"/app/installations/{installation_id}/access_tokens", "/app", "/repos/{owner}/{repo}/installation",
}

// asked counts the requests that work sends, without those whose answers are cached.
func (k *kit) asked(work func()) int {
	k.Helper()
	before := len(k.Requests())
	work()
	count := 0
	for _, r := range k.Requests()[before:] {
		if !slices.Contains(onceForAll, r.Route) {
			count++
		}
	}
	return count
}

// push commits files to main as ann.
func (k *kit) push(files map[string]string) promotion.SHA {
	k.Helper()
	contents := map[string]*string{}
	for path, content := range files {
		contents[path] = &content
	}
	sha, err := k.PushFiles(repo, "main", "ann", "change", contents)
	require.NoError(k, err)
	return promotion.SHA(sha)
}

const branch = "waybill/dev/api-142/7"

// commit creates the commit of a promotion on top of main.
func (k *kit) commit() promotion.SHA {
	k.Helper()
	base, err := k.client.Files.Read(k.Context(), "", []string{"deploy/dev.yaml"})
	require.NoError(k, err)
	writes := Writes{Files: map[string]string{"deploy/dev.yaml": "tag: v2\n"}}
	made, err := k.client.Commits.Make(k.Context(), base, writes, "Promote api#142 to dev")
	require.NoError(k, err)
	return made.SHA
}

// request returns the request that opens the pull request of a commit.
func request(head promotion.SHA) OpenRequest {
	return OpenRequest{
		Branch: branch, Head: head, Base: "main", Title: "Promote api#142 to dev", Body: "because",
		Marker: "<!-- waybill:promotion=7 -->", Fresh: true,
	}
}

// opened opens the pull request of a promotion.
func (k *kit) opened() (Opened, promotion.SHA) {
	k.Helper()
	head := k.commit()
	opened, err := k.client.Pulls.Open(k.Context(), request(head))
	require.NoError(k, err)
	return opened, head
}

// path returns a route of one repository.
func path(format string, args ...any) string {
	return "/repos/{owner}/{repo}" + fmt.Sprintf(format, args...)
}
