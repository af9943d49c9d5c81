package gh

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// abroad is a repository of a second account with the App, with the same name as the first one's repository.
const abroad = "globex/app"

func newKitAbroad(t *testing.T) *kit {
	k := newKit(t)
	require.NoError(t, k.CreateOrg("globex"))
	require.NoError(t, k.CreateRepo(abroad, map[string]string{"a": "there"}))
	_, err := k.InstallApp("globex", abroad)
	require.NoError(t, err)
	return k
}

// of returns a hub's client for a repository of any installation.
func (k *kit) of(hub *Hub, name promotion.Repo) *Client {
	k.Helper()
	c, err := hub.Client(name)
	require.NoError(k, err)
	return c
}

// lookups returns the number of requests for the installation of a repository.
func (k *kit) lookups() int {
	return k.CountRequests(githubsim.Route{Path: "/repos/{owner}/{repo}/installation"})
}

// TestEachRepositoryIsReachedByTheInstallationOfItsOwnerT22 checks that two repositories of the same name are reached
// with different tokens.
func TestEachRepositoryIsReachedByTheInstallationOfItsOwnerT22(t *testing.T) {
	k := newKitAbroad(t)
	here, there := k.of(k.hub, repo), k.of(k.hub, abroad)
	for range 3 {
		base, err := there.Files.Read(t.Context(), "", []string{"a"})
		require.NoError(t, err)
		require.Equal(t, "there", base.Files["a"].Content)
		_, err = here.Files.Read(t.Context(), "", nil)
		require.NoError(t, err)
	}
	require.Equal(t, 2, k.lookups(), "once for each owner")
	require.Same(t, there, k.of(k.hub, abroad))

	// The token of one installation, sent to the other.
	i, err := here.by(t.Context())
	require.NoError(t, err)
	token, err := k.hub.Installation(i.id, repo)
	require.NoError(t, err)
	stray := k.hub.newClient(nil, abroad, token.http)
	head := promotion.SHA(k.Head(abroad, "main"))
	require.ErrorIs(t, stray.Branches.Move(t.Context(), "main", head, promotion.SHA(k.Head(repo, "main"))), ErrRefused)
}

// TestOneOwnersRepositoriesShareALookup checks that they share the installation and its rate limits.
func TestOneOwnersRepositoriesShareALookup(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateRepo("acme/deploy", map[string]string{"a": "b"}))
	for _, name := range []promotion.Repo{repo, "acme/deploy"} {
		_, err := k.of(k.hub, name).Files.Read(t.Context(), "", nil)
		require.NoError(t, err)
	}
	require.Equal(t, 1, k.lookups())
}

// TestAnAppThatIsInstalledAgainIsFoundF34 installs the App again: the new installation has another id, and no webhook
// announces it.
func TestAnAppThatIsInstalledAgainIsFoundF34(t *testing.T) {
	k := newKitAbroad(t)
	there := k.of(k.hub, abroad)
	_, err := there.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	require.NoError(t, k.UninstallApp("globex"))
	require.Eventually(t, func() bool { // until neither token nor installation is cached
		_, err = there.Files.Read(t.Context(), "", nil)
		return k.lookups() == 3
	}, time.Minute, time.Nanosecond)
	require.ErrorIs(t, err, ErrNoAccess)
	require.Equal(t, "the App is not installed there", Explain(err).Detail)

	_, err = k.InstallApp("globex", abroad)
	require.NoError(t, err)
	_, err = there.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
}

// fullFor is for how long installations may make no content.
type fullFor map[int64]time.Duration

func (f fullFor) TakeContent(_ context.Context, installation int64) (time.Duration, error) {
	return f[installation], nil
}

func (fullFor) MadeContent(context.Context, int64, time.Duration) error { return nil }

// TestALimitStopsTheInstallationThatReachesTheRepositoryT35 checks that the limit stops no other installation.
func TestALimitStopsTheInstallationThatReachesTheRepositoryT35(t *testing.T) {
	k := newKitAbroad(t)
	full := fullFor{}
	hub := k.newHub(func(c *Config) { c.Content = full })
	here, there := k.of(hub, repo), k.of(hub, abroad)
	require.NoError(t, there.create(t.Context(), nothing))
	reached, err := there.by(t.Context())
	require.NoError(t, err)
	full[reached.id] = time.Minute
	err = there.create(t.Context(), nothing)
	require.Equal(t, time.Minute, RetryAfter(err), "its share is used up")
	var none *noContent
	require.ErrorAs(t, err, &none)
	require.Equal(t, &noContent{installation: reached.id}, none)
	require.NoError(t, here.create(t.Context(), nothing))
	k.Faults().FailNext(githubsim.Route{Method: http.MethodGet, Path: path("/collaborators/{username}/permission")},
		k.Faults().PrimaryLimit(403, time.Hour))
	_, err = there.People.Permission(t.Context(), "ann")
	require.ErrorIs(t, err, ErrTransient)
	_, err = there.People.Permission(t.Context(), "ann")
	require.ErrorIs(t, err, ErrTransient, "it is left alone")
	_, err = here.People.Permission(t.Context(), "ann")
	require.NoError(t, err)
}

// TestAnOwnerWhoIsNotServedIsNotAskedT22 checks that no token is minted for an owner who is not served, although the
// App is installed there.
func TestAnOwnerWhoIsNotServedIsNotAskedT22(t *testing.T) {
	k := newKitAbroad(t)
	hub := k.newHub(func(c *Config) {
		c.Serves = func(_ context.Context, owner promotion.Actor) (bool, error) {
			return owner.Login == "acme", nil
		}
	})
	require.Zero(t, k.asked(func() {
		_, err := k.of(hub, abroad).Files.Read(t.Context(), "", nil)
		require.ErrorIs(t, err, ErrNoAccess)
	}))
	require.Zero(t, k.lookups())
}

// TestARepositoryThatHasMovedIsNotLookedForElsewhereT22 moves a repository, so that its name leads to another owner's.
func TestARepositoryThatHasMovedIsNotLookedForElsewhereT22(t *testing.T) {
	k := newKitAbroad(t)
	require.NoError(t, k.RenameRepo(abroad, "globex/renamed"))
	_, err := k.of(k.hub, abroad).Files.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrNoAccess)
}

// nothing creates content without a request to GitHub.
func nothing() error { return nil }

// TestClientsOfWhatIsNotAskedForAnyMoreAreForgotten names more repositories than are kept, of which all but one do not
// exist, as the pipeline files of a tenant may.
func TestClientsOfWhatIsNotAskedForAnyMoreAreForgotten(t *testing.T) {
	k := newKit(t)
	first := k.of(k.hub, repo)
	inFirst, err := k.hub.Installation(k.install, repo)
	require.NoError(t, err)
	for i := range 2 * keptClients {
		named := promotion.Repo(fmt.Sprintf("acme/none-%d", i))
		k.of(k.hub, named)
		_, err := k.hub.Installation(k.install, named)
		require.NoError(t, err)
	}
	require.LessOrEqual(t, k.hub.clients.Len(), keptClients)
	require.LessOrEqual(t, k.hub.installationOf(k.install).clients.Len(), keptClients)

	_, err = inFirst.Files.Read(t.Context(), "", nil)
	require.NoError(t, err, "who has a forgotten client goes on with it")
	again := k.of(k.hub, repo)
	require.NotSame(t, first, again)
	_, err = again.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	require.Same(t, again, k.of(k.hub, repo))
}

// TestInstallationsThatAreGoneAreForgotten removes the App and installs it again, as a tenant may all day: each time
// that is another installation.
func TestInstallationsThatAreGoneAreForgotten(t *testing.T) {
	k := newKit(t)
	for range 20 {
		_, err := k.clientOf(k.hub, repo).Files.Read(t.Context(), "", nil)
		require.NoError(t, err)
		require.NoError(t, k.UninstallApp("acme"))
		k.install, err = k.InstallApp("acme")
		require.NoError(t, err)
	}
	kept := k.hub.installationOf(k.install)
	all, err := k.hub.Installations(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.LessOrEqual(t, len(k.hub.installations), 2, "this one, and that of the App itself")
	require.Same(t, kept, k.hub.installationOf(k.install), "what is known of it is kept")
}

// TestAClientThatIsUsedIsKept has one repository asked for again and again among thousands of others.
func TestAClientThatIsUsedIsKept(t *testing.T) {
	k := newKit(t)
	used := k.of(k.hub, repo)
	for i := range 2 * keptClients {
		k.of(k.hub, promotion.Repo(fmt.Sprintf("acme/none-%d", i)))
		require.Same(t, used, k.of(k.hub, repo))
	}
}
