package gh

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// personal returns a client that acts for somebody.
func (k *kit) personal(token string) *Client {
	k.Helper()
	client, err := PersonalClient(Config{V3URL: k.V3URL(), V4URL: k.V4URL()}, token, repo)
	require.NoError(k, err)
	return client
}

// proposal is a pull request with one new file.
func proposal() Proposal {
	return Proposal{Branch: "mine", Title: "Add a file", Body: "Because.",
		Files: map[string]string{".github/waybill.yml": "version: 1\n"}}
}

func TestAPersonProposesNewFilesInTheirOwnName(t *testing.T) {
	k := newKit(t)
	ann := k.personal(k.UserToken("ann"))
	base, err := ann.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	before := k.Head(repo, "main")
	url, err := ann.Pulls.Propose(t.Context(), base, proposal())
	require.NoError(t, err)
	pulls := k.Pulls(repo)
	require.Len(t, pulls, 1)
	require.Equal(t, "ann", pulls[0].Author)
	require.Equal(t, "Because.", pulls[0].Body)
	require.Contains(t, url, "/acme/app/pull/1")
	text, found := k.File(repo, "mine", ".github/waybill.yml")
	require.True(t, found)
	require.Equal(t, "version: 1\n", text)
	commits := k.PullCommits(repo, 1)
	require.Len(t, commits, 1)
	require.Equal(t, before, k.Head(repo, "main"))
	changes, err := k.PullChanges(repo, 1)
	require.NoError(t, err)
	require.Len(t, changes, 1, "everything else is as it was")

	_, err = ann.Pulls.Propose(t.Context(), base, proposal())
	require.Equal(t, ClassLookAgain, ClassOf(err))
	require.ErrorContains(t, err, "there is a branch mine already")
	require.Len(t, k.Pulls(repo), 1)
}

// TestARepositoryWithoutACommitCannotBeReadForAPerson has GitHub show one, which the simulator has not.
func TestARepositoryWithoutACommitCannotBeReadForAPerson(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer ghp_hers", r.Header.Get("Authorization"))
		fmt.Fprint(w, `{"data": {"repository": {"id": "R", "nameWithOwner": "acme/app", "branch": null}}}`)
	}))
	t.Cleanup(server.Close)
	ann, err := PersonalClient(Config{V3URL: server.URL, V4URL: server.URL}, "ghp_hers", repo)
	require.NoError(t, err)
	_, err = ann.Files.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, "read the default branch of acme/app: there is no commit yet")
}

func TestWhatAPersonMayNotIsRefused(t *testing.T) {
	k := newKit(t)
	_, err := k.personal("ghp_wrong").Files.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "GitHub does not take the token: it is wrong, or has expired")

	require.NoError(t, k.CreateUser("eve"))
	_, err = k.personal(k.UserToken("eve")).Files.Read(t.Context(), "", nil)
	require.ErrorIs(t, err, ErrNoAccess)

	require.NoError(t, k.SetPermission(repo, "eve", "read"))
	eve := k.personal(k.UserToken("eve"))
	base, err := eve.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	_, err = eve.Pulls.Propose(t.Context(), base, proposal())
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "Must have push access")
	require.Equal(t, []string{"main"}, k.Branches(repo))

	_, err = PersonalClient(Config{V3URL: k.V3URL(), V4URL: k.V4URL()}, "x", "acme/../x")
	require.ErrorIs(t, err, ErrRefused)
}

// TestAProposalThatEndsHalfWaySaysWhatIsThere has GitHub refuse the pull request.
func TestAProposalThatEndsHalfWaySaysWhatIsThere(t *testing.T) {
	k := newKit(t)
	ann := k.personal(k.UserToken("ann"))
	base, err := ann.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	k.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: path("/pulls")}, githubsim.Fault{Status: 502})
	_, err = ann.Pulls.Propose(t.Context(), base, proposal())
	require.ErrorContains(t, err, "branch mine has the files, but no pull request was opened from it")
	require.Equal(t, []string{"main", "mine"}, k.Branches(repo))
}

// TestARenamedRepositoryIsNotFollowedForAPersonT22: its old name may be that of another one tomorrow.
func TestARenamedRepositoryIsNotFollowedForAPersonT22(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.RenameRepo(repo, "acme/other"))
	_, err := k.personal(k.UserToken("ann")).Files.Read(t.Context(), "", nil)
	require.ErrorContains(t, err, "the repository is called acme/other by now: name it so")
}

// TestOtherCapitalsAreAnotherName: what webhooks tell of the repository would not be recognised.
func TestOtherCapitalsAreAnotherName(t *testing.T) {
	k := newKit(t)
	for _, other := range []promotion.Repo{"Acme/app", "acme/App"} {
		client, err := PersonalClient(Config{V3URL: k.V3URL(), V4URL: k.V4URL()}, k.UserToken("ann"), other)
		require.NoError(t, err)
		_, err = client.Files.Read(t.Context(), "", nil)
		require.ErrorIs(t, err, ErrMisspelt)
		require.ErrorIs(t, err, ErrNoAccess)
		require.ErrorContains(t, err, "GitHub spells it "+repo+": name it so")
		_, err = client.Rules.Of(t.Context(), []string{"main"})
		require.ErrorIs(t, err, ErrMisspelt)
	}
}

func TestNamesThatHaveReportedOnABranch(t *testing.T) {
	k := newKit(t)
	first := k.push(map[string]string{"a": "1"})
	for _, name := range []string{"test", "deploy-dev"} {
		_, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: name, SHA: string(first), Conclusion: "success"})
		require.NoError(t, err)
	}
	second := k.push(map[string]string{"a": "2"})
	for _, name := range []string{"test", "waybill / dev"} {
		_, err := k.CreateCheckRun(repo, githubsim.CheckSpec{Name: name, SHA: string(second), Status: "queued"})
		require.NoError(t, err)
	}
	require.NoError(t, k.CreateStatus(repo, string(second), "ann", "argocd/dev", "pending", ""))
	ann := k.personal(k.UserToken("ann"))
	names, err := ann.Signals.Names(t.Context(), "main", promotion.KindCheck)
	require.NoError(t, err)
	require.Equal(t, []string{"deploy-dev", "test"}, names)
	names, err = ann.Signals.Names(t.Context(), "main", promotion.KindStatus)
	require.NoError(t, err)
	require.Equal(t, []string{"argocd/dev"}, names)
	names, err = ann.Signals.Names(t.Context(), "nowhere", promotion.KindStatus)
	require.NoError(t, err)
	require.Empty(t, names)
}
