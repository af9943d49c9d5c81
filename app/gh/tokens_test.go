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
	_, err := k.client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)

	// The token of acme/app, sent to acme/deploy.
	stray := k.hub.newClient(k.client.installation, "acme/deploy", k.client.http)
	_, err = stray.Files.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrRefused)
	_, err = saveRun(t, stray, CheckRun{SHA: promotion.SHA(k.Head("acme/deploy", "main")), Name: "x", Status: "queued"})
	require.ErrorIs(t, err, ErrRefused)
	head := promotion.SHA(k.Head("acme/deploy", "main"))
	require.ErrorIs(t, stray.Branches.Move(t.Context(), "main", head, promotion.SHA(k.Head(repo, "main"))), ErrRefused)
	require.Equal(t, string(head), k.Head("acme/deploy", "main"))
}

func TestARepositoryOfAnotherInstallationHasNoTokenT22(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateRepo("other/app2", map[string]string{"a": "b"}))
	_, err := k.InstallApp("other")
	require.NoError(t, err)
	_, err = k.clientOf(k.hub, "other/app2").Files.Read(t.Context(), "", nil)
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
			_, err := k.client.Files.Read(t.Context(), "", nil)
			require.ErrorIs(t, err, ErrNoAccess)
		})
	}
}

// TestATokenOfAnInstallationThatIsSuspendedIsNoAccessF34 uses a token that has not expired.
func TestATokenOfAnInstallationThatIsSuspendedIsNoAccessF34(t *testing.T) {
	k := newKit(t)
	_, err := k.client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	require.NoError(t, k.SuspendApp("acme", true))
	_, err = k.client.Files.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrNoAccess)
	_, err = k.client.People.Permission(t.Context(), "ann")
	require.ErrorIs(t, err, ErrNoAccess)
	require.NoError(t, k.SuspendApp("acme", false))
	_, err = k.client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
}

func TestARenamedRepositoryIsNotFollowedT22(t *testing.T) {
	followed := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer elsewhere.Close()
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusMovedPermanently)
	})
	_, err := c.Pulls.Read(t.Context(), 1)
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
	_, err = must(t, hub, 1, repo).Files.Read(t.Context(), "", nil)
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
		_, err := must(t, hubOf(t, server.URL, nil, nil), 1, repo).Files.Read(t.Context(), "", nil)
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
	_, err = c.People.Permission(t.Context(), "ann")
	require.ErrorIs(t, err, ErrTransient)
	_, err = c.People.Permission(t.Context(), "ann")
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
		_, errREST := c.Pulls.Read(t.Context(), 1)
		_, errGraphQL := c.Files.Read(t.Context(), "", nil)
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
		_, err := k.client.Files.Read(t.Context(), "", nil)
		require.NoError(t, err)
	}
	require.Equal(t, 1, k.CountRequests(githubsim.Route{Path: "/app/installations/{installation_id}/access_tokens"}))
}

// TestALimitOnTokensIsWaitedFor: while GitHub gives an installation no token, it is not asked for one.
func TestALimitOnTokensIsWaitedFor(t *testing.T) {
	k := newKit(t)
	k.Faults().FailNext(mints, k.Faults().PrimaryLimit(http.StatusForbidden, 30*time.Minute))
	for range 5 {
		_, err := k.client.Files.Read(t.Context(), "", nil)
		require.ErrorIs(t, err, ErrTransient)
	}
	require.Equal(t, 1, k.CountRequests(mints))
	k.clock.now = k.clock.now.Add(31 * time.Minute)
	_, err := k.client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	require.Equal(t, 2, k.CountRequests(mints))
}

// mints is the request for a token.
var mints = githubsim.Route{Path: "/app/installations/{installation_id}/access_tokens"}

// TestATokenLacksWhatTheAccountHasNotGranted takes one permission after the other away. The work in the repository goes
// on, and what needs the permission is refused in words that name it.
func TestATokenLacksWhatTheAccountHasNotGranted(t *testing.T) {
	all := []promotion.SignalKind{promotion.KindCheck, promotion.KindStatus}
	for missing, known := range map[string][]promotion.SignalKind{
		"": all, "statuses": all[:1], "checks": all[1:], "deployments": all, "issues": all, "pull_requests": all,
		"contents": all,
	} {
		t.Run(missing, func(t *testing.T) {
			k := newKit(t)
			require.NoError(t, k.CreateStatus(repo, "main", "ann", "ci", "success", ""))
			_, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: "smoke", SHA: "main", Conclusion: "success"})
			require.NoError(t, err)
			if missing != "" {
				require.NoError(t, k.Permit(missing, ""))
			}
			head := promotion.SHA(k.Head(repo, "main"))
			signals, _, err := k.client.Signals.On(t.Context(), []promotion.SHA{head})
			require.NoError(t, err)
			var kinds []promotion.SignalKind
			for _, s := range signals {
				kinds = append(kinds, s.Kind)
			}
			require.Equal(t, known, kinds)
			// A token with fewer permissions is minted once.
			minted := k.CountRequests(mints)
			for name, work := range k.work(head) {
				if err := work(); name == missing {
					require.ErrorIs(t, err, ErrLacking, name)
					require.ErrorIs(t, err, ErrNoAccess, name)
					require.Contains(t, Explain(err).Detail, "the App lacks the permission "+Grant{name, ""}.Title(), name)
				} else {
					require.NoError(t, err, name)
				}
			}
			require.Equal(t, minted, k.CountRequests(mints))
		})
	}
}

// work is something that needs each permission.
func (k *kit) work(head promotion.SHA) map[string]func() error {
	return map[string]func() error{
		"contents": func() error { _, err := k.client.Files.Read(k.Context(), "", nil); return err },
		"issues": func() error {
			_, _, err := k.client.rest.Issues.ListComments(k.Context(), "acme", "app", 0, nil)
			return k.client.wrong(err, "list comments")
		},
		"pull_requests": func() error { _, err := k.client.Pulls.MergedInto(k.Context(), "main", noon); return err },
		"checks": func() error {
			_, err := saveRun(k.T, k.client, CheckRun{SHA: head, Name: "x", Status: "queued"})
			return err
		},
		"deployments": func() error {
			return k.client.Surfaces.Save(k.Context(), &Deployment{SHA: head, Environment: "x", State: "in_progress"})[0].Err
		},
	}
}

// TestATokenHasAPermissionSomeMinutesAfterItIsGranted grants it without a word, and then with the webhook that tells.
func TestATokenHasAPermissionSomeMinutesAfterItIsGranted(t *testing.T) {
	for name, pass := range map[string]func(k *kit){
		"minutes": func(k *kit) { k.clock.Advance(lessFor + time.Second) },
		"told":    func(k *kit) { k.hub.Regranted(k.install) },
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit(t)
			require.NoError(t, k.Permit("checks", ""))
			run := CheckRun{SHA: promotion.SHA(k.Head(repo, "main")), Name: "x", Status: "queued"}
			_, err := saveRun(t, k.client, run)
			require.ErrorIs(t, err, ErrLacking)
			require.NoError(t, k.Permit("checks", "write"))
			_, err = saveRun(t, k.client, run)
			require.ErrorIs(t, err, ErrLacking)
			pass(k)
			_, err = saveRun(t, k.client, run)
			require.NoError(t, err)
		})
	}
}

// TestATokenOfOnePurposeNamesThePermissionThatIsMissing asks for what needs tokens of their own.
func TestATokenOfOnePurposeNamesThePermissionThatIsMissing(t *testing.T) {
	for missing, ask := range map[string]func(k *kit) error{
		"members": func(k *kit) error {
			_, err := k.hub.InTeam(k.Context(), k.install, "acme", "sre", "ann")
			return err
		},
		"packages": func(k *kit) error {
			_, err := k.hub.Images(k.Context(), repo, "ghcr.io/acme/app")
			return err
		},
		"actions": func(k *kit) error { _, err := k.client.Workflows.Runs(k.Context(), "deploy.yml", noon); return err },
	} {
		t.Run(missing, func(t *testing.T) {
			k := newKit(t)
			require.NoError(t, k.Permit(missing, ""))
			err := ask(k)
			require.ErrorIs(t, err, ErrLacking)
			require.Contains(t, Explain(err).Detail, Grant{missing, "read"}.String())
		})
	}
}

// TestATokenOfOnePurposeAsksForNothingElseT22 asks for what needs tokens of their own. Those for a whole installation
// change nothing, and each other is for one repository.
func TestATokenOfOnePurposeAsksForNothingElseT22(t *testing.T) {
	type scope struct {
		Repositories []string          `json:"repositories"`
		Permissions  map[string]string `json:"permissions"`
	}
	asked := scope{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/installation"):
			fmt.Fprint(w, `{"id": 1, "account": {"id": 1, "login": "acme"}}`)
		case r.URL.Path == "/app":
			fmt.Fprint(w, `{"id": 1, "slug": "waybill"}`)
		case strings.HasPrefix(r.URL.Path, "/users/"):
			fmt.Fprint(w, `{"id": 2, "login": "waybill[bot]"}`)
		case strings.HasSuffix(r.URL.Path, "/access_tokens") && asked.Permissions == nil: // the first one
			_ = json.NewDecoder(r.Body).Decode(&asked)
			fallthrough
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	hub, err := New(Config{V3URL: server.URL, V4URL: server.URL + "/graphql", AppID: 1, PrivateKey: someKey()})
	require.NoError(t, err)
	client, here := must(t, hub, 1, repo), []string{"app"}
	for _, c := range []struct {
		ask  func() error
		with scope
	}{
		{func() error { _, err := hub.Repositories(t.Context(), 1); return err },
			scope{nil, map[string]string{"metadata": "read"}}},
		{func() error {
			_, err := hub.Holding(t.Context(), 1, []promotion.Repo{repo}, []string{"x", "y"})
			return err
		},
			scope{nil, map[string]string{"metadata": "read", "contents": "read"}}},
		{func() error { _, err := hub.InTeam(t.Context(), 1, "acme", "sre", "ann"); return err },
			scope{nil, map[string]string{"metadata": "read", "members": "read"}}},
		{func() error { _, err := hub.Images(t.Context(), repo, "ghcr.io/acme/app"); return err },
			scope{nil, map[string]string{"metadata": "read", "packages": "read"}}},
		{func() error { _, err := client.Workflows.Runs(t.Context(), "deploy.yml", noon); return err },
			scope{here, map[string]string{"metadata": "read", "actions": "read"}}},
		{func() error { return client.Workflows.Start(t.Context(), "deploy.yml", "main", nil) },
			scope{here, map[string]string{"metadata": "read", "actions": "write"}}},
	} {
		asked = scope{}
		require.Error(t, c.ask())
		require.Equal(t, c.with, asked)
	}
}

// TestTokensOfOnePurposeAreKept asks for the same thing twice.
func TestTokensOfOnePurposeAreKept(t *testing.T) {
	k := newKit(t)
	for range 2 {
		_, err := k.hub.InTeam(t.Context(), k.install, "acme", "sre", "ann")
		require.NoError(t, err)
		_, err = k.hub.Repositories(t.Context(), k.install)
		require.NoError(t, err)
	}
	require.Equal(t, 2, k.CountRequests(mints))
}

// notAccessible is an answer of GraphQL in which a step of a mutation may not be carried out.
const notAccessible = `{"data": {"s0": null}, "errors": [{"type": "FORBIDDEN", "path": ["s0"],
  "message": "Resource not accessible by integration"}]}`

// lose takes a permission away while a token is in use, which the simulator lets keep it.
func (k *kit) lose(permission string, lost bool) {
	k.Helper()
	_, err := k.client.Files.Read(k.Context(), "", nil)
	require.NoError(k, err)
	if lost {
		require.NoError(k, k.Permit(permission, ""))
	}
}

// TestATokenThatHasLostAPermissionIsReplaced has GitHub refuse a request. It is made again with a new token, which
// tells whether a lost permission is the reason.
func TestATokenThatHasLostAPermissionIsReplaced(t *testing.T) {
	for _, lost := range []bool{true, false} {
		t.Run(fmt.Sprint(lost), func(t *testing.T) {
			k := newKit(t)
			opened, _ := k.opened()
			k.lose("pull_requests", lost)
			minted := k.CountRequests(mints)
			read := func() error {
				k.Faults().FailNext(githubsim.Route{Path: path("/pulls/{pull_number}")}, githubsim.Fault{
					Status: http.StatusForbidden, Body: `{"message": "Resource not accessible by integration"}`})
				_, err := k.client.Pulls.Read(t.Context(), opened.Pull)
				return err
			}
			if lost {
				require.ErrorIs(t, read(), ErrLacking)
				return
			}
			require.NoError(t, read())
			require.Equal(t, ClassFinal, ClassOf(read()), "the new token has the permission: it is for another reason")
			require.Equal(t, minted+1, k.CountRequests(mints))
			k.clock.Advance(lessFor)
			require.NoError(t, read())
		})
	}
}

// TestAQueryIsSentAgainWithATokenThatTellsWhatIsLost has GitHub refuse a field of a query.
func TestAQueryIsSentAgainWithATokenThatTellsWhatIsLost(t *testing.T) {
	for _, lost := range []bool{true, false} {
		t.Run(fmt.Sprint(lost), func(t *testing.T) {
			k := newKit(t)
			k.lose("contents", lost)
			read := func() error {
				k.Faults().FailNext(githubsim.Route{Field: "repository"}, githubsim.Fault{Status: http.StatusOK,
					Body: `{"data": {"repository": null}, "errors": [{"type": "FORBIDDEN", "path": ["repository", "branch"],
						"message": "Resource not accessible by integration"}]}`})
				_, err := k.client.Files.Read(t.Context(), "", nil)
				return err
			}
			if lost {
				require.ErrorIs(t, read(), ErrLacking)
				return
			}
			require.NoError(t, read())
			require.Equal(t, ClassFinal, ClassOf(read()), "the new token has the permission")
		})
	}
}

// TestAStepIsTriedAgainWithATokenThatTellsWhatIsLost has GitHub refuse a step of a mutation.
func TestAStepIsTriedAgainWithATokenThatTellsWhatIsLost(t *testing.T) {
	for _, lost := range []bool{true, false} {
		t.Run(fmt.Sprint(lost), func(t *testing.T) {
			k := newKit(t)
			k.lose("checks", lost)
			make := func() error {
				k.Faults().FailNext(githubsim.Route{Field: "createCheckRun"},
					githubsim.Fault{Status: http.StatusOK, Body: notAccessible})
				run := k.view("in_progress", "")
				run.Fresh = true
				return k.client.Surfaces.Save(t.Context(), &run)[0].Err
			}
			require.ErrorIs(t, make(), ErrTransient, "it may be for another reason")
			if lost {
				_, err := k.client.Files.Read(t.Context(), "", nil)
				require.NoError(t, err)
				require.ErrorIs(t, make(), ErrLacking)
				return
			}
			require.Equal(t, ClassFinal, ClassOf(make()), "the new token has the permission")
		})
	}
}

// TestAKnownCheckRunIsChangedOnceThePermissionIsBack changes a check run whose id is known, so that nothing but the
// mutation bears the token.
func TestAKnownCheckRunIsChangedOnceThePermissionIsBack(t *testing.T) {
	k := newKit(t)
	run := k.view("in_progress", "")
	run.Known = k.client.Surfaces.Save(t.Context(), &run)[0].Known
	require.NotZero(t, run.Known)
	run.Was, run.Title = RunState{Status: "in_progress"}, "u"
	require.NoError(t, k.Permit("checks", ""))
	client := k.clientOf(k.newHub(), repo)
	_, err := client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	require.ErrorIs(t, client.Surfaces.Save(t.Context(), &run)[0].Err, ErrLacking)
	require.NoError(t, k.Permit("checks", "write"))
	k.clock.Advance(lessFor + time.Second)
	require.NoError(t, client.Surfaces.Save(t.Context(), &run)[0].Err)
}

// TestARequestThatIsNotSentIsNoAnswer counts the requests that are told of.
func TestARequestThatIsNotSentIsNoAnswer(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.Permit("issues", ""))
	var told []Call
	client := k.clientOf(k.newHub(func(c *Config) { c.Observe = func(call Call) { told = append(told, call) } }), repo)
	_, err := client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	told = nil
	_, err = client.Comments.Write(t.Context(), Comment{Issue: 1, Marker: "m", Body: "b"})
	require.ErrorIs(t, err, ErrLacking)
	for _, call := range told {
		require.NoError(t, call.Err, call.Path)
	}
}

// TestNothingIsPublishedThatNeedsWhatTheTokenLacks opens a pull request and moves a branch.
func TestNothingIsPublishedThatNeedsWhatTheTokenLacks(t *testing.T) {
	k := newKit(t)
	head := k.commit()
	main := promotion.SHA(k.Head(repo, "main"))
	require.NoError(t, k.Permit("pull_requests", "read"))
	require.NoError(t, k.Permit("contents", "read"))
	client := k.clientOf(k.newHub(), repo)
	_, err := client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	_, err = client.Pulls.Open(t.Context(), request(head))
	require.ErrorIs(t, err, ErrLacking)
	require.ErrorIs(t, client.Branches.Move(t.Context(), "main", main, head), ErrLacking)
	for _, field := range []string{"createPullRequest", "createRef", "updateRefs"} {
		require.Zero(t, k.CountRequests(githubsim.Route{Field: field}), field)
	}
}

// TestAWorkflowIsStartedOnceThePermissionIsThere takes the permission away.
func TestAWorkflowIsStartedOnceThePermissionIsThere(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.Permit("actions", "read"))
	require.ErrorIs(t, k.client.Workflows.Start(t.Context(), "deploy.yml", "main", nil), ErrLacking)
}
