package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// twoSignOffs is a pipeline whose only stage needs two sign-offs.
const twoSignOffs = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, approvals: 2}
`

// underPolicy starts the program on a pipeline and a policy file.
func underPolicy(t *testing.T, pipeline, policy string) *site {
	t.Helper()
	return newSite(t, pipeline+"-- .github/waybill.policy.yml --\nversion: 1\nautomatic: [\"*\"]\n"+policy)
}

// said returns the last comment on a pull request.
func (s *site) said(n int) string {
	s.t.Helper()
	all := s.told(n)
	require.NotEmpty(s.t, all)
	return all[len(all)-1].Body
}

// holds counts the holds that are in force.
func (s *site) holds() (n int) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Ledger.Holds(pipeline)
		n = len(all)
		return err
	})
	return n
}

// sre creates the team sre with these members, nested under the team ops.
func (s *site) sre(members ...string) {
	s.t.Helper()
	org := ownerOf(promotion.Repo(home))
	require.NoError(s.t, s.github.CreateTeam(org, "ops", nil))
	require.NoError(s.t, s.github.CreateTeam(org, "sre", nil, members...))
	require.NoError(s.t, s.github.NestTeam(org, "sre", "ops"))
}

const onlyOps = "may:\n  rollback: [{teams: [ops]}]\n  hold: [{permission: write, teams: [ops]}]\n"

func TestWhoIsInATeamUnderTheOneThatThePolicyNamesMayT13(t *testing.T) {
	s := underPolicy(t, oneStage, onlyOps)
	s.do("merge #1 by ann", "comment #1 by bob: /status dev")
	s.sre("bob")
	s.do("comment #1 by ann: /hold dev")
	require.Contains(t, s.said(1), "that needs one of the teams")
	require.Zero(t, s.holds())
	s.do("comment #1 by bob: /hold dev")
	require.Equal(t, 1, s.holds())
}

func TestAnAppThatMayNotReadMembersKnowsNobodyInATeamAndStopsNothingElseT13(t *testing.T) {
	s := underPolicy(t, oneStage, onlyOps)
	s.do("merge #1 by ann", "comment #1 by bob: /status dev")
	s.sre("bob")
	for _, cause := range []func(){
		func() {
			s.github.Faults().FailNext(githubsim.Route{Path: "/orgs/{org}/teams/{team_slug}/memberships/{username}"},
				githubsim.Fault{Status: 403, Times: 1})
		},
		func() {
			require.NoError(t, s.github.Permit("members", ""))
			s.do("restart") // for tokens that do not have it
		},
	} {
		cause()
		s.do("wait 6m", "comment #1 by bob: /hold dev")
		require.Contains(t, s.said(1), "that needs one of the teams")
		s.github.Faults().Clear()
	}
	s.do("comment #1 by bob: /cancel dev")
	require.NotContains(t, s.said(1), "GitHub could not be asked")
}

func TestWhoHasLeftTheTeamMayNoMoreThoughTheyMightAMinuteAgoT13(t *testing.T) {
	s := underPolicy(t, oneStage, onlyOps)
	s.do("merge #1 by ann", "comment #1 by bob: /status dev")
	s.sre("bob")
	s.do("comment #1 by bob: /hold dev")
	require.NoError(t, s.github.SetTeamMember(ownerOf(promotion.Repo(home)), "sre", "bob", false))
	s.quiet()
	s.do("comment #1 by bob: /hold --all")
	require.Contains(t, s.said(1), "that needs one of the teams")
}

func TestALostRightCountsFiveMinutesLaterThoughNobodyToldT13(t *testing.T) {
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "comment #1 by bob: /verify dev", "lose webhooks", "grant bob read")
	s.do("wait 5m", "resync")
	s.do("deliver webhooks", "comment #1 by bob: /verify dev")
	require.Contains(t, s.said(1), "that needs write permission")
}

func TestNotToKnowWhoMayIsNoT13(t *testing.T) {
	// 404 makes bob a stranger, and strangers get no reply: the last comment is his own
	for status, answer := range map[int]string{500: "GitHub could not be asked who may do that", 404: "/verify dev"} {
		s := newSite(t, oneStage)
		s.do("merge #1 by ann")
		permission := githubsim.Route{Path: "/repos/{owner}/{repo}/collaborators/{username}/permission"}
		s.github.Faults().FailNext(permission, githubsim.Fault{Status: status, Times: -1})
		s.do("comment #1 by bob: /verify dev")
		require.Contains(t, s.said(1), answer, status)
		s.do("comment #1 by bob: /hold dev")
		require.Zero(t, s.holds(), status)
		s.github.Faults().Clear()
		s.do(retry, "comment #1 by bob: /hold dev")
		require.Equal(t, 1, s.holds(), status)
	}
}

func TestWhoTakesTheLoginOfSomebodyElseHasNotTheirRightsT14(t *testing.T) {
	s := newSite(t, twoSignOffs)
	s.do("merge #1 by ann", "comment #1 by bob: /approve dev")
	require.NoError(t, s.github.RenameUser("bob", "robert"))
	require.NoError(t, s.github.CreateUser("bob", ownerOf(promotion.Repo(home))))
	require.NoError(t, s.github.SetPermission(home, "bob", "read"))
	s.do("comment #1 by bob: /approve dev")
	require.Contains(t, s.said(1), "that needs write permission")
	s.do("comment #1 by cleo: /approve dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"), "robert signed it off when he was called bob")
}

func TestASignOffOfSomebodyWhoMayNotAnyMoreIsNotMergedOnT16(t *testing.T) {
	s := newSite(t, twoSignOffs)
	s.do("merge #1 by ann", "comment #1 by bob: /approve dev", "lose webhooks", "grant bob read", "resync")
	require.NotContains(t, strings.Join(s.ours(), "\n"), "merged")
	s.do("deliver webhooks", "comment #1 by cleo: /approve dev")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	s.do("comment #1 by dora: /approve dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestAHomeOutOfReachKeepsNoLostRightOfAnotherPipelineBack has somebody who has signed off in two pipelines of an owner
// lose their rights, while the App reaches the home of only one.
func TestAHomeOutOfReachKeepsNoLostRightOfAnotherPipelineBack(t *testing.T) {
	s := newSite(t, twoSignOffs)
	const beside = "acme/beside"
	require.NoError(t, s.github.CreateRepo(beside, map[string]string{
		".github/waybill.yml": twoSignOffs, ".github/waybill.policy.yml": "version: 1\nautomatic: [\"*\"]\n",
		"dev.yaml": "tag: none\n",
	}))
	require.NoError(t, s.github.ReachRepo(beside, true))
	s.quiet()
	s.do("merge #1 by ann", "comment #1 by bob: /approve dev")
	n := s.mergedIn(beside)
	require.NoError(t, s.github.SetPermission(beside, "bob", "write"))
	_, err := s.github.Comment(beside, n, "bob", "/approve dev")
	require.NoError(t, err)
	s.quiet()
	entitled := func() (n int) {
		s.view(func(tx *store.Tx, pipeline int64) error {
			all, err := tx.Ledger.StandingApprovals(pipeline)
			for _, one := range all {
				if one.Entitled {
					n++
				}
			}
			return err
		})
		return n
	}
	require.Equal(t, 1, entitled())
	s.do("lose webhooks")
	require.NoError(t, s.github.ReachRepo(beside, false))
	s.github.LoseWebhooks(false)
	require.NoError(t, s.restart(s.ctx)) // its tokens are gone
	require.NoError(t, s.github.RemoveMember("acme", "bob"))
	s.quiet()
	require.Zero(t, entitled())
	require.Empty(t, s.deliveries(store.DeliveryWaiting))
}

func TestAnOldReviewSignsNothingOffT1(t *testing.T) {
	s := newSite(t, strings.Replace(twoSignOffs, "approvals: 2", "approvals: 1", 1))
	s.do("merge #1 by ann")
	before := s.pull(1)
	s.do("push dev.yaml by cleo")
	require.NotEqual(t, before.HeadSHA, s.pull(1).HeadSHA)
	s.do("review p1 changes by bob")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	s.do("review p1 approve by bob")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestWhoAsksForChangesTakesTheirSignOffBack also when they have signed off by a comment; the pull request says so,
// once.
func TestWhoAsksForChangesTakesTheirSignOffBack(t *testing.T) {
	t.Parallel()
	for _, signs := range []string{"review p1 approve by bob", "comment #1 by bob: /approve dev"} {
		s := newSite(t, twoSignOffs)
		s.do("merge #1 by ann", signs, "review p1 changes by bob", "review p1 changes by bob")
		says := s.told(s.pull(1).Number)
		require.Len(t, says, 1)
		require.Contains(t, says[0].Body, "the sign-off of `bob` no longer counts: bob has asked for changes")
		s.do("review p1 approve by cleo")
		require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
		s.do("review p1 approve by bob")
		require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	}
}

// TestAnApprovalThatComesAfterTheRequestForChangesSignsNothingOff has GitHub tell of two reviews in the wrong order.
func TestAnApprovalThatComesAfterTheRequestForChangesSignsNothingOff(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoSignOffs, "approvals: 2", "approvals: 1", 1))
	s.do("merge #1 by ann", "lose webhooks", "review p1 approve by bob", "wait 1m")
	s.github.LoseWebhooks(false)
	s.do("review p1 changes by bob", "deliver webhooks")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	s.do("wait 1m", "review p1 approve by bob")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
}

// TestACountedPersonCostsTwoRequestsWhateverThePolicyNames has two people sign off, who are in one of many teams.
// Before the merge GitHub is asked for the permission of each, and for the team in which they were last.
func TestACountedPersonCostsTwoRequestsWhateverThePolicyNames(t *testing.T) {
	t.Parallel()
	s := underPolicy(t, strings.Replace(oneStage, "verify:", "approvals: 2, verify:", 1),
		"may:\n  approve: [{teams: [web, ops, sre]}]\n  hold: [{teams: [db, net]}]\n")
	s.do("merge #1 by ann", "comment #1 by bob: /status dev", "comment #1 by eve: /status dev")
	org := ownerOf(promotion.Repo(home))
	for _, team := range []string{"web", "ops", "db", "net"} {
		require.NoError(t, s.github.CreateTeam(org, team, nil))
	}
	require.NoError(t, s.github.CreateTeam(org, "sre", nil, "bob", "eve"))
	s.do("comment #1 by bob: /approve dev")
	people := func() int {
		return s.github.CountRequests(githubsim.Route{Path: "/orgs/{org}/teams/{team_slug}/memberships/{username}"}) +
			s.github.CountRequests(githubsim.Route{Path: "/repos/{owner}/{repo}/collaborators/{username}/permission"})
	}
	s.github.ForgetRequests()
	s.do("comment #1 by eve: /approve dev")
	require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"), s.said(1))
	require.LessOrEqual(t, people(), 1+5+2*2, "eve's command asks for all teams, the merge for one of each person")
}
