package gh

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// TestTheFieldBehindANameOfItsOwnIsKnown reads paths of errors.
func TestTheFieldBehindANameOfItsOwnIsKnown(t *testing.T) {
	document := `query Q($c0: X!) { repository(owner: $o) { c0: object(oid: $c0) { id } e0: deployments(first: 1) } }`
	for field, path := range map[string][]any{
		"object": {"repository", "c0"}, "deployments": {"repository", "e0"}, "x": {"repository", "x"}, "a field": nil,
		"checkSuites": {"repository", "c0", "checkSuites", "nodes", 0.0},
	} {
		require.Equal(t, field, graphQLError{Path: path, document: document}.field())
	}
}

// TestARefusedFieldNamesThePermissionThatItNeeds has the account take three permissions back, of which a field needs
// one, and asks GitHub for it with a token that lacks them.
func TestARefusedFieldNamesThePermissionThatItNeeds(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.Permit("checks", ""))
	require.NoError(t, k.Permit("issues", ""))
	require.NoError(t, k.Permit("pull_requests", "read"))
	_, err := k.client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	const reads, writes = "query Q { repository { x } }", "mutation Do { s0: x { y } }"
	for _, c := range []struct {
		document string
		path     []any
		says     string
	}{
		{reads, []any{"repository", "object", "checkSuites", "nodes", 0.0, "checkRuns"}, "the permission Checks (read)"},
		{reads, []any{"repository", "pullRequest", "labels"}, "the permission Issues (read)"},
		{writes, []any{"createPullRequest"}, "the permission Pull requests (write)"},
		{writes, []any{"enqueuePullRequest"}, "the permission Pull requests (write)"}, // it has the other one
		{reads, []any{"repository", "object"}, ""},
		{reads, []any{"repository", "associatedPullRequests"}, ""}, // it may read them
		{reads, []any{"repository", "unheardOf", "nodes", 3.0},
			"a permission for unheardOf, and GitHub does not say which: perhaps one of Checks (read), Issues (read)"},
		{writes, []any{"unheardOf"}, "a permission for unheardOf, and GitHub does not say which: " +
			"perhaps one of Checks (write), Issues (write), Pull requests (write)"},
	} {
		err := k.client.graph.refusedField(t.Context(),
			graphQLError{Path: c.path, document: c.document, Message: notGranted})
		if c.says == "" {
			require.NotErrorIs(t, err, ErrLacking, c.path)
			continue
		}
		require.ErrorIs(t, err, ErrLacking, c.path)
		require.Equal(t, "the App lacks "+c.says, Explain(err).Detail)
		// That token is as it was, whatever GitHub has refused meanwhile.
		_, err = k.client.Files.Read(t.Context(), "", nil)
		require.NoError(t, err)
	}
	require.NoError(t, k.Permit("contents", "read"))
	k.clock.Advance(lessFor + time.Second)
	_, err = k.client.Files.Read(t.Context(), "", nil)
	require.NoError(t, err)
	err = k.client.graph.refusedField(t.Context(), graphQLError{
		Path: []any{"enqueuePullRequest"}, document: writes, Message: notGranted})
	require.Equal(t, "the App lacks a permission, and GitHub does not say which: "+
		"one of Contents (write), Pull requests (write)", Explain(err).Detail)
}

// TestWhoHasMadeACommitNamesThePermissionThatIsMissing reads it without permissions of which it needs one.
func TestWhoHasMadeACommitNamesThePermissionThatIsMissing(t *testing.T) {
	k := newKit(t)
	require.NoError(t, k.Permit("checks", ""))
	require.NoError(t, k.Permit("pull_requests", ""))
	_, err := k.client.Commits.Hands(t.Context(), promotion.SHA(k.Head(repo, "main")))
	require.ErrorIs(t, err, ErrLacking)
	require.Equal(t, "the App lacks the permission Pull requests (read)", Explain(err).Detail)
}

// TestEachGuardedFieldHasItsPermission compares the fields that the simulator refuses without a permission with the
// table.
func TestEachGuardedFieldHasItsPermission(t *testing.T) {
	guarded := regexp.MustCompile(`"(\w+)":\s+g\.guarded\(r, "(\w+):(\w+)"`)
	names, err := filepath.Glob("../../internal/githubsim/graphql/*.go")
	require.NoError(t, err)
	found := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, row := range guarded.FindAllStringSubmatch(string(text), -1) {
			if found++; row[1] != "statusCheckRollup" { // nothing asks for it
				require.Equal(t, []Grant{{row[2], row[3]}}, fieldNeeds[row[1]], row[1])
			}
		}
	}
	require.Greater(t, found, 8)
}
