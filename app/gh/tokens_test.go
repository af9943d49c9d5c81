package gh

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

func TestAClientReachesItsRepositoryAndNoOtherT22(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateRepo("acme/deploy", map[string]string{"a": "b"}))
	_, err := k.client.Read(t.Context(), "", nil)
	require.NoError(t, err)

	// The token of acme/app, sent to acme/deploy.
	stray := &Client{hub: k.hub, installation: k.client.installation, repo: "acme/deploy", owner: "acme", name: "deploy",
		http: k.client.http, rest: k.client.rest}
	_, err = stray.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrRefused)
	_, err = saveRun(t, stray, CheckRun{SHA: promotion.SHA(k.Head("acme/deploy", "main")), Name: "x", Status: "queued"})
	require.ErrorIs(t, err, ErrRefused)
	head := promotion.SHA(k.Head("acme/deploy", "main"))
	require.ErrorIs(t, stray.MoveBranch(t.Context(), "main", head, promotion.SHA(k.Head(repo, "main"))), ErrRefused)
	require.Equal(t, string(head), k.Head("acme/deploy", "main"))
}

func TestARepositoryOfAnotherInstallationHasNoTokenT22(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateRepo("other/app2", map[string]string{"a": "b"}))
	_, err := k.InstallApp("other")
	require.NoError(t, err)
	_, err = k.clientOf(k.hub, "other/app2").Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrNoAccess)
	require.ErrorIs(t, err, ErrRefused)
}

func TestWhatTheAppCannotReachAnyMoreIsNoAccessF34(t *testing.T) {
	for name, change := range map[string]func(k *kit) error{
		"uninstalled": func(k *kit) error { return k.UninstallApp("acme") },
		"suspended":   func(k *kit) error { return k.SuspendApp("acme", true) },
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			require.NoError(t, change(k))
			_, err := k.client.Read(t.Context(), "", nil)
			require.ErrorIs(t, err, ErrNoAccess)
		})
	}
}

// TestATokenOfAnInstallationThatIsSuspendedIsNoAccessF34 uses a token that has not expired.
func TestATokenOfAnInstallationThatIsSuspendedIsNoAccessF34(t *testing.T) {
	k := newKit(t)
	_, err := k.client.Read(t.Context(), "", nil)
	require.NoError(t, err)
	require.NoError(t, k.SuspendApp("acme", true))
	_, err = k.client.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrNoAccess)
	_, err = k.client.Permission(t.Context(), "ann")
	require.ErrorIs(t, err, ErrNoAccess)
	require.NoError(t, k.SuspendApp("acme", false))
	_, err = k.client.Read(t.Context(), "", nil)
	require.NoError(t, err)
}

func TestARenamedRepositoryIsNotFollowedT22(t *testing.T) {
	followed := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer elsewhere.Close()
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusMovedPermanently)
	})
	_, err := c.Pull(t.Context(), 1)
	require.ErrorIs(t, err, ErrNoAccess)
	require.False(t, followed, "our token would have gone there")
}

func TestATokenAsksForNoMoreThanIsNeededT22(t *testing.T) {
	var asked struct {
		Repositories []string          `json:"repositories"`
		Permissions  map[string]string `json:"permissions"`
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/access_tokens") {
			_ = json.NewDecoder(r.Body).Decode(&asked)
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	hub, err := New(Config{V3URL: server.URL, V4URL: server.URL + "/graphql", AppID: 1, PrivateKey: someKey()})
	require.NoError(t, err)
	_, err = must(t, hub, 1, repo).Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrNoAccess)
	require.Equal(t, []string{"app"}, asked.Repositories)
	require.Equal(t, map[string]string{
		"metadata": "read", "statuses": "read", "contents": "write", "pull_requests": "write", "issues": "write",
		"checks": "write", "deployments": "write",
	}, asked.Permissions)
}

func TestATokenThatIsNotGivenBecauseOfALimitIsNoLossOfAccess(t *testing.T) {
	for _, header := range []string{"Retry-After", "X-RateLimit-Remaining", ""} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if header != "" {
				w.Header().Set(header, "0")
			}
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, secondaryBody)
		}))
		defer server.Close()
		_, err := must(t, hubOf(t, server.URL, nil, nil), 1, repo).Read(t.Context(), "", nil)
		require.ErrorIs(t, err, ErrTransient)
		require.NotErrorIs(t, err, ErrNoAccess)
	}
}

func TestARevokedTokenIsReplaced(t *testing.T) {
	var minted atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/access_tokens"):
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, `{"token": "ghs_%d", "expires_at": %q}`, minted.Add(1),
				time.Now().Add(time.Hour).Format(time.RFC3339))
		case r.Header.Get("Authorization") == "token ghs_1":
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"message": "Bad credentials"}`)
		default:
			fmt.Fprint(w, `{"permission": "read"}`)
		}
	}))
	defer server.Close()
	hub, err := New(Config{V3URL: server.URL, V4URL: server.URL + "/graphql", AppID: 1, PrivateKey: someKey()})
	require.NoError(t, err)
	c := must(t, hub, 1, repo)
	_, err = c.Permission(t.Context(), "ann")
	require.ErrorIs(t, err, ErrTransient)
	_, err = c.Permission(t.Context(), "ann")
	require.NoError(t, err)
	require.Equal(t, int32(2), minted.Load())
}

func TestNoErrorCarriesASecretT36(t *testing.T) {
	key := string(someKey())
	for name, bad := range map[string]http.HandlerFunc{
		"refused":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"broken":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"not JSON": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"cut off":  func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1", http.StatusFound)
		},
		"wrong type": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"number": "x", "data": 1}`) },
	} {
		c := clientOf(t, bad)
		_, errREST := c.Pull(t.Context(), 1)
		_, errGraphQL := c.Read(t.Context(), "", nil)
		for _, err := range []error{errREST, errGraphQL} {
			require.Error(t, err, name)
			text := fmt.Sprintf("%v %+v %#v %s", err, err, err, Explain(err).Detail)
			require.NotContains(t, text, secretToken, name)
			require.NotContains(t, text, "Bearer", name)
		}
	}
	_, err := New(Config{V3URL: "http://x", V4URL: "http://x", AppID: 1, PrivateKey: []byte(key[:200])})
	require.Error(t, err)
	require.NotContains(t, err.Error(), key[40:80])
}

func TestNamesThatAreNoRepositoryAreRefusedT10(t *testing.T) {
	hub, _ := wire(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	for _, name := range []promotion.Repo{
		"", "acme", "acme/", "/app", "acme/../x", "acme/..", "a b/c", "acme/app/x", "acme/app?x=1", "acme/%2e%2e",
	} {
		_, err := hub.Installation(1, name)
		require.ErrorIs(t, err, ErrRefused, name)
	}
}

func TestAHubNeedsToKnowWhereAndWhoItIs(t *testing.T) {
	good := Config{
		V3URL: "https://api.github.com", V4URL: "https://api.github.com/graphql", AppID: 1, PrivateKey: someKey(),
	}
	for name, change := range map[string]func(*Config){
		"key": func(c *Config) { c.PrivateKey = nil }, "app": func(c *Config) { c.AppID = 0 },
		"v3": func(c *Config) { c.V3URL = "" }, "v4": func(c *Config) { c.V4URL = "ftp://x" },
	} {
		config := good
		change(&config)
		_, err := New(config)
		require.Error(t, err, name)
	}
	_, err := New(good)
	require.NoError(t, err)
}

func TestATokenIsMintedOnceAndAClientMadeOnce(t *testing.T) {
	k := newKit(t)
	require.Same(t, k.client, k.clientOf(k.hub, repo))
	for range 3 {
		_, err := k.client.Read(t.Context(), "", nil)
		require.NoError(t, err)
	}
	require.Equal(t, 1, k.CountRequests(githubsim.Route{Path: "/app/installations/{installation_id}/access_tokens"}))
}

// TestATokenLacksWhatOnlyAFeatureNeeds takes one permission after the other away. Without deployments or commit
// statuses the work in the repository goes on, and only those signals are unknown. Without another one there is no
// access.
func TestATokenLacksWhatOnlyAFeatureNeeds(t *testing.T) {
	for missing, known := range map[string][]promotion.SignalKind{
		"":            {promotion.KindCheck, promotion.KindStatus},
		"statuses":    {promotion.KindCheck},
		"deployments": {promotion.KindCheck, promotion.KindStatus},
		"checks":      nil,
	} {
		t.Run(missing, func(t *testing.T) {
			k := newKit(t)
			require.NoError(t, k.CreateStatus(repo, "main", "ann", "ci", "success", ""))
			_, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "smoke", SHA: "main", Conclusion: "success"})
			require.NoError(t, err)
			if missing != "" {
				require.NoError(t, k.Permit(missing, ""))
			}
			signals, _, err := k.client.Signals(t.Context(), []promotion.SHA{promotion.SHA(k.Head(repo, "main"))})
			if known == nil {
				require.ErrorIs(t, err, ErrNoAccess)
				return
			}
			require.NoError(t, err)
			var kinds []promotion.SignalKind
			for _, s := range signals {
				kinds = append(kinds, s.Kind)
			}
			require.Equal(t, known, kinds)
			// A token with fewer permissions is minted once.
			minted := k.CountRequests(githubsim.Route{Path: "/app/installations/{installation_id}/access_tokens"})
			_, err = k.client.Read(t.Context(), "", nil)
			require.NoError(t, err)
			require.Equal(t, minted,
				k.CountRequests(githubsim.Route{Path: "/app/installations/{installation_id}/access_tokens"}))
		})
	}
}
