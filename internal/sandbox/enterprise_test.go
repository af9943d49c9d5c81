package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
)

// TestFreightComesToProdOnAnEnterpriseServer promotes freight through two stages on an Enterprise Server: without rate
// limits and their headers, and with commits that nobody has signed. An outage there ends as on github.com, although
// the server does not know the request by which Waybill asks whether it is over. The doctor finds nothing.
func TestFreightComesToProdOnAnEnterpriseServer(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage+`  prod:
    {from: api, set: {prod.yaml: {tag: "${api.short}"}}, verify: [prod], after: {all: [dev]}}
`)
	token := s.withTokens(api.Token{Name: "ops"})[0]
	s.github.BeEnterprise("3.16.0")
	s.protect(githubsim.Protection{})
	s.do("merge #1 by ann", "check smoke success on dev", "check prod success on prod")
	require.Equal(t, s.source(1), s.hosts("dev.yaml"))
	require.Equal(t, s.source(1), s.hosts("prod.yaml"))

	s.github.Faults().FailNext(githubsim.Route{}, githubsim.Fault{Status: http.StatusServiceUnavailable, Times: 8})
	s.do("merge #2 by ann", "wait 2h", "check smoke success on dev", "wait 2h", "check prod success on prod", "wait 1h")
	require.Equal(t, s.source(2), s.hosts("prod.yaml"))
	for _, one := range s.doctor(token).Findings {
		require.NotEqual(t, api.StateFail, one.State, one)
	}
}

// noSigning is what Waybill says where a branch wants signatures and its GitHub makes none.
const noSigning = "commits must be signed, and GitHub has not signed the last one that Waybill had made"

// TestAServerThatSignsNothingStopsWhatMustBeSigned has a branch that requires signatures on an Enterprise Server where
// nobody has set up that it signs. The promotion waits, and whoever asks is told why and who can change that, also by a
// process that has committed nothing yet. When an administrator has set it up, the promotion goes on, and so does the
// next.
func TestAServerThatSignsNothingStopsWhatMustBeSigned(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "ops"})[0]
	s.github.BeEnterprise("3.16.0")
	s.protect(githubsim.Protection{Signatures: true})
	s.do("resync", "wait 1h", "merge #1 by ann", retry)
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	require.Contains(t, s.run(1, "dev").Summary, "Commits must have verified signatures.")
	told := func() {
		t.Helper()
		for _, command := range []string{"/why dev", "/status", "/plan dev"} {
			text := s.questions(command)
			require.Contains(t, text, "have an administrator of the server set up web commit signing, or put the App on the "+
				"bypass list of ruleset ", command)
		}
		require.Contains(t, s.questions("/why dev"), noSigning)
		require.Contains(t, s.questions("/plan dev"), noSigning)
		found := s.found(s.doctor(token), "rules", home+"@main")
		require.Equal(t, api.StateFail, found.State)
		require.Contains(t, found.Says, noSigning)
	}
	told()
	require.NoError(t, s.restart(s.ctx))
	s.do("wait 1h", "resync")
	told()

	s.github.SignCommits()
	s.do("comment #1 by ann: /retry dev", retry)
	s.passCI(1) // any report on its commit
	s.do("check smoke success on dev", "merge #2 by ann", "resync", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded"}, s.states("dev"))
	require.NotContains(t, s.questions("/plan dev"), noSigning)
}

// TestADirectCommitThatNobodySignsSaysWhy: the branch refuses it, and the rules say why from then on.
func TestADirectCommitThatNobodySignsSaysWhy(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "from: api,", "from: api, commit: direct,", 1))
	s.github.BeEnterprise("3.16.0")
	s.protect(githubsim.Protection{Signatures: true})
	s.do("merge #1 by ann", retry, "resync")
	require.Equal(t, []string{"p1 api#1 dev failed"}, s.states("dev"))
	require.Contains(t, s.questions("/plan dev"), noSigning)
	s.github.SignCommits()
	s.do("comment #1 by ann: /retry dev", retry, "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev failed", "p2 api#1 dev succeeded"}, s.states("dev"))
}
