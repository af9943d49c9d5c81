package githubsim

import (
	"strconv"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/require"
)

// jwt returns the App's Authorization header.
func (k *kit) jwt() string {
	k.Helper()
	return "Bearer " + k.signed(jwt.MapClaims{
		"iat": time.Now().Add(-time.Minute).Unix(), "exp": time.Now().Add(5 * time.Minute).Unix(),
		"iss": strconv.FormatInt(k.AppID(), 10),
	})
}

func (k *kit) signed(claims jwt.MapClaims) string {
	k.Helper()
	key, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(k.PrivateKeyPEM()))
	require.NoError(k, err)
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(key)
	require.NoError(k, err)
	return token
}

func TestAPromotionGoesThroughWithGoGitHub(t *testing.T) {
	k := newKit(t)
	ctx := t.Context()
	base := k.Head(k.repo, "main")

	tree, _, err := k.client.Git.CreateTree(ctx, "acme", "app", base, []*github.TreeEntry{
		{
			Path: github.String("deploy/dev.yaml"), Mode: github.String("100644"), Type: github.String("blob"),
			Content: github.String("tag: v2\n"),
		},
	})
	require.NoError(t, err)
	commit, _, err := k.client.Git.CreateCommit(ctx, "acme", "app", &github.Commit{
		Message: github.String("promote"), Tree: tree, Parents: []*github.Commit{{SHA: github.String(base)}},
	}, nil)
	require.NoError(t, err)
	require.Empty(t, k.settle(), "objects alone are no event")

	_, _, err = k.client.Git.CreateRef(ctx, "acme", "app",
		&github.Reference{Ref: github.String("refs/heads/waybill/dev/1"), Object: &github.GitObject{SHA: commit.SHA}})
	require.NoError(t, err)
	require.Equal(t, []string{"create", "push", "check_suite requested"}, k.settle())

	pr, _, err := k.client.PullRequests.Create(ctx, "acme", "app", &github.NewPullRequest{
		Title: github.String("Promote"), Head: github.String("waybill/dev/1"), Base: github.String("main"),
	})
	require.NoError(t, err)
	require.Equal(t, "waybill[bot]", pr.GetUser().GetLogin())
	require.Equal(t, []string{"pull_request opened"}, k.settle())

	run, _, err := k.client.Checks.CreateCheckRun(ctx, "acme", "app",
		github.CreateCheckRunOptions{Name: "waybill / dev", HeadSHA: commit.GetSHA()})
	require.NoError(t, err)
	_, _, err = k.client.Checks.UpdateCheckRun(ctx, "acme", "app", run.GetID(), github.UpdateCheckRunOptions{
		Name: "waybill / dev", Status: github.String("completed"), Conclusion: github.String("success"),
	})
	require.NoError(t, err)
	require.Equal(t, []string{"check_run created", "check_run completed", "check_suite completed"}, k.settle())

	merged, _, err := k.client.PullRequests.Merge(ctx, "acme", "app", pr.GetNumber(), "",
		&github.PullRequestOptions{SHA: commit.GetSHA(), MergeMethod: "squash"})
	require.NoError(t, err)
	require.Equal(t, merged.GetSHA(), k.Head(k.repo, "main"))
	require.Equal(t, []string{"pull_request closed", "push", "check_suite requested"}, k.settle())

	content, found := k.File(k.repo, "main", "deploy/dev.yaml")
	require.True(t, found)
	require.Equal(t, "tag: v2\n", content)
	view, _ := k.Pull(k.repo, pr.GetNumber())
	require.Equal(t, "merged", view.State)
	require.Equal(t, merged.GetSHA(), view.MergeSHA)
}

func TestTheSamePromotionGoesThroughWithOneReadAndOneMutation(t *testing.T) {
	k := newKit(t)
	answer := k.graphql(`query($owner: String!, $name: String!) {
		repository(owner: $owner, name: $name) {
			id
			defaultBranchRef { name target { oid } }
			dev: object(expression: "main:deploy/dev.yaml") { ... on Blob { text oid byteSize isBinary } }
			none: object(expression: "main:nothing") { ... on Blob { text } }
			folder: object(expression: "main:deploy") { ... on Tree { entries { name type mode object { ... on Blob { text }
			} } } }
		}
	}`, map[string]any{"owner": "acme", "name": "app"})
	require.Nil(t, answer["errors"])
	repository := dig(answer, "data", "repository")
	require.Equal(t, "tag: v1\n", dig(repository, "dev", "text"))
	require.Nil(t, dig(repository, "none"))
	require.Equal(t, "dev.yaml", dig(repository, "folder", "entries", 0, "name"))
	head := dig(repository, "defaultBranchRef", "target", "oid").(string)
	require.Equal(t, k.Head(k.repo, "main"), head)

	ctx := t.Context()
	tree, _, err := k.client.Git.CreateTree(ctx, "acme", "app", head, []*github.TreeEntry{
		{
			Path: github.String("deploy/dev.yaml"), Mode: github.String("100644"), Type: github.String("blob"),
			Content: github.String("tag: v2\n"),
		},
	})
	require.NoError(t, err)
	commit, _, err := k.client.Git.CreateCommit(ctx, "acme", "app", &github.Commit{
		Message: github.String("promote"), Tree: tree, Parents: []*github.Commit{{SHA: github.String(head)}},
	}, nil)
	require.NoError(t, err)

	document := `mutation($repo: ID!, $oid: GitObjectID!) {
		createRef(input: {repositoryId: $repo, name: "refs/heads/waybill/dev/1", oid: $oid}) { ref { id name } }
		createPullRequest(input: {repositoryId: $repo, baseRefName: "main", headRefName: "waybill/dev/1", title:
		"Promote", body: "b"}) {
			pullRequest { number id headRefOid author { login __typename } }
		}
	}`
	variables := map[string]any{"repo": dig(repository, "id"), "oid": commit.GetSHA()}
	answer = k.graphql(document, variables)
	require.Nil(t, answer["errors"])
	require.Equal(t, float64(1), dig(answer, "data", "createPullRequest", "pullRequest", "number"))
	require.Equal(t, commit.GetSHA(), dig(answer, "data", "createPullRequest", "pullRequest", "headRefOid"))
	require.Equal(t, []string{"create", "push", "check_suite requested", "pull_request opened"}, k.settle())

	answer = k.graphql(document, variables)
	require.Nil(t, dig(answer, "data", "createRef"))
	require.Equal(t, "UNPROCESSABLE", dig(answer, "errors", 0, "type"))
	require.Equal(t, `A ref named "refs/heads/waybill/dev/1" already exists in the repository.`,
		dig(answer, "errors", 0, "message"))
	require.Equal(t, "A pull request already exists for acme:waybill/dev/1.", dig(answer, "errors", 1, "message"))
}
