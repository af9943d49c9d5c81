package githubsim

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatPeopleDoIsToldToTheApp(t *testing.T) {
	k := newKit(t)
	number, _ := k.open("x", "tag: v2\n")
	id, err := k.Comment(k.repo, number, "ann", "one")
	require.NoError(t, err)
	run, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "waybill / dev", SHA: "x", App: "waybill", Conclusion: "success"})
	require.NoError(t, err)
	k.settle()
	for _, act := range []struct {
		does  string
		do    func() error
		tells []string
	}{
		{"close", func() error { return k.ClosePull(k.repo, number, "ann") }, []string{"pull_request closed"}},
		{"close again", func() error { return k.ClosePull(k.repo, number, "ann") }, nil},
		{"reopen", func() error { return k.ReopenPull(k.repo, number, "ann") }, []string{"pull_request reopened"}},
		{"edit a comment", func() error { return k.EditComment(k.repo, id, "ann", "two") }, []string{"issue_comment edited"}},
		{"delete a comment", func() error { return k.DeleteComment(k.repo, id, "ann") }, []string{"issue_comment deleted"}},
		{"rerequest a run", func() error { return k.Rerequest(k.repo, run, "ann") }, []string{"check_run rerequested"}},
		{
			"rerequest a suite", func() error { return k.RerequestSuite(k.repo, "x", "ann") },
			[]string{"check_suite rerequested"},
		},
		{"delete a run", func() error { return k.DeleteCheckRun(k.repo, run) }, nil},
		{
			"delete the branch", func() error { return k.DeleteBranch(k.repo, "x", "ann") },
			[]string{"delete", "push", "pull_request closed"},
		},
	} {
		require.NoError(t, act.do(), act.does)
		require.Equal(t, act.tells, k.settle(), act.does)
	}
	require.Empty(t, k.Comments(k.repo, number))
	require.Empty(t, k.CheckRuns(k.repo, k.Head(k.repo, "x")))
}

func TestActsThatMakeNoSenseAreErrorsThatNameThem(t *testing.T) {
	k := newKit(t)
	for does, err := range map[string]error{
		"create organization acme: the name is taken":                     k.CreateOrg("acme"),
		"create user ann: the name is taken":                              k.CreateUser("ann"),
		"create repository acme/app: the name is taken or malformed":      k.CreateRepo("acme/app", nil),
		"close #9 of acme/app: 404 Not Found":                             k.ClosePull("acme/app", 9, "ann"),
		"close #1 of acme/none: no such repository":                       k.ClosePull("acme/none", 1, "ann"),
		"uninstall app from ann: the app is not installed there":          k.UninstallApp("ann"),
		"set permission on acme/app: no level \"owner\"":                  k.SetPermission("acme/app", "ann", "owner"),
		"delete branch of acme/app: 422 Cannot delete the default branch": k.DeleteBranch("acme/app", "main", "ann"),
		"create branch in acme/app: no commit nothing":                    k.CreateBranch("acme/app", "x", "ann", "nothing"),
		"rename acme/app: no account other":                               k.RenameRepo("acme/app", "other/app"),
		"change team acme/none: no such team":                             k.SetTeamMember("acme", "none", "ann", true),
		"finish workflow in acme/app: 404 Not Found":                      k.FinishWorkflow("acme/app", 1, "success"),
		"set status in acme/app: no commit nothing": k.CreateStatus("acme/app", "nothing", "ann", "c",
			"success", ""),
		"set deployment status in acme/app: 404 Not Found":      k.CreateDeploymentStatus("acme/app", 1, "ann", "success"),
		"press go in acme/app: 404 Not Found":                   k.PressButton("acme/app", 1, "ann", "go"),
		"set base permission of ann: no such organization":      k.SetBasePermission("ann", "read"),
		"change installation for acme/none: no such repository": k.ReachRepo("acme/none", true),
		"dequeue #9 of acme/app: 404 Not Found":                 k.Dequeue("acme/app", 9, "ann"),
	} {
		require.EqualError(t, err, does)
	}
}

func TestHeldWebhooksLeaveInAnyOrderThatATestWants(t *testing.T) {
	k := newKit(t)
	k.HoldWebhooks()
	_, err := k.PushFiles(k.repo, "x", "ann", "m", map[string]*string{"a": Text("b")})
	require.NoError(t, err)
	k.ReleaseOrdered(func(a, b Delivery) int { return cmp.Compare(a.Event, b.Event) })
	require.Equal(t, []string{"check_suite requested", "create", "push"}, k.settle())
	k.HoldWebhooks()
	_, err = k.PushFiles(k.repo, "x", "ann", "m", map[string]*string{"a": Text("c")})
	require.NoError(t, err)
	require.Empty(t, k.settle())
	k.ReleaseWebhooks()
	require.Equal(t, []string{"push", "check_suite requested"}, k.settle())
}

func TestPeopleSeeAndDoWhatTheirLevelAllows(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.CreateUser("stranger"))
	k.refused(k.as(k.UserToken("stranger")), "GET", "/repos/acme/app", "", 404, "Not Found")
	require.NoError(t, k.SetPermission(k.repo, "stranger", "read"))
	stranger := k.as(k.UserToken("stranger"))
	status, _ := stranger.send("GET", "/repos/acme/app", "")
	require.Equal(t, 200, status)
	k.refused(stranger, "POST", "/repos/acme/app/git/blobs", `{"content":"x"}`, 403, "Must have push access to repository")
	k.refused(k.as("app"), "GET", "/repos/acme/app", "", 403, "Resource not accessible by integration")
	k.refused(k.bot(), "GET", "/app", "", 401, "A JSON web token could not be decoded")
	require.NoError(t, k.SetPublic(k.repo, true))
	status, _ = k.as("").send("GET", "/repos/acme/app", "")
	require.Equal(t, 200, status)
}

func TestGraphQLForbidsWhatTheTokenMayNot(t *testing.T) {
	k := newKit(t, func(o *Options) {
		o.App.Permissions = map[string]string{"metadata": "read", "pull_requests": "read"}
	})
	answer := k.graphql(`{ repository(owner: "acme", name: "app") { name object(expression: "main") { oid } `+
		`pullRequest(number: 1) { number } } }`, nil)
	require.Equal(t, "app", dig(answer, "data", "repository", "name"))
	require.Equal(t, "FORBIDDEN: Resource not accessible by integration", failure(answer))
	require.Equal(t, "Could not resolve to a PullRequest with the number of 1.", dig(answer, "errors", 1, "message"))
}

func TestGraphQLFindsEveryKindOfNode(t *testing.T) {
	k := newKit(t)
	number, _ := k.open("x", "tag: v2\n")
	_, err := k.Comment(k.repo, number, "ann", "c")
	require.NoError(t, err)
	_, err = k.CreateCheckRun(k.repo, CheckSpec{Name: "n", SHA: "x", Suite: "ci", Conclusion: "failure"})
	require.NoError(t, err)
	_, err = k.CreateDeployment(k.repo, "x", "ann", "dev")
	require.NoError(t, err)
	require.NoError(t, k.PublishRelease(k.repo, "ann", "v1", false))
	require.NoError(t, k.Protect(k.repo, "main", Protection{RequiredReviews: 1}))
	answer := k.graphql(`{ repository(owner: "acme", name: "app") {
		id ref(qualifiedName: "x") { id associatedPullRequests(first: 1, states: [OPEN]) { nodes { number } } }
		pullRequest(number: 1) { id reviewDecision comments(first: 1) { nodes { id } } }
		object(expression: "x") { ... on Commit { id deployments(first: 1) { nodes { id } } statusCheckRollup { state }
			checkSuites(first: 5, filterBy: {appId: 15368, checkName: "n"}) { nodes { id commit { oid } checkRuns(first: 1)
			{ nodes { id checkSuite { databaseId } repository { name } } } } } } }
		releases(first: 1) { nodes { tagName tagCommit { oid } author { login } } } viewerPermission
		pullRequests(first: 1, labels: ["none"]) { totalCount }
	} }`, nil)
	require.Nil(t, answer["errors"])
	repository := dig(answer, "data", "repository")
	require.Equal(t, "REVIEW_REQUIRED", dig(repository, "pullRequest", "reviewDecision"))
	require.Equal(t, "FAILURE", dig(repository, "object", "statusCheckRollup", "state"))
	suite := dig(repository, "object", "checkSuites", "nodes", 0)
	for kind, id := range map[string]any{
		"Repository": dig(repository, "id"), "Ref": dig(repository, "ref", "id"),
		"PullRequest":  dig(repository, "pullRequest", "id"),
		"IssueComment": dig(repository, "pullRequest", "comments", "nodes", 0, "id"),
		"Commit":       dig(repository, "object", "id"),
		"CheckSuite":   dig(suite, "id"), "CheckRun": dig(suite, "checkRuns", "nodes", 0, "id"),
		"Deployment": dig(repository, "object", "deployments", "nodes", 0, "id"),
	} {
		answer := k.graphql(`query($id: ID!) { node(id: $id) { __typename id } }`, map[string]any{"id": id})
		require.Equal(t, kind, dig(answer, "data", "node", "__typename"), "%v", answer)
		require.Equal(t, id, dig(answer, "data", "node", "id"))
	}
	answer = k.graphql(`{ node(id: "nonsense") { id } }`, nil)
	require.Equal(t, "NOT_FOUND: Could not resolve to a node with the global id of 'nonsense'", failure(answer))
}

func TestAPullRequestIsServedAsADiffWhenAskedFor(t *testing.T) {
	k := newKit(t)
	_, path := k.open("x", "tag: v2\n")
	bot := k.bot()
	bot.accept = "application/vnd.github.diff"
	_, answer := bot.send("GET", path, "")
	require.Contains(t, answer["text"], "-tag: v1\n+tag: v2")
}
