package contract

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	readFiles = `query($owner: String!, $name: String!) {
		repository(owner: $owner, name: $name) {
			app: object(expression: "main:app.yaml") { ... on Blob { text oid } }
			defaultBranchRef { name target { __typename ...history } }
			pullRequests(first: 2, states: [OPEN]) { nodes { number mergeable updatedAt isDraft } }
		}
	}
	fragment history on Commit { oid tree { oid } }`
	openPull = `mutation($input: CreatePullRequestInput!) { createPullRequest(input: $input) { pullRequest { number } } }`
)

var acme = map[string]any{"owner": "acme", "name": "api"}

func TestADocumentThatGitHubUnderstandsPasses(t *testing.T) {
	c := loaded(t)
	require.NoError(t, c.CheckGraphQL(readFiles, acme))
	require.NoError(t, c.CheckGraphQL(openPull, map[string]any{"input": struct {
		RepositoryID string `json:"repositoryId"`
		BaseRefName  string `json:"baseRefName"`
		HeadRefName  string `json:"headRefName"`
		Title        string `json:"title"`
	}{"R_1", "main", "waybill/prod", "Promote"}}))
	require.NotNil(t, c.GraphQLSchema().Types["PullRequest"])
}

func TestADocumentThatGitHubWouldRefuseIsAViolation(t *testing.T) {
	c := loaded(t)
	for name, test := range map[string]struct {
		document  string
		variables map[string]any
		want      string
	}{
		"that does not parse":   {`{ viewer { login }`, nil, "Expected Name, found <EOF>"},
		"with an unknown field": {`{ viewer { nickname } }`, nil, `Cannot query field "nickname" on type "User"`},
		"with an unknown argument": {
			`{ repository(owner: "a", name: "b", sha: "c") { id } }`, nil, `Unknown argument "sha"`,
		},
		"without a required argument": {
			`{ repository(owner: "a") { id } }`, nil, `argument "name" of type "String!" is required`,
		},
		"without a selection":             {`{ viewer }`, nil, "must have a selection of subfields"},
		"with a fragment that never fits": {`{ viewer { ... on Blob { text } } }`, nil, "can never be of type"},
		"without a variable":              {readFiles, map[string]any{"owner": "acme"}, "variable.name must be defined"},
		"with a variable of wrong type":   {readFiles, map[string]any{"owner": "acme", "name": 7}, "cannot use"},
		"with a variable it lacks": {
			`{ viewer { login } }`, acme, "variable.owner: the operation declares no such variable",
		},
		"with an unknown input field": {openPull, map[string]any{"input": map[string]any{
			"repositoryId": "R_1", "baseRefName": "main", "headRefName": "x", "title": "t", "labels": []string{"x"}}},
			"variable.input.labels unknown field"},
		"without a required input field": {
			openPull, map[string]any{"input": map[string]any{"repositoryId": "R_1"}}, "must be defined",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.CheckGraphQL(test.document, test.variables)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, []Part{Request}, parts(t, err))
		})
	}
}

func TestAGraphQLAnswerHasWhatWasAskedFor(t *testing.T) {
	c := loaded(t)
	good := `{"data": {"repository": {
		"app": {"text": "a: 1", "oid": "4f2a"},
		"defaultBranchRef": {"name": "main", "target": {"__typename": "Commit", "oid": "4f2a", "tree": {"oid": "99aa"}}},
		"pullRequests": {"nodes": [{"number": 7, "mergeable": "MERGEABLE", "updatedAt": "2026-01-01T00:00:00Z",
		"isDraft": false}, null]}
	}}}`
	require.NoError(t, c.CheckExchange(graphqlExchange(t, readFiles, 200, good)))
	require.NoError(t, c.CheckExchange(graphqlExchange(t, readFiles, 200,
		`{"data": {"repository": null}, "errors": [{"message": "Could not resolve to a Repository", "type": "NOT_FOUND"}]}`)))
	require.NoError(t, c.CheckExchange(graphqlExchange(t, readFiles, 200,
		`{"data": {"repository": {"app": null, "defaultBranchRef": null, "pullRequests": {"nodes": null}}}}`)))
	require.NoError(t, c.CheckExchange(graphqlExchange(t, readFiles, 401,
		`{"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest", "status": "401"}`)))
}

func TestAGraphQLAnswerThatGitHubWouldNotGiveIsAViolation(t *testing.T) {
	c := loaded(t)
	const pull = `{ repository(owner: "acme", name: "api") { pullRequest(number: 7) { number state headRefOid ` +
		`createdAt author { login ... on Bot { databaseId } } commits(first: 1) { totalCount } } } }`
	for name, test := range map[string]struct{ pull, want string }{
		"with a member that is missing": {`"state": "OPEN", "headRefOid": "a", "createdAt": ` +
			`"2026-01-01T00:00:00Z", "author": null, "commits": {"totalCount": 1}`,
			"/data/repository/pullRequest/number: it was asked for and is missing"},
		"with a member that nobody asked for": {`"number": 7, "state": "OPEN", "headRefOid": "a", "createdAt": ` +
			`"2026-01-01T00:00:00Z", "author": null, "commits": {"totalCount": 1}, "title": "t"`,
			"/title: it was not asked for"},
		"with null where GitHub has a value": {`"number": null, "state": "OPEN", "headRefOid": "a", "createdAt": ` +
			`"2026-01-01T00:00:00Z", "author": null, "commits": {"totalCount": 1}`, "/number: Int! is never null"},
		"with a string for a number": {`"number": "7", "state": "OPEN", "headRefOid": "a", "createdAt": ` +
			`"2026-01-01T00:00:00Z", "author": null, "commits": {"totalCount": 1}`, "/number: 7 is no Int"},
		"with an unknown value of an enum": {`"number": 7, "state": "open", "headRefOid": "a", "createdAt": ` +
			`"2026-01-01T00:00:00Z", "author": null, "commits": {"totalCount": 1}`, "/state: open is no PullRequestState"},
		"with a time in another form": {`"number": 7, "state": "OPEN", "headRefOid": "a", "createdAt": ` +
			`"yesterday", "author": null, "commits": {"totalCount": 1}`, "/createdAt: yesterday is no DateTime"},
		"with a list for an object": {`"number": 7, "state": "OPEN", "headRefOid": "a", "createdAt": ` +
			`"2026-01-01T00:00:00Z", "author": null, "commits": []`, "/commits: want PullRequestCommitConnection"},
		"without a member of every actor": {`"number": 7, "state": "OPEN", "headRefOid": "a", "createdAt": ` +
			`"2026-01-01T00:00:00Z", "author": {"databaseId": 3}, "commits": {"totalCount": 1}`,
			"/author/login: it was asked for and is missing"},
		"with a member that no actor was asked": {`"number": 7, "state": "OPEN", "headRefOid": "a", "createdAt": ` +
			`"2026-01-01T00:00:00Z", "author": {"login": "mona", "name": "Mona"}, "commits": {"totalCount": 1}`,
			"/author/name: it was not asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.CheckExchange(graphqlExchange(t, pull, 200, `{"data": {"repository": {"pullRequest": {`+test.pull+`}}}}`))
			require.ErrorContains(t, err, test.want)
			require.Equal(t, []Part{Response}, parts(t, err))
		})
	}
	for body, want := range map[string]string{
		`{}`:                            "it has neither data nor errors",
		`{"data": null}`:                "it has neither data nor errors",
		`{"errors": [{"path": ["a"]}]}`: "/errors/0/message: an error says what is wrong",
		`{"data": {"repository": null}, "message": "no"}`: "/message: a GraphQL answer has no such member",
		`no`: "invalid character",
	} {
		require.ErrorContains(t, c.CheckExchange(graphqlExchange(t, pull, 200, body)), want)
	}
	require.ErrorContains(t, c.CheckExchange(graphqlExchange(t, pull, 201, `{"data": {}}`)),
		"GitHub answers GraphQL with 200")
}

// A field that depends on a directive or an unknown type is optional; all others that apply are required.
func TestAnAnswerHasTheFragmentsThatApply(t *testing.T) {
	c := loaded(t)
	const document = `query { node(id: "C_1") { __typename ...commit ... on Node { id } ... on PullRequest { number } } }
		fragment commit on Commit { oid message @skip(if: false) ... @include(if: true) { messageBody } ...tree
		@include(if: true) }
		fragment tree on Commit { treeUrl }`
	const anonymous = `query { node(id: "C_1") { ...commit } } fragment commit on Commit { oid ... on GitObject { ` +
		`abbreviatedOid } }`
	const root = `mutation { ...close } fragment close on Mutation { closePullRequest(input: {pullRequestId: "PR_1"}) ` +
		`{ clientMutationId } }`
	for answer, test := range map[string]struct{ document, want string }{
		`{"node": {"__typename": "Commit", "id": "C_1", "oid": "4f2a", "message": "m", "messageBody": "b", "treeUrl": ` +
			`"u"}}`: {document, ""},
		`{"node": {"__typename": "Commit", "id": "C_1", "oid": "4f2a"}}`: {document, ""},
		`{"node": {"__typename": "Commit", "id": "C_1"}}`: {
			document, "/node/oid: it was asked for and is missing",
		},
		`{"node": {"__typename": "Commit", "oid": "4f2a"}}`: {
			document, "/node/id: it was asked for and is missing",
		},
		`{"node": {"__typename": "Commit", "id": "C_1", "oid": "4f2a", "number": 7}}`: {
			document, "/node/number: it was not asked for",
		},
		`{"node": {"__typename": "PullRequest", "id": "C_1", "number": 7}}`: {document, ""},
		`{"node": {"__typename": "PullRequest", "id": "C_1"}}`: {
			document, "/node/number: it was asked for and is missing",
		},
		`{"node": {"__typename": "User", "id": "C_1", "oid": "4f2a"}}`: {document, "/node/oid: it was not asked for"},
		`{"node": {}}`: {anonymous, ""},
		`{"node": {"oid": "4f2a", "abbreviatedOid": "4f2a"}}`: {anonymous, ""},
		`{"node": {"title": "t", "oid": 4}}`:                  {anonymous, "/node/oid: 4 is no GitObjectID"},
		`{"closePullRequest": {"clientMutationId": null}}`:    {root, ""},
		`{}`: {root, "/closePullRequest: it was asked for and is missing"},
		`{"a": 1, "z": 1, "closePullRequest": null}`: {root, "/z: it was not asked for"},
	} {
		err := c.CheckExchange(graphqlExchange(t, test.document, 200, `{"data": `+answer+`}`))
		if test.want == "" {
			require.NoError(t, err, answer)
			continue
		}
		require.ErrorContains(t, err, test.want, answer)
	}
}

func TestAMutationIsAnsweredByTheMutationType(t *testing.T) {
	c := loaded(t)
	const closeIt = `mutation { closePullRequest(input: {pullRequestId: "PR_1"}) { pullRequest { closed } } }`
	require.NoError(t, c.CheckExchange(graphqlExchange(t, closeIt, 200,
		`{"data": {"closePullRequest": {"pullRequest": {"closed": true}}}}`)))
	require.NoError(t, c.CheckExchange(graphqlExchange(t, closeIt, 200,
		`{"data": {"closePullRequest": null}, "errors": [{"message": "Could not resolve to a node"}]}`)))
	require.ErrorContains(t, c.CheckExchange(graphqlExchange(t, closeIt, 200,
		`{"data": {"closePullRequest": {"pullRequest": {"closed": "yes"}}}}`)), "/closed: yes is no Boolean")
}

func TestOnlyTheOperationThatRunsIsHeldToItsVariables(t *testing.T) {
	c := loaded(t)
	const two = `query who { viewer { login } } query repo($name: String!) { repository(owner: "acme", name: $name) { ` +
		`id } }`
	x := graphqlExchange(t, "", 200, `{"data": {"viewer": {"login": "mona"}}}`)
	x.RequestBody = encode(t, graphqlRequest{Query: two, OperationName: "who"})
	require.NoError(t, c.CheckExchange(x))
	x.RequestBody = encode(t, graphqlRequest{Query: two, OperationName: "repo"})
	require.ErrorContains(t, c.CheckExchange(x), "variable.name must be defined")
	x.RequestBody = encode(t, graphqlRequest{Query: two, OperationName: "other"})
	require.ErrorContains(t, c.CheckExchange(x), `it has no operation "other"`)
}

// graphqlExchange returns an exchange about a document, with the variables of
// readFiles if it declares any.
func graphqlExchange(t *testing.T, document string, status int, answer string) Exchange {
	t.Helper()
	request := graphqlRequest{Query: document}
	if document == readFiles {
		request.Variables = acme
	}
	return exchange(t, "POST /api/graphql", string(encode(t, request)), status, answer)
}
