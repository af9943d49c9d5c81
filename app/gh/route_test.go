package gh

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheClassOfARequestNamesNothingOfTheRepository(t *testing.T) {
	for _, c := range []struct{ method, path, want string }{
		{"POST", "/graphql", "graphql"},
		{"POST", "/api/graphql", "graphql"},
		{"GET", "/repos/acme/api", "GET repos"},
		{"PUT", "/repos/acme/api/pulls/7/merge", "PUT repos/pulls"},
		{"PUT", "/api/v3/repos/acme/api/pulls/7/merge", "PUT repos/pulls"},
		{"POST", "/repos/acme/api/git/trees", "POST repos/git"},
		{"GET", "/repos/acme/api/what/is/this", "GET other"},
		{"POST", "/app/installations/5/access_tokens", "POST app/access_tokens"},
		{"GET", "/app/hook/deliveries", "GET app"},
		{"GET", "/orgs/acme/teams/ops/memberships/ann", "GET orgs"},
		{"GET", "/ann/secret", "GET other"},
		{"GET", "", "GET other"},
	} {
		require.Equal(t, c.want, Call{Method: c.method, Path: c.path}.Route(), c.path)
	}
}
