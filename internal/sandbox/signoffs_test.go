package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
)

// signedByOne is a pipeline whose only stage needs one sign-off.
var signedByOne = strings.Replace(twoSignOffs, "approvals: 2", "approvals: 1", 1)

// signedBatch is a rollout of which only a batch asks for a sign-off.
const signedBatch = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets: [a, b]
    set: {"${target.name}.yaml": {tag: "${api.number}"}}
    rollout: [{name: canary, targets: [a], approvals: 1}, {name: rest, approvals: 1}]
    verify: ["e2e-${target.name}"]
-- a.yaml --
tag: none
-- b.yaml --
tag: none
`

// secretly changes the rights of a person, and no webhook ever tells.
func (s *site) secretly(login, permission string) {
	s.t.Helper()
	s.github.LoseWebhooks(true)
	require.NoError(s.t, s.github.SetPermission(home, login, permission))
	s.github.LoseWebhooks(false)
	s.github.ForgetLost()
}

// TestWhoLostTheRightAMinuteAgoSignsNothingOffT16 takes the right from somebody whose right was asked for a moment
// before, without a webhook.
func TestWhoLostTheRightAMinuteAgoSignsNothingOffT16(t *testing.T) {
	t.Parallel()
	for stage, pipeline := range map[string]string{"dev": signedByOne, "prod": signedBatch} {
		s := newSite(t, pipeline)
		s.do("merge #1 by ann", "label #1 waybill/hold by bob", "unlabel #1 waybill/hold by bob")
		s.secretly("bob", "read")
		s.do("comment #1 by bob: /approve " + stage)
		require.Contains(t, s.said(1), "that needs write permission", stage)
		require.NotContains(t, strings.Join(s.ours(), "\n"), "merged", stage)
	}
}

// TestRightsAreAskedAgainImmediatelyBeforeTheMergeT16 takes the right from somebody who has signed off what a hold
// keeps back. The hold ends by the clock, so that no command has rights asked again.
func TestRightsAreAskedAgainImmediatelyBeforeTheMergeT16(t *testing.T) {
	t.Parallel()
	for stage, pipeline := range map[string]string{"dev": signedByOne, "prod": signedBatch} {
		s := newSite(t, pipeline)
		s.do("merge #1 by ann", "comment #1 by ann: /hold "+stage+" lunch --for 1h", "comment #1 by bob: /approve "+stage)
		s.secretly("bob", "read")
		s.do("wait 2h")
		require.NotContains(t, strings.Join(s.ours(), "\n"), "merged", stage)
		s.do("comment #1 by cleo: /approve " + stage)
		require.Contains(t, strings.Join(s.ours(), "\n"), "merged", stage)
	}
}

// TestTheMergeWaitsUntilGitHubSaysWhoMayT16 has GitHub fail whenever it is asked for rights.
func TestTheMergeWaitsUntilGitHubSaysWhoMayT16(t *testing.T) {
	t.Parallel()
	for stage, pipeline := range map[string]string{"dev": signedByOne, "prod": signedBatch} {
		s := newSite(t, pipeline)
		s.do("merge #1 by ann", "comment #1 by ann: /hold "+stage+" lunch --for 1h", "comment #1 by bob: /approve "+stage)
		permission := githubsim.Route{Path: "/repos/{owner}/{repo}/collaborators/{username}/permission"}
		s.github.Faults().FailNext(permission, githubsim.Fault{Status: http.StatusInternalServerError, Times: -1})
		s.do("wait 2h")
		require.NotContains(t, strings.Join(s.ours(), "\n"), "merged", stage)
		s.github.Faults().Clear()
		s.do("wait 2h")
		require.Contains(t, strings.Join(s.ours(), "\n"), "merged", stage)
	}
}

// TestEachBatchAsksForTheRightsOfItsOwnSignersT16 takes the right between two batches from somebody who signed off the
// first.
func TestEachBatchAsksForTheRightsOfItsOwnSignersT16(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedBatch)
	s.do("merge #1 by ann", "comment #1 by bob: /approve prod", "check e2e-a success on prod")
	require.Len(t, s.ours(), 2)
	s.secretly("bob", "read")
	s.do("comment #1 by bob: /approve prod")
	require.Contains(t, s.said(1), "that needs write permission")
	require.Contains(t, s.ours()[1], "open")
	s.do("comment #1 by cleo: /approve prod")
	require.Contains(t, s.ours()[1], "merged")
}

// TestALoginThatChangesHandsBetweenTwoQuestionsLendsNoRightsT14 gives the login of somebody who has signed off, and may
// not any more, to somebody who may write, between the question how they are called now and the question what they may.
func TestALoginThatChangesHandsBetweenTwoQuestionsLendsNoRightsT14(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedByOne)
	s.do("merge #1 by ann", "comment #1 by ann: /hold dev lunch --for 1h", "comment #1 by bob: /approve dev")
	s.github.LoseWebhooks(true)
	require.NoError(t, s.github.SetPermission(home, "bob", "read"))
	require.NoError(t, s.github.RenameUser("bob", "robert"))
	s.stranger("bob")
	changed := false
	s.github.Faults().FailNext(githubsim.Route{Path: "/user/{account_id}"}, githubsim.Fault{Times: -1, After: func() {
		if changed {
			return
		}
		changed = true
		require.NoError(t, s.github.RenameUser("robert", "rob"))
		s.stranger("robert")
	}})
	s.do("wait 2h")
	require.True(t, changed)
	require.NotContains(t, strings.Join(s.ours(), "\n"), "merged")
}

// stranger makes a new account of that login that may write.
func (s *site) stranger(login string) {
	s.t.Helper()
	require.NoError(s.t, s.github.CreateUser(login, ownerOf(promotion.Repo(home))))
	require.NoError(s.t, s.github.SetPermission(home, login, "write"))
}

// admittedStages take freight that dev has not verified, in each of the three ways.
const admittedStages = `
-- .github/waybill.yml --
version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [{check: smoke, appear: 90h, timeout: 90h}]}
  pulled: {from: api, after: dev, set: {pulled.yaml: {tag: "${api.number}"}}}
  direct: {from: api, after: dev, commit: direct, set: {direct.yaml: {tag: "${api.number}"}}}
  started: {from: api, after: dev, dispatch: {workflow: deploy.yml}}
-- .github/waybill.policy.yml --
version: 1
automatic: [dev]
may:
  admit: [{permission: write}]
-- .github/workflows/deploy.yml --
name: Deploy
run-name: Deploy (${{ inputs.waybill }})
on: {workflow_dispatch: {inputs: {waybill: {}}}}
`

// TestWhoAdmittedFreightIsAskedForAgainBeforeItArrivesA11 takes the right from somebody who has admitted freight that a
// hold keeps back. The hold ends by the clock, so that no command has rights asked again.
func TestWhoAdmittedFreightIsAskedForAgainBeforeItArrivesA11(t *testing.T) {
	t.Parallel()
	for stage, goes := range map[string]string{"pulled": "waiting-for-merge", "direct": "running", "started": "running"} {
		s := newSite(t, admittedStages)
		s.do("merge #1 by ann", "comment #1 by ann: /hold "+stage+" lunch --for 1h",
			"comment #1 by bob: /admit api#1 "+stage+` --because "the vendor waits"`, "comment #1 by ann: /promote "+stage)
		s.secretly("bob", "read")
		s.do("wait 2h")
		require.Equal(t, []string{"p1 api#1 dev verifying", "p2 api#1 " + stage + " " + goes},
			s.states("dev", promotion.StageName(stage)))
		s.do("comment #1 by cleo: /admit api#1 "+stage+` --because "it still waits"`, "wait 10m")
		require.NotContains(t, s.states("dev", promotion.StageName(stage))[1], goes)
	}
}

// asksTwo is a stage that nothing goes to by itself.
const asksTwo = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}}
-- .github/waybill.policy.yml --
version: 1
automatic: []
`

// TestTheRightOfWhoAskedIsAskedAgainWhenItIsTheTurn takes the right from somebody without a webhook while what he asked
// for waits for the end of a hold (semantics 4.6).
func TestTheRightOfWhoAskedIsAskedAgainWhenItIsTheTurn(t *testing.T) {
	t.Parallel()
	s := newSite(t, asksTwo)
	s.do("merge #1 by ann", "merge #2 by ann", "comment #1 by ann: /hold dev lunch --for 1h",
		"comment #1 by bob: /promote dev", "comment #2 by cleo: /promote dev")
	s.secretly("bob", "read")
	s.do("wait 2h")
	require.Equal(t, []string{"p1 api#1 dev cancelled", "p2 api#2 dev succeeded"}, s.states("dev"))
	require.Contains(t, s.said(1), "`bob`, who asked for it, has no right to any more")
}

// TestOthersPassWhileGitHubCannotSayWhoMay has GitHub fail once when it is asked for the right of who asked first.
func TestOthersPassWhileGitHubCannotSayWhoMay(t *testing.T) {
	t.Parallel()
	s := newSite(t, asksTwo)
	s.do("merge #1 by ann", "merge #2 by ann", "comment #1 by ann: /hold dev lunch --for 1h",
		"comment #2 by bob: /promote dev", "comment #1 by cleo: /promote dev")
	permission := githubsim.Route{Path: "/repos/{owner}/{repo}/collaborators/{username}/permission"}
	s.github.Faults().FailNext(permission, githubsim.Fault{Status: http.StatusInternalServerError, Times: 1})
	s.do("wait 1h")
	require.Contains(t, s.states("dev"), "p2 api#1 dev succeeded")
	require.Contains(t, s.states("dev"), "p1 api#2 dev queued")
	s.do("wait 2m")
	require.Contains(t, s.states("dev"), "p1 api#2 dev succeeded")
}

// TestEachWhoSignsOffCostsTwoQuestionsT16 counts how often GitHub is asked for the rights of each person whose sign-off
// counts: when they give it, and before the merge.
func TestEachWhoSignsOffCostsTwoQuestionsT16(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(twoSignOffs, "approvals: 2", "approvals: 3", 1))
	for _, who := range []promotion.Login{"bob", "cleo", "dana"} {
		require.NoError(t, s.meet(who))
	}
	s.do("merge #1 by ann")
	s.github.ForgetRequests()
	for _, who := range []string{"bob", "cleo", "dana"} {
		s.do("comment #1 by " + who + ": /approve dev")
	}
	require.Contains(t, strings.Join(s.ours(), "\n"), "merged")
	asked := map[string]int{}
	for _, r := range s.github.Requests() {
		if person, is := strings.CutSuffix(r.Path, "/permission"); is {
			asked[person[strings.LastIndex(person, "/")+1:]]++
		}
	}
	require.Equal(t, map[string]int{"bob": 2, "cleo": 2, "dana": 2}, asked)
}
