package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

const signedPushes = `version: 1
warehouses:
  api: {pushes: {branch: main, paths: [src/**]}}
stages:
  prod: {from: api, approvals: 1, set: {dev.yaml: {at: "${api.commit}"}}}
`

// address returns the e-mail address by which GitHub knows a person.
func (s *site) address(login string) string {
	s.t.Helper()
	require.NoError(s.t, s.meet(promotion.Login(login)))
	branch := "of-" + login
	_, err := s.github.PushFiles(home, branch, login, "Mine", map[string]*string{"mine": githubsim.Text(login)})
	require.NoError(s.t, err)
	commit := s.v3(login, http.MethodGet, "/git/commits/"+s.github.Head(home, branch), "")
	return commit["author"].(map[string]any)["email"].(string)
}

// forges has eve push a commit of her own to a branch, whose author has another address.
func (s *site) forges(branch, message, address string) {
	s.t.Helper()
	require.NoError(s.t, s.meet("eve"))
	_, err := s.github.PushFiles(home, "work", "eve", "Work",
		map[string]*string{"src/a": githubsim.Text(message + address)})
	require.NoError(s.t, err)
	work := s.v3("eve", http.MethodGet, "/git/commits/"+s.github.Head(home, "work"), "")
	made := s.v3("eve", http.MethodPost, "/git/commits", fmt.Sprintf(
		`{"message":%q,"tree":%q,"parents":[%q],"author":{"name":"Somebody","email":%q,"date":"2026-01-05T09:00:00Z"}}`,
		message, work["tree"].(map[string]any)["sha"], s.github.Head(home, branch), address))
	s.v3("eve", http.MethodPatch, "/git/refs/heads/"+branch, fmt.Sprintf(`{"sha":%q}`, made["sha"]))
}

// waiting is the pull request that waits for sign-offs.
func (s *site) waiting() (pull int) {
	s.t.Helper()
	for _, p := range s.github.Pulls(home) {
		if p.State == "open" && p.Title[:7] == "Promote" {
			pull = p.Number
		}
	}
	require.NotZero(s.t, pull, "nothing waits for a sign-off")
	return pull
}

// signs has a person sign prod off, and returns the answer.
func (s *site) signs(login string) string {
	s.t.Helper()
	pull := s.waiting()
	before := len(s.told(pull))
	s.do(fmt.Sprintf("comment #%d by %s: /approve prod", pull, login))
	if all := s.told(pull); len(all) > before+1 {
		return all[len(all)-1].Body
	}
	return ""
}

// TestWhoPushesUnderTheNameOfSomebodyElseSignsNothingOffT15: Git's author is a text. Neither who pushed nor who is
// named signs it off.
func TestWhoPushesUnderTheNameOfSomebodyElseSignsNothingOffT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPushes)
	s.forges("main", "Better", s.address("bob"))
	s.quiet()
	require.Contains(t, s.signs("eve"), "the author may not do that")
	require.Contains(t, s.signs("bob"), "the author may not do that")
	require.NotContains(t, s.states("prod")[0], "succeeded")
	require.Contains(t, s.signs("cleo"), "cleo has signed off")
	require.Contains(t, s.states("prod")[0], "succeeded")
}

// TestWhileAnAuthorIsUnknownNobodySignsOffT15: an address of no account may be that of whoever signs.
func TestWhileAnAuthorIsUnknownNobodySignsOffT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPushes)
	s.forges("main", "Better", "nobody@example.com")
	s.quiet()
	for _, who := range []string{"eve", "cleo"} {
		answer := s.signs(who)
		if who == "eve" {
			require.Contains(t, answer, "the author may not do that")
			continue
		}
		require.Contains(t, answer, "it is not known who its author is, so nobody may. Promote freight of known accounts")
		require.Contains(t, answer, "the mail address of Somebody in commit")
	}
	require.NotContains(t, s.states("prod")[0], "succeeded")
}

// TestAPolicyThatLeavesOutTheRequesterAloneAsksForNoAuthorT15: the remedy that the refusal names.
func TestAPolicyThatLeavesOutTheRequesterAloneAsksForNoAuthorT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPushes+"-- .github/waybill.policy.yml --\nversion: 1\nautomatic: [prod]\nmay:\n"+
		"  approve: [{permission: write, not: [requester]}]\n")
	s.forges("main", "Better", "nobody@example.com")
	s.quiet()
	require.Contains(t, s.signs("cleo"), "cleo has signed off")
	require.Contains(t, s.states("prod")[0], "succeeded")
}

// TestAPushOfWhichNoWebhookToldIsReadFromGitHubT15 has a resync find a push.
func TestAPushOfWhichNoWebhookToldIsReadFromGitHubT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPushes)
	bob := s.address("bob")
	s.do("lose webhooks")
	s.forges("main", "Better", bob)
	s.do("resync")
	s.github.LoseWebhooks(false)
	s.github.ForgetLost()
	require.Contains(t, s.signs("eve"), "the author may not do that")
	require.NotContains(t, s.states("prod")[0], "succeeded")
	require.Contains(t, s.signs("cleo"), "cleo has signed off")
	require.Contains(t, s.states("prod")[0], "succeeded")
}

const signedPulls = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod: {from: api, approvals: 1, set: {dev.yaml: {tag: "${api.short}"}}}
`

// TestWhoHasACommitInAPullRequestSignsNothingOffT15: neither who opened it, nor who committed to it, nor a co-author,
// nor who merged it, however that was done.
func TestWhoHasACommitInAPullRequestSignsNothingOffT15(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"merge", "squash", "rebase"} {
		s := newSite(t, signedPulls)
		dora := s.address("dora")
		require.NoError(t, s.meet("ann"))
		require.NoError(t, s.meet("fred"))
		number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: "ann", Head: "change",
			Files: map[string]*string{"src/a": githubsim.Text("a")}})
		require.NoError(t, err)
		s.forges("change", "More\n\nCo-authored-by: Dora <"+dora+">", s.address("bob"))
		s.quiet()
		_, err = s.github.MergePull(home, number, "fred", method)
		require.NoError(t, err)
		s.quiet()
		for _, who := range []string{"ann", "bob", "dora", "fred"} {
			require.Contains(t, s.signs(who), "the author may not do that", "%s %s", method, who)
		}
		require.Contains(t, s.signs("cleo"), "cleo has signed off", method)
		require.Contains(t, s.states("prod")[0], "succeeded", method)
	}
}

// TestWhoPushesIntoThePullRequestOfSomebodyElseSignsNothingOffT15: eve pushes a commit under bob's name into the pull
// request of ann, which fred merges. Neither that a later push hides hers, nor that the branch is gone, helps her.
func TestWhoPushesIntoThePullRequestOfSomebodyElseSignsNothingOffT15(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(*site){
		"hers is the last push": func(*site) {},
		"ann pushes later": func(s *site) {
			_, err := s.github.PushFiles(home, "change", "ann", "Later", map[string]*string{"src/b": githubsim.Text("b")})
			require.NoError(s.t, err)
		},
		"the branch is deleted and restored": func(s *site) {
			forged := s.github.Head(home, "change")
			require.NoError(s.t, s.github.DeleteBranch(home, "change", "ann"))
			require.NoError(s.t, s.github.CreateBranch(home, "change", "ann", forged))
			for _, p := range s.github.Pulls(home) {
				require.NoError(s.t, s.github.ReopenPull(home, p.Number, "ann"))
			}
		},
		"ann forces the branch to where eve had it": func(s *site) {
			forged := s.github.Head(home, "change")
			_, err := s.github.PushFiles(home, "change", "ann", "Later", map[string]*string{"src/b": githubsim.Text("b")})
			require.NoError(s.t, err)
			s.v3("ann", http.MethodPatch, "/git/refs/heads/change", fmt.Sprintf(`{"sha":%q,"force":true}`, forged))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, signedPulls)
			bob := s.address("bob")
			s.offered("ann", "fred", func() {
				s.forges("change", "More", bob)
				then(s)
			})
			require.Contains(t, s.signs("eve"), "the author may not do that")
			require.NotContains(t, s.states("prod")[0], "succeeded")
			require.Contains(t, s.signs("cleo"), "cleo has signed off")
			require.Contains(t, s.states("prod")[0], "succeeded")
		})
	}
}

// TestTheAddressOfABotHidesNobodyT15: eve pushes a commit of her own under the name of a bot, to the branch or into the
// pull request of ann.
func TestTheAddressOfABotHidesNobodyT15(t *testing.T) {
	t.Parallel()
	const address = "29139614+renovate[bot]@users.noreply.github.com"
	for name, c := range map[string]struct {
		pipeline string
		forge    func(*site)
	}{
		"to the branch": {signedPushes, func(s *site) { s.forges("main", "Better", address) }},
		"into a pull request": {signedPulls, func(s *site) {
			s.offered("ann", "fred", func() { s.forges("change", "More", address) })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.pipeline)
			c.forge(s)
			s.quiet()
			require.Contains(t, s.signs("eve"), "the author may not do that")
			require.NotContains(t, s.states("prod")[0], "succeeded")
			require.Contains(t, s.signs("cleo"), "cleo has signed off")
			require.Contains(t, s.states("prod")[0], "succeeded")
		})
	}
}

// offered has a person open a pull request from the branch "change", and another one merge it after what others do with
// it. Then the branch is deleted.
func (s *site) offered(by, merger string, change func()) {
	s.t.Helper()
	for _, who := range []string{by, merger} {
		require.NoError(s.t, s.meet(promotion.Login(who)))
	}
	number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: by, Head: "change",
		Files: map[string]*string{"src/a": githubsim.Text("a")}})
	require.NoError(s.t, err)
	change()
	s.quiet()
	_, err = s.github.MergePull(home, number, merger, "squash")
	require.NoError(s.t, err)
	require.NoError(s.t, s.github.DeleteBranch(home, "change", merger))
	s.quiet()
}

// pushedByBot has a bot push a commit under some names to the branch "change".
func (s *site) pushedByBot(as githubsim.Names) {
	s.t.Helper()
	_, err := s.github.PushAs(home, "change", "github-actions[bot]", as, "More",
		map[string]*string{"src/b": githubsim.Text("b")})
	require.NoError(s.t, err)
}

// offeredByBot has a bot open a pull request of its own commit, and bob merge it.
func (s *site) offeredByBot(as githubsim.Names) {
	s.t.Helper()
	s.pushedByBot(as)
	number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: "github-actions[bot]", Head: "change"})
	require.NoError(s.t, err)
	_, err = s.github.MergePull(home, number, "bob", "squash")
	require.NoError(s.t, err)
	s.quiet()
}

// forked has a person open a pull request from their fork, and another one merge it.
func (s *site) forked(public bool) {
	s.t.Helper()
	require.NoError(s.t, s.meet("ann"))
	number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: "ann", Head: "change", Fork: true,
		Files: map[string]*string{"src/a": githubsim.Text("a")}})
	require.NoError(s.t, err)
	require.NoError(s.t, s.github.SetPublic("ann/deploy", public))
	_, err = s.github.MergePull(home, number, "ann", "squash")
	require.NoError(s.t, err)
	s.quiet()
}

// TestWhileWhoPushedIntoAPullRequestIsUnknownNobodySignsOffT15: a bot pushes into the pull request of a person, or from
// a fork that GitHub does not show; what a bot pushes into its own pull request is nobody's who could sign it off.
func TestWhileWhoPushedIntoAPullRequestIsUnknownNobodySignsOffT15(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		offer func(*site)
		says  string // "": it may be signed off
	}{
		"a bot into that of a person": {func(s *site) {
			s.offered("ann", "fred", func() { s.pushedByBot(githubsim.Names{Author: "bob", Committer: "bob"}) })
		}, "and GitHub does not say for whom it acts"},
		"a bot into its own": {func(s *site) { s.offeredByBot(githubsim.Names{}) }, ""},
		"a bot into its own, with another bot": {func(s *site) {
			s.offeredByBot(githubsim.Names{Author: "waybill[bot]", With: "waybill[bot]"})
		}, ""},
		"a bot into its own, as bob": {func(s *site) {
			s.offeredByBot(githubsim.Names{Author: "bob", Committer: "bob"})
		}, ""},
		"a bot into that of a person, as itself": {func(s *site) {
			s.offered("ann", "fred", func() { s.pushedByBot(githubsim.Names{}) })
		}, "and GitHub does not say for whom it acts"},
		"in a private fork": {func(s *site) { s.forked(false) }, "GitHub does not show who pushed to change of ann/deploy"},
		"in a public fork":  {func(s *site) { s.forked(true) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, signedPulls)
			s.address("bob")
			c.offer(s)
			answer := s.signs("cleo")
			if c.says == "" {
				require.Contains(t, answer, "cleo has signed off")
				require.Contains(t, s.states("prod")[0], "succeeded")
				return
			}
			require.Contains(t, answer, c.says)
			require.Contains(t, answer, "it is not known who its pull request's pusher is, so nobody may")
			require.NotContains(t, s.states("prod")[0], "succeeded")
		})
	}
}

// TestACommitOfAnUnknownAddressInAPullRequestStopsSignOffsT15 has one commit of five whose author GitHub does not know.
func TestACommitOfAnUnknownAddressInAPullRequestStopsSignOffsT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPulls)
	require.NoError(t, s.meet("ann"))
	number, err := s.github.OpenPull(home, githubsim.PullSpec{Author: "ann", Head: "change",
		Files: map[string]*string{"src/a": githubsim.Text("a")}})
	require.NoError(t, err)
	s.forges("change", "More", "nobody@example.com")
	_, err = s.github.MergePull(home, number, "ann", "")
	require.NoError(t, err)
	s.quiet()
	require.Contains(t, s.signs("cleo"), "the mail address of Somebody in commit")
	require.NotContains(t, s.states("prod")[0], "succeeded")
}

// TestWhoHasMadeItIsAskedWhenSomebodySignsOffT15 has GitHub not answer at first.
func TestWhoHasMadeItIsAskedWhenSomebodySignsOffT15(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPulls)
	s.do("merge #1 by ann")
	require.True(t, s.handsUnread())
	s.github.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: "/graphql"},
		githubsim.Fault{Status: http.StatusBadGateway, Times: -1})
	require.Contains(t, s.signs("bob"), "GitHub could not be asked; try again in a minute")
	s.github.Faults().Clear()
	s.do("wait 10m")
	require.Contains(t, s.states("prod")[0], "waiting-for-merge")
	require.Contains(t, s.signs("bob"), "bob has signed off")
	require.False(t, s.handsUnread())
	require.Contains(t, s.states("prod")[0], "succeeded")
}

// handsUnread reports whether GitHub was not asked yet who has made the newest freight.
func (s *site) handsUnread() (unread bool) {
	s.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Freight.Newest(pipeline, "api", 1)
		unread = all[0].Hands.Unread
		return err
	})
	return unread
}

// TestWhoMayNotSignOffHasNobodysHandsAskedForT12: it can take as many requests as pull requests went into the freight.
func TestWhoMayNotSignOffHasNobodysHandsAskedForT12(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedPulls)
	require.NoError(t, s.github.CreateUser("mallory"))
	require.NoError(t, s.github.SetPublic(home, true))
	s.do("merge #1 by ann")
	s.types(1, "mallory", "/approve prod")
	s.quiet()
	require.True(t, s.handsUnread())
	require.Contains(t, s.signs("bob"), "bob has signed off")
	require.False(t, s.handsUnread())
}

// TestWhoReportsAVersionDoesNotSignItOffT15: whoever has started the run of the workflow. A token of the server that
// names nobody stands for anybody.
func TestWhoReportsAVersionDoesNotSignItOffT15(t *testing.T) {
	t.Parallel()
	signed := strings.Replace(strings.Replace(reported, "verify: [smoke]", "approvals: 1", 1), "dev:", "prod:", 1)
	s := newSite(t, signed)
	for _, who := range []promotion.Login{"ann", "eve"} {
		require.NoError(t, s.meet(who))
	}
	_, err := s.github.PushFiles(apiRepo, "main", "eve", "Better", map[string]*string{"a": githubsim.Text("a")})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, s.reportAs(s.vouched(nil)).status)
	s.quiet()
	for _, who := range []string{"ann", "eve"} {
		require.Contains(t, s.signs(who), "the author may not do that", who)
	}
	require.Contains(t, s.signs("cleo"), "cleo has signed off")
	require.Contains(t, s.states("prod")[0], "succeeded")

	s = newSite(t, signed)
	token := s.withTokens(api.Token{Name: "ci", Scope: api.Operate})[0]
	require.Equal(t, http.StatusCreated, s.reportAs(token).status)
	s.quiet()
	require.Contains(t, s.signs("cleo"), "it is not known who its reporter is, so nobody may")
	require.Contains(t, s.signs("cleo"), "the token with which it was reported names no person")
}
