package githubsim

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// repoID returns the GraphQL id of the repository.
func (k *kit) repoID() string {
	k.Helper()
	answer := k.graphql(`{ repository(owner: "acme", name: "app") { id } }`, nil)
	return dig(answer, "data", "repository", "id").(string)
}

// failure returns the type and message of the only error of an answer.
func failure(answer map[string]any) string {
	return fmt.Sprintf("%v: %v", dig(answer, "errors", 0, "type"), dig(answer, "errors", 0, "message"))
}

func graphQLRows() []behaviour {
	return []behaviour{
		{"answers a repository it does not show with null, NOT_FOUND and 200",
			"documented: graphql/guides/forming-calls-with-graphql", func(k *kit) {
				answer := k.graphql(`{ repository(owner: "acme", name: "none") { id } }`, nil)
				require.Nil(k, dig(answer, "data", "repository"))
				require.Equal(k, "NOT_FOUND: Could not resolve to a Repository with the name 'acme/none'.", failure(answer))
				require.Equal(k, "repository", dig(answer, "errors", 0, "path", 0))
			}},
		{"lets createPullRequest see the branch that createRef has made in the same document", "assumed, play ref-and-pull",
			func(k *kit) {
				answer := k.graphql(`mutation($repo: ID!, $oid: GitObjectID!) {
					createRef(input: {repositoryId: $repo, name: "refs/heads/x", oid: $oid}) { ref { name } }
					createPullRequest(input: {repositoryId: $repo, headRefName: "x", baseRefName: "main", title: "t"}) {
						pullRequest { number } } }`, map[string]any{"repo": k.repoID(), "oid": k.commit("", k.Head(k.repo, "main"))})
				require.Nil(k, answer["errors"])
				require.Equal(k, 1.0, dig(answer, "data", "createPullRequest", "pullRequest", "number"))
			}},
		{"lets an App queue a pull request that may write contents and pull requests", "assumed, play queue", func(k *kit) {
			require.NoError(k, k.Protect(k.repo, "main", Protection{MergeQueue: true}))
			number, _ := k.open("x", "tag: v2\n")
			require.Nil(k, k.enqueue(number)["errors"])
		}},
		{"counts the commits of a branch, however many there are", "assumed, play counted-history", func(k *kit) {
			_, err := k.PushFiles(k.repo, "main", "ann", "more", map[string]*string{"more": Text("1")})
			require.NoError(k, err)
			answer := k.graphql(`{ repository(owner: "acme", name: "app") { object(expression: "main") {
				... on Commit { history(first: 1) { totalCount } } } } }`, nil)
			require.Equal(k, 2.0, dig(answer, "data", "repository", "object", "history", "totalCount"))
		}},
		{
			"reads pull requests with checks, files, reviews and labels in one query",
			"documented: graphql/reference/objects#pullrequest", provesPullQuery,
		},
		{
			"reads the signals on a commit: suites, runs, statuses, deployments", "documented: graphql/reference/objects#commit",
			provesSignalsQuery,
		},
		{"pages connections by cursor and demands first or last",
			"documented: graphql/guides/using-pagination-in-the-graphql-api",
			func(k *kit) {
				for i := range 3 {
					k.open(fmt.Sprintf("b%d", i), fmt.Sprintf("tag: w%d\n", i))
				}
				query := `query($after: String) { repository(owner: "acme", name: "app") { pullRequests(first: 2, after: ` +
					`$after) { totalCount nodes { number } pageInfo { hasNextPage endCursor } } } }`
				first := dig(k.graphql(query, nil), "data", "repository", "pullRequests")
				require.Equal(k, true, dig(first, "pageInfo", "hasNextPage"))
				second := dig(k.graphql(query, map[string]any{"after": dig(first, "pageInfo", "endCursor")}), "data", "repository",
					"pullRequests")
				require.Equal(k, float64(3), dig(second, "nodes", 0, "number"))
				require.Equal(k, false, dig(second, "pageInfo", "hasNextPage"))
			}},
		{"finds nodes by id", "documented: graphql/guides/using-global-node-ids", func(k *kit) {
			number, _ := k.open("x", "tag: v2\n")
			answer := k.graphql(`{ repository(owner: "acme", name: "app") { pullRequest(number: 1) { id } } }`, nil)
			id := dig(answer, "data", "repository", "pullRequest", "id")
			answer = k.graphql(`query($id: ID!) { node(id: $id) { __typename ... on PullRequest { number } } nodes(ids: `+
				`[$id]) { id } }`, map[string]any{"id": id})
			require.Equal(k, float64(number), dig(answer, "data", "node", "number"))
			require.Equal(k, id, dig(answer, "data", "nodes", 0, "id"))
		}},
		{"orders releases by when they were made, and tags by the dates of their commits",
			"documented: graphql/reference/enums#reforderfield", func(k *kit) {
				first := k.Head(k.repo, "main")
				require.NoError(k, k.PublishRelease(k.repo, "ann", "v2", false))
				k.clock.Advance(time.Minute)
				_, err := k.PushFiles(k.repo, "main", "ann", "more", map[string]*string{"x": Text("x")})
				require.NoError(k, err)
				require.NoError(k, k.PublishRelease(k.repo, "ann", "v1", false))
				require.NoError(k, k.PushTag(k.repo, "ann", "v3", first))
				repo := dig(k.graphql(`{ repository(owner: "acme", name: "app") {
				releases(first: 9, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { tagName } }
				refs(refPrefix: "refs/tags/", first: 9, orderBy: {field: TAG_COMMIT_DATE, direction: DESC}) { nodes { name
				target { oid } } }
				release(tagName: "v2") { isDraft tagCommit { oid } } none: release(tagName: "v3") { id } } }`, nil), "data",
					"repository")
				require.Equal(k, "v1", dig(repo, "releases", "nodes", 0, "tagName"))
				require.Equal(k, "v2", dig(repo, "releases", "nodes", 1, "tagName"))
				require.Equal(k, "v1", dig(repo, "refs", "nodes", 0, "name"))
				require.Equal(k, first, dig(repo, "refs", "nodes", 1, "target", "oid"))
				require.Equal(k, first, dig(repo, "release", "tagCommit", "oid"))
				require.Nil(k, dig(repo, "none"))
			}},
		{"counts points", "documented: graphql/overview/rate-limits-and-query-limits-for-the-graphql-api", func(k *kit) {
			answer := k.graphql(`{ rateLimit { limit cost remaining used resetAt } viewer { login } user(login: "ann") { `+
				`login databaseId } }`, nil)
			require.Equal(k, float64(1), dig(answer, "data", "rateLimit", "cost"))
			require.Equal(k, float64(1), dig(answer, "data", "rateLimit", "used"))
		}},
		{"may count several points for a query",
			"documented: graphql/overview/rate-limits-and-query-limits-for-the-graphql-api", func(k *kit) {
				k.limits.SetPoints(3)
				k.graphql(`{ viewer { login } }`, nil)
				answer := k.graphql(`{ rateLimit { cost used } }`, nil)
				require.Equal(k, float64(3), dig(answer, "data", "rateLimit", "cost"))
				require.Equal(k, float64(6), dig(answer, "data", "rateLimit", "used"))
			}},
		{"runs mutations of a document in order and keeps the earlier ones when a later one fails",
			"documented: graphql/guides/forming-calls-with-graphql#about-mutations", func(k *kit) {
				answer := k.graphql(`mutation($repo: ID!, $oid: GitObjectID!) {
				one: createRef(input: {repositoryId: $repo, name: "refs/heads/one", oid: $oid}) { ref { name } }
				two: createRef(input: {repositoryId: $repo, name: "refs/heads/one", oid: $oid}) { ref { name } }
				three: createRef(input: {repositoryId: $repo, name: "refs/heads/three", oid: $oid}) { ref { name } }
			}`, map[string]any{"repo": k.repoID(), "oid": k.Head(k.repo, "main")})
				require.Equal(k, "one", dig(answer, "data", "one", "ref", "name"))
				require.Nil(k, dig(answer, "data", "two"))
				require.Equal(k, "three", dig(answer, "data", "three", "ref", "name"))
				require.Equal(k, `UNPROCESSABLE: A ref named "refs/heads/one" already exists in the repository.`, failure(answer))
				require.Equal(k, []string{"main", "one", "three"}, k.Branches(k.repo))
			}},
		{"refuses a reference below another one: Ref cannot be created",
			"reported: microsoft/vscode-remote-repositories-github#122", func(k *kit) {
				answer := k.graphql(`mutation($repo: ID!, $oid: GitObjectID!) { createRef(input: {repositoryId: $repo, name: `+
					`"refs/heads/main/x", oid: $oid}) { ref { name } } }`,
					map[string]any{"repo": k.repoID(), "oid": k.Head(k.repo, "main")})
				require.Equal(k, "UNPROCESSABLE: Ref cannot be created", failure(answer))
			}},
		{"answers a pull request from a missing branch with every reason at once", "reported: AndyMik90/Aperant#1928",
			func(k *kit) {
				answer := k.graphql(`mutation($repo: ID!) { createPullRequest(input: {repositoryId: $repo, baseRefName: "main",`+
					` headRefName: "none", title: "T"}) { pullRequest { number } } }`,
					map[string]any{"repo": k.repoID()})
				require.Equal(k,
					"UNPROCESSABLE: Head sha can't be blank, Base sha can't be blank, No commits between main and none, Head ref "+
						"must be a branch", failure(answer))
				require.Nil(k, dig(answer, "data", "createPullRequest", "pullRequest"))
			}},
		{
			"commits files to a branch with the head that the client names, signed by GitHub",
			"documented: graphql/reference/mutations#createcommitonbranch", provesCommitOnBranch,
		},
		{"refuses to commit to a branch that moved: STALE_DATA", "reported: ministryofjustice/modernisation-platform#11985",
			func(k *kit) {
				stale := strings.Repeat("1", 40)
				answer := k.graphql(`mutation($oid: GitObjectID!) { createCommitOnBranch(input: {branch: `+
					`{repositoryNameWithOwner: "acme/app", branchName: "main"}, expectedHeadOid: $oid, message: {headline: "h"}, `+
					`fileChanges: {}}) { commit { oid } } }`,
					map[string]any{"oid": stale})
				require.Equal(k, `STALE_DATA: Expected branch to point to "`+stale+`" but it did not.  Pull and try again.`,
					failure(answer))
				require.Nil(k, dig(answer, "data", "createCommitOnBranch"))
			}},
		{"moves and deletes references by their ids", "documented: graphql/reference/mutations#updateref", func(k *kit) {
			require.NoError(k, k.CreateBranch(k.repo, "x", "ann", "main"))
			sha, err := k.PushFiles(k.repo, "main", "ann", "m", map[string]*string{"a": Text("b")})
			require.NoError(k, err)
			answer := k.graphql(`{ repository(owner: "acme", name: "app") { ref(qualifiedName: "refs/heads/x") { id name `+
				`prefix } refs(refPrefix: "refs/heads/", first: 9) { nodes { name } } } }`, nil)
			id := dig(answer, "data", "repository", "ref", "id")
			k.graphql(`mutation($id: ID!, $oid: GitObjectID!) { updateRef(input: {refId: $id, oid: $oid}) { ref { name `+
				`target { oid } } } }`, map[string]any{"id": id, "oid": sha})
			require.Equal(k, sha, k.Head(k.repo, "x"))
			k.graphql(`mutation($id: ID!) { deleteRef(input: {refId: $id}) { clientMutationId } }`, map[string]any{"id": id})
			require.Empty(k, k.Head(k.repo, "x"))
		}},
		{
			"moves and deletes only references with the target that the client names",
			"documented: graphql/reference/mutations#updaterefs", provesUpdateRefs,
		},
		{"edits, closes, reopens and merges pull requests", "documented: graphql/reference/mutations#updatepullrequest",
			func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				id := dig(k.graphql(`{ repository(owner: "acme", name: "app") { pullRequest(number: 1) { id } } }`, nil), "data",
					"repository", "pullRequest", "id")
				for _, mutation := range []string{
					`updatePullRequest(input: {pullRequestId: $id, title: "New", body: "B"}) { pullRequest { title } }`,
					`closePullRequest(input: {pullRequestId: $id}) { pullRequest { state closed } }`,
					`reopenPullRequest(input: {pullRequestId: $id}) { pullRequest { state } }`,
					`mergePullRequest(input: {pullRequestId: $id, mergeMethod: SQUASH}) { pullRequest { state merged mergeCommit ` +
						`{ oid } } }`,
				} {
					answer := k.graphql(`mutation($id: ID!) { `+mutation+` }`, map[string]any{"id": id})
					require.Nil(k, answer["errors"], mutation)
				}
				view, _ := k.Pull(k.repo, number)
				require.Equal(k, "merged", view.State)
				require.Equal(k, "New", view.Title)
			}},
		{
			"arms auto-merge where it is allowed and something is missing, and merges once it is not",
			"reported: peter-evans/enable-pull-request-automerge#343", provesAutoMerge,
		},
		{
			"queues a pull request, checks its group on top of the groups before it, and merges the checked commit",
			"documented: repositories/configuring-branches-and-merges-in-your-repository/" +
				"configuring-pull-request-merges/managing-a-merge-queue", provesMergeQueue,
		},
		{
			"removes from the queue a pull request that fails its checks, conflicts, is pushed to or is taken out",
			"documented: webhooks/webhook-events-and-payloads#merge_group", provesDequeuing,
		},
		{"arms auto-merge towards the queue where there is one", "reported: cli/cli#5596", func(k *kit) {
			number, _ := k.open("x", "tag: v2\n")
			require.NoError(k, k.SetSettings(k.repo, RepoSettings{AutoMerge: true}))
			require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredChecks: []string{"ci"}, MergeQueue: true}))
			answer := k.graphql(`mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest `+
				`{ isInMergeQueue } } }`, map[string]any{"id": k.pullID(number)})
			require.Equal(k, false, dig(answer, "data", "enablePullRequestAutoMerge", "pullRequest", "isInMergeQueue"))
			_, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "ci", SHA: "x", Conclusion: "success"})
			require.NoError(k, err)
			view, _ := k.Pull(k.repo, number)
			require.True(k, view.Queued)
		}},
		{"writes, edits, hides, shows and deletes comments",
			"documented: graphql/reference/mutations#addcomment", func(k *kit) {
				number, _ := k.open("x", "tag: v2\n")
				subject := dig(k.graphql(`{ repository(owner: "acme", name: "app") { pullRequest(number: 1) { id } } }`, nil),
					"data", "repository", "pullRequest", "id")
				answer := k.graphql(`mutation($id: ID!) { addComment(input: {subjectId: $id, body: "b"}) { commentEdge { node { `+
					`id databaseId url } } } }`, map[string]any{"id": subject})
				id := dig(answer, "data", "addComment", "commentEdge", "node", "id")
				k.graphql(`mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { `+
					`minimizedComment { isMinimized minimizedReason } } }`, map[string]any{"id": id})
				require.Equal(k, "outdated", k.Comments(k.repo, number)[0].Minimized)
				k.graphql(`mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { unminimizedComment { isMinimized `+
					`} } }`, map[string]any{"id": id})
				k.graphql(`mutation($id: ID!) { updateIssueComment(input: {id: $id, body: "c"}) { issueComment { body } } }`,
					map[string]any{"id": id})
				require.Equal(k, "c", k.Comments(k.repo, number)[0].Body)
				k.graphql(`mutation($id: ID!) { deleteIssueComment(input: {id: $id}) { clientMutationId } }`,
					map[string]any{"id": id})
				require.Empty(k, k.Comments(k.repo, number))
			}},
		{"makes and updates check runs", "documented: graphql/reference/mutations#createcheckrun", provesRunMutations},
		{"keeps the buttons of a check run where an update names none, and takes them away for an empty list", "assumed",
			provesButtonsGo},
		{"adds statuses to deployments",
			"documented: graphql/reference/mutations#createdeploymentstatus", provesStatusMutation},
	}
}

func provesRunMutations(k *kit) {
	answer := k.graphql(`mutation($repo: ID!, $oid: GitObjectID!) { createCheckRun(input: {repositoryId: $repo, `+
		`headSha: $oid, name: "x", status: IN_PROGRESS, externalId: "7",
		output: {title: "t", summary: "s", annotations: [{path: "a.yml", annotationLevel: FAILURE, location: {startLine:
		1, endLine: 2}, message: "m"}]}}) { checkRun { id databaseId status } } }`,
		map[string]any{"repo": k.repoID(), "oid": k.Head(k.repo, "main")})
	made := dig(answer, "data", "createCheckRun", "checkRun")
	require.Equal(k, "IN_PROGRESS", dig(made, "status"))
	update := `mutation($repo: ID!, $id: ID!) { updateCheckRun(input: {repositoryId: $repo, checkRunId: $id, status: ` +
		`COMPLETED, conclusion: SUCCESS,
		actions: [{label: "l", description: "d", identifier: "i"}]}) { checkRun { status conclusion } } }`
	answer = k.graphql(update, map[string]any{"repo": k.repoID(), "id": dig(made, "id")})
	require.Equal(k, "SUCCESS", dig(answer, "data", "updateCheckRun", "checkRun", "conclusion"))
	run := k.CheckRuns(k.repo, k.Head(k.repo, "main"))[0]
	require.Equal(k, dig(made, "databaseId"), float64(run.ID))
	require.Equal(k, "success 7 [i]", fmt.Sprintf("%s %s %v", run.Conclusion, run.ExternalID, run.Buttons))
	require.Len(k, run.Annotations, 1)
	require.Contains(k, failure(k.graphql(update, map[string]any{"repo": k.repoID(), "id": "CR_MQ"})),
		"NOT_FOUND: Could not resolve to a node")
}

func provesButtonsGo(k *kit) {
	answer := k.graphql(`mutation($repo: ID!, $oid: GitObjectID!) { createCheckRun(input: {repositoryId: $repo, `+
		`headSha: $oid, name: "x", status: COMPLETED, conclusion: NEUTRAL,
		actions: [{label: "l", description: "d", identifier: "i"}]}) { checkRun { id } } }`,
		map[string]any{"repo": k.repoID(), "oid": k.Head(k.repo, "main")})
	id := dig(answer, "data", "createCheckRun", "checkRun", "id")
	update := func(with string) []string {
		k.graphql(`mutation($repo: ID!, $id: ID!) { updateCheckRun(input: {repositoryId: $repo, checkRunId: $id, `+
			with+`}) { checkRun { id } } }`, map[string]any{"repo": k.repoID(), "id": id})
		return k.CheckRuns(k.repo, k.Head(k.repo, "main"))[0].Buttons
	}
	require.Equal(k, []string{"i"}, update(`name: "y"`))
	require.Empty(k, update(`actions: []`))
}

func provesStatusMutation(k *kit) {
	_, made := k.bot().send("POST", "/repos/acme/app/deployments",
		`{"ref":"main","environment":"dev","required_contexts":[]}`)
	mutation := `mutation($id: ID!) { createDeploymentStatus(input: {deploymentId: $id, state: IN_PROGRESS, logUrl: ` +
		`"https://example.com/log", autoInactive: false})
		{ deploymentStatus { state logUrl } } }`
	answer := k.graphql(mutation, map[string]any{"id": made["node_id"]})
	require.Equal(k, "IN_PROGRESS", dig(answer, "data", "createDeploymentStatus", "deploymentStatus", "state"))
	require.Equal(k, []string{"in_progress"}, k.Deployments(k.repo)[0].States)
	require.Contains(k, failure(k.graphql(mutation, map[string]any{"id": "DE_MQ"})),
		"NOT_FOUND: Could not resolve to a node")
}

func provesPullQuery(k *kit) {
	number, _ := k.open("x", "tag: v2\n")
	require.NoError(k, k.AddLabel(k.repo, number, "ann", "promote/dev"))
	require.NoError(k, k.Review(k.repo, number, "bob", "APPROVED", "yes"))
	_, err := k.Comment(k.repo, number, "ann", "hello")
	require.NoError(k, err)
	query := `{ repository(owner: "acme", name: "app") { pullRequests(states: [OPEN], baseRefName: "main", first: 10, ` +
		`orderBy: {field: UPDATED_AT, direction: DESC}) { nodes {
		number title state isDraft mergeable mergeStateStatus reviewDecision headRefName headRefOid baseRefName url
		createdAt updatedAt
		author { login __typename ... on User { databaseId } } labels(first: 5) { nodes { name } } files(first: 5) {
		nodes { path changeType } }
		reviews(first: 5, states: [APPROVED]) { nodes { state author { login } } } comments(last: 1) { nodes { body
		author { login } } }
		commits(last: 1) { nodes { commit { oid messageHeadline statusCheckRollup { state } } } }
		mergeCommit { oid } potentialMergeCommit { oid } autoMergeRequest { enabledAt } headRef { name } changedFiles
		isCrossRepository
	} } } }`
	pull := dig(k.graphql(query, nil), "data", "repository", "pullRequests", "nodes", 0)
	require.Equal(k, "UNKNOWN", dig(pull, "mergeable"))
	pull = dig(k.graphql(query, nil), "data", "repository", "pullRequests", "nodes", 0)
	require.Equal(k, "MERGEABLE", dig(pull, "mergeable"))
	require.Equal(k, "CLEAN", dig(pull, "mergeStateStatus"))
	require.Equal(k, "promote/dev", dig(pull, "labels", "nodes", 0, "name"))
	require.Equal(k, "deploy/dev.yaml", dig(pull, "files", "nodes", 0, "path"))
	require.Equal(k, "bob", dig(pull, "reviews", "nodes", 0, "author", "login"))
	require.Equal(k, k.Head(k.repo, "x"), dig(pull, "commits", "nodes", 0, "commit", "oid"))
}

func provesSignalsQuery(k *kit) {
	_, err := k.StartWorkflow(k.repo, "ci", "main", "push", "ann")
	require.NoError(k, err)
	_, err = k.CreateCheckRun(k.repo, CheckSpec{
		Name: "build", SHA: "main", Suite: "ci", Conclusion: "success", Title: "ok",
	})
	require.NoError(k, err)
	require.NoError(k, k.CreateStatus(k.repo, "main", "ann", "argocd/dev", "pending", "syncing"))
	id, err := k.CreateDeployment(k.repo, "main", "ann", "dev")
	require.NoError(k, err)
	require.NoError(k, k.CreateDeploymentStatus(k.repo, id, "ann", "in_progress"))
	answer := k.graphql(`{ repository(owner: "acme", name: "app") { object(expression: "main") { __typename ... on Commit {
		oid committedDate tree { oid } parents(first: 1) { totalCount } history(first: 3, path: "deploy") { nodes { oid } }
		author { name email user { login } } file(path: "README.md") { object { ... on Blob { text } } }
		checkSuites(first: 5) { nodes { databaseId status conclusion branch { name } app { databaseId slug } workflowRun
		{ event }
			checkRuns(first: 5, filterBy: {checkType: LATEST}) { nodes { databaseId name status conclusion startedAt
			completedAt externalId detailsUrl } } } }
		status { state contexts { context state createdAt } context(name: "argocd/dev") { description } }
		statusCheckRollup { state contexts(first: 9) { nodes { ... on CheckRun { name } ... on StatusContext { context } } } }
		deployments(first: 5, environments: ["dev"]) { nodes { environment state latestStatus { state createdAt }
		statuses(first: 3) { nodes { state } } } }
		associatedPullRequests(first: 1) { nodes { number } }
	} } } }`, nil)
	require.Nil(k, answer["errors"])
	commit := dig(answer, "data", "repository", "object")
	require.Equal(k, "SUCCESS", dig(commit, "checkSuites", "nodes", 0, "checkRuns", "nodes", 0, "conclusion"))
	require.Equal(k, "github-actions", dig(commit, "checkSuites", "nodes", 0, "app", "slug"))
	require.Equal(k, "push", dig(commit, "checkSuites", "nodes", 0, "workflowRun", "event"))
	require.Equal(k, "PENDING", dig(commit, "status", "contexts", 0, "state"))
	require.Equal(k, "PENDING", dig(commit, "statusCheckRollup", "state"))
	require.Equal(k, "IN_PROGRESS", dig(commit, "deployments", "nodes", 0, "latestStatus", "state"))
	require.Equal(k, "app\n", dig(commit, "file", "object", "text"))
}

func provesCommitOnBranch(k *kit) {
	require.NoError(k, k.CreateBranch(k.repo, "x", "ann", "main"))
	answer := k.graphql(`mutation($in: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $in) { commit { oid `+
		`message committer { email } } ref { name } } }`, map[string]any{"in": map[string]any{
		"branch":          map[string]any{"repositoryNameWithOwner": "acme/app", "branchName": "x"},
		"expectedHeadOid": k.Head(k.repo, "main"),
		"message":         map[string]any{"headline": "h", "body": "b"},
		"fileChanges": map[string]any{
			"additions": []any{map[string]any{
				"path": "deploy/dev.yaml", "contents": base64.StdEncoding.EncodeToString([]byte("tag: v7\n")),
			}},
			"deletions": []any{map[string]any{"path": "README.md"}},
		},
	}})
	require.Nil(k, answer["errors"])
	oid := dig(answer, "data", "createCommitOnBranch", "commit", "oid").(string)
	require.Equal(k, k.Head(k.repo, "x"), oid)
	content, _ := k.File(k.repo, "x", "deploy/dev.yaml")
	require.Equal(k, "tag: v7\n", content)
	_, found := k.File(k.repo, "x", "README.md")
	require.False(k, found)
	_, commit := k.bot().send("GET", "/repos/acme/app/commits/"+oid, "")
	require.Equal(k, true, dig(commit, "commit", "verification", "verified"))
}

func provesAutoMerge(k *kit) {
	number, _ := k.open("x", "tag: v2\n")
	id := dig(k.graphql(`{ repository(owner: "acme", name: "app") { pullRequest(number: 1) { id } } }`, nil), "data",
		"repository", "pullRequest", "id")
	enable := func() map[string]any {
		return k.graphql(`mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: `+
			`SQUASH}) { pullRequest { autoMergeRequest { mergeMethod } } } }`, map[string]any{"id": id})
	}
	require.Equal(k, "UNPROCESSABLE: Auto merge is not allowed for this repository", failure(enable()))
	require.NoError(k, k.SetSettings(k.repo, RepoSettings{AutoMerge: true}))
	require.Equal(k, "UNPROCESSABLE: Pull request Pull request is in clean status", failure(enable()))
	require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredChecks: []string{"build"}}))
	require.Nil(k, enable()["errors"])
	k.graphql(`mutation($id: ID!) { disablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { number `+
		`} } }`, map[string]any{"id": id})
	require.Nil(k, enable()["errors"])
	_, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "build", SHA: "x", Conclusion: "success"})
	require.NoError(k, err)
	view, _ := k.Pull(k.repo, number)
	require.Equal(k, "merged", view.State)
	require.Contains(k, k.settle(), "pull_request auto_merge_enabled")
}

// pullID returns the GraphQL id of a pull request.
func (k *kit) pullID(number int) string {
	k.Helper()
	answer := k.graphql(`query($n: Int!) { repository(owner: "acme", name: "app") { pullRequest(number: $n) { id } } }`,
		map[string]any{"n": number})
	return dig(answer, "data", "repository", "pullRequest", "id").(string)
}

func (k *kit) enqueue(number int) map[string]any {
	k.Helper()
	return k.graphql(`mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { mergeQueueEntry { `+
		`position state headCommit { oid } baseCommit { oid } } } }`, map[string]any{"id": k.pullID(number)})
}

// pass completes the required check of a commit.
func (k *kit) pass(sha, conclusion string) {
	k.Helper()
	_, err := k.CreateCheckRun(k.repo, CheckSpec{Name: "ci", SHA: sha, Conclusion: conclusion})
	require.NoError(k, err)
}

func provesMergeQueue(k *kit) {
	require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredChecks: []string{"ci"}, MergeQueue: true}))
	one, _ := k.open("x", "tag: v2\n")
	two, err := k.OpenPull(k.repo, PullSpec{Head: "y", Author: "ann", Files: map[string]*string{"other": Text("y")}})
	require.NoError(k, err)
	require.Equal(k, `UNPROCESSABLE: Required status check "ci" is expected.`, failure(k.enqueue(one)))
	k.pass("x", "success")
	k.pass("y", "success")
	k.settle()
	first := k.enqueue(one)
	second := k.enqueue(two)
	require.Equal(k, float64(2), dig(second, "data", "enqueuePullRequest", "mergeQueueEntry", "position"))
	group := dig(first, "data", "enqueuePullRequest", "mergeQueueEntry", "headCommit", "oid").(string)
	require.Equal(k, group, dig(second, "data", "enqueuePullRequest", "mergeQueueEntry", "baseCommit", "oid"))
	require.Equal(k, []string{
		"pull_request enqueued", "create", "push", "check_suite requested", "merge_group checks_requested",
		"pull_request enqueued", "create", "push", "check_suite requested", "merge_group checks_requested",
	}, k.settle())
	answer := k.graphql(`{ repository(owner: "acme", name: "app") { mergeQueue(branch: "main") { entries(first: 5) { `+
		`nodes { position pullRequest { number isInMergeQueue } } } } } }`, nil)
	require.Len(k, dig(answer, "data", "repository", "mergeQueue", "entries", "nodes"), 2)

	k.pass(group, "success")
	require.Equal(k, group, k.Head(k.repo, "main"))
	view, _ := k.Pull(k.repo, one)
	require.Equal(k, "merged", view.State)
	require.Equal(k, group, view.MergeSHA)
	require.Equal(k, []string{
		"check_run created", "check_run completed", "check_suite completed", "pull_request dequeued", "delete", "push",
		"merge_group destroyed",
		"pull_request closed", "push", "check_suite requested",
	}, k.settle())
	view, _ = k.Pull(k.repo, two)
	k.pass(view.GroupSHA, "success")
	view, _ = k.Pull(k.repo, two)
	require.Equal(k, "merged", view.State)
	content, _ := k.File(k.repo, "main", "deploy/dev.yaml")
	require.Equal(k, "tag: v2\n", content)
}

func provesDequeuing(k *kit) {
	require.NoError(k, k.Protect(k.repo, "main", Protection{RequiredChecks: []string{"ci"}, MergeQueue: true}))
	var numbers []int
	for i, file := range []string{"deploy/dev.yaml", "deploy/dev.yaml", "c", "d"} {
		number, err := k.OpenPull(k.repo, PullSpec{
			Head: fmt.Sprint("b", i), Author: "ann", Files: map[string]*string{file: Text(fmt.Sprint(i))},
		})
		require.NoError(k, err)
		k.pass(fmt.Sprint("b", i), "success")
		numbers = append(numbers, number)
	}
	queued := func(i int) bool {
		view, _ := k.Pull(k.repo, numbers[i])
		return view.Queued
	}
	for _, number := range numbers {
		require.NoError(k, k.Enqueue(k.repo, number, "bob"))
	}
	require.False(k, queued(1), "it conflicts with the one before it")
	_, err := k.PushFiles(k.repo, "b3", "ann", "more", map[string]*string{"more": Text("1")})
	require.NoError(k, err)
	require.False(k, queued(3), "it was pushed to")
	view, _ := k.Pull(k.repo, numbers[0])
	k.pass(view.GroupSHA, "failure")
	require.False(k, queued(0), "its check failed")
	require.True(k, queued(2))
	answer := k.graphql(`mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { id } } }`,
		map[string]any{"id": k.pullID(numbers[2])})
	require.Nil(k, answer["errors"])
	require.False(k, queued(2))
	require.Equal(k, []string{"b0", "b1", "b2", "b3", "main"}, k.Branches(k.repo))
}

func provesUpdateRefs(k *kit) {
	main, zero := k.Head(k.repo, "main"), strings.Repeat("0", 40)
	require.NoError(k, k.CreateBranch(k.repo, "x", "ann", "main"))
	sha, err := k.PushFiles(k.repo, "main", "ann", "m", map[string]*string{"a": Text("b")})
	require.NoError(k, err)
	move := func(name, before, after string) any {
		answer := k.graphql(`mutation($repo: ID!, $name: GitRefname!, $before: GitObjectID!, $after: GitObjectID!) {
			updateRefs(input: {repositoryId: $repo, refUpdates: [{name: $name, beforeOid: $before, afterOid: $after, force:
			true}]}) { clientMutationId } }`,
			map[string]any{"repo": k.repoID(), "name": "refs/heads/" + name, "before": before, "after": after})
		return answer["errors"]
	}
	require.NotNil(k, move("x", sha, main), "it is not there")
	require.Nil(k, move("x", main, sha))
	require.Equal(k, sha, k.Head(k.repo, "x"))
	require.NotNil(k, move("x", main, zero))
	require.Nil(k, move("x", sha, zero))
	require.Empty(k, k.Head(k.repo, "x"))
	require.Nil(k, move("y", zero, sha))
	require.Equal(k, sha, k.Head(k.repo, "y"))
}
