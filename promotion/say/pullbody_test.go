package say

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/golden"
	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// sampleNotes are notes on a promotion of api#146 that brings a number of pull requests and values.
func sampleNotes(pulls, values int) *promotion.Notes {
	n := &promotion.Notes{
		Web:  "https://github.com",
		From: promotion.Landmark{Name: "api#143", Repo: "acme/api", SHA: "aaa"},
		To:   promotion.Landmark{Name: "api#146", Repo: "acme/api", SHA: "bbb"},
		Earned: []promotion.Earned{
			{Stage: "staging", Verdict: promotion.Passed, Since: fixture.Noon.Add(-time.Hour), Soak: 30 * time.Minute},
			{Stage: "qa"},
		},
	}
	for i := range pulls {
		n.Cargo = append(n.Cargo, promotion.Cargo{Name: fmt.Sprintf("api#%d", 146-i), Repo: "acme/api", Pull: 146 - i,
			Title: "Ship it", Author: "ann"})
	}
	n.Cargo[0].Title, n.Cargo[0].Issues = "Ping @acme/all, fixes #1 <img> `x` | y", []string{"acme/api#12"}
	for i := range values {
		n.Edits = append(n.Edits, promotion.Edit{Place: fmt.Sprintf("prod.yaml tag%d", i), Was: "v1.3", Is: "v1.4 | `x`"})
	}
	return n
}

// pullOf is the status of a promotion with notes to a stage that people sign off.
func pullOf(state promotion.State, why promotion.Reason, n *promotion.Notes) promotion.FreightStatus {
	at := promotion.FreightStatus{
		Name: "api#146", Place: promotion.PlaceOpen, Reason: why, Notes: n,
		Promotion: &promotion.Promotion{
			Number: 7, Freight: promotion.FreightRef{Name: "api#146"}, Stage: "prod", Class: promotion.Manual,
			By: fixture.Ann, State: state, Words: "release day, INC-12",
		},
		Stage: promotion.OnePlace(&promotion.Stage{Name: "prod", Policy: promotion.StagePolicy{Approvals: 2}},
			promotion.Target{Verify: []promotion.Matcher{{Kind: promotion.KindCheck, Pattern: "e2e"}}}),
	}
	next := map[promotion.Code]promotion.CommandVerb{promotion.Unapproved: promotion.CmdApprove,
		promotion.Held: promotion.CmdUnhold}
	at.Next = promotion.Command{Verb: next[why.Code], Stage: "prod"}
	if state.Ended() {
		at.Place, at.Promotion.Ended = promotion.PlaceEnded, fixture.Noon
	}
	return at
}

// TestAPullRequestReadsLikeThis writes the texts of promotions' pull requests, for people to read.
func TestAPullRequestReadsLikeThis(t *testing.T) {
	var b strings.Builder
	f := promotion.Freight{Pull: 146, Repo: "acme/api", SHA: "bbb"}
	show := func(what string, at promotion.FreightStatus) {
		fmt.Fprintf(&b, "# %s: %s\n\n%s\n", what, PullTitle(at.Promotion), PullBody(at, f, []string{"prod.yaml"}))
	}
	small, large := sampleNotes(1, 1), sampleNotes(20, 5)
	large.Left = 31
	large.Beside = []promotion.Cargo{{Name: "web#144", Repo: "acme/api", Pull: 144, Title: "Paint it", Author: "bob"}}
	show("opened", pullOf(promotion.Running, promotion.Reason{}, small))
	lacks := promotion.Because(promotion.Unapproved, "1")
	show("much, one sign-off lacks", pullOf(promotion.WaitingForMerge, lacks, large))
	several := pullOf(promotion.WaitingForMerge, lacks, sampleNotes(3, 1))
	several.MakersOut = true
	show("who has made what comes along does not sign it off", several)
	show("held", pullOf(promotion.WaitingForMerge, promotion.Because(promotion.Held, "bob"), sampleNotes(3, 0)))
	merged := pullOf(promotion.Verifying, promotion.Because(promotion.Waiting, "e2e"), small)
	show("merged, and nothing was there before", merged)
	merged.BackTo = "api#143"
	show("merged", merged)
	show("verified", pullOf(promotion.Succeeded, promotion.Reason{}, small))
	failed := promotion.Because(promotion.FailedCheck, "e2e").At("https://github.com/acme/deploy/runs/1")
	show("failed", pullOf(promotion.VerificationFailed, failed, small))
	back := sampleNotes(2, 1)
	back.Back, back.From, back.To = true, back.To, back.From
	back.Answers, back.Cause = 6, &failed
	at := pullOf(promotion.Running, promotion.Reason{}, back)
	at.Name, at.Promotion.Freight.Name = "api#143", "api#143"
	at.Promotion.Class, at.Promotion.By, at.Promotion.Words = promotion.Rollback, promotion.Actor{}, ""
	show("back, by itself", at)
	at.Waived = true
	show("back to what was verified last", at)
	golden.Check(t, "testdata/pullbodies.md", b.String(), "go test ./promotion/say -update")
}

func TestAPullRequestIsToldAgainWhereSomebodyMayLook(t *testing.T) {
	quiet := func(state promotion.State, why promotion.Reason) bool {
		at := pullOf(state, why, nil)
		at.Stage.Policy.Approvals = 0
		return !KeptUpToDate(at)
	}
	require.True(t, quiet(promotion.Running, promotion.Reason{}))
	require.True(t, quiet(promotion.WaitingForMerge, promotion.Because(promotion.Waiting)))
	require.True(t, quiet(promotion.Verifying, promotion.Because(promotion.Waiting, "e2e")))
	require.False(t, quiet(promotion.Succeeded, promotion.Reason{}))
	require.False(t, quiet(promotion.WaitingForMerge, promotion.Because(promotion.Held, "ann")))
	require.True(t, KeptUpToDate(pullOf(promotion.Verifying, promotion.Reason{}, nil)))
}

func TestThereIsNothingToCompareBetweenRepositoriesOrWithoutCommits(t *testing.T) {
	n := sampleNotes(1, 1)
	require.Equal(t, "https://github.com/acme/api/compare/aaa...bbb", Compare(n))
	n.Back = true
	require.Equal(t, "https://github.com/acme/api/compare/bbb...aaa", Compare(n))
	for _, change := range []func(n *promotion.Notes){
		func(n *promotion.Notes) { n.From.Repo = "acme/old" }, func(n *promotion.Notes) { n.From.SHA = "" },
		func(n *promotion.Notes) { n.To.SHA = n.From.SHA }, func(n *promotion.Notes) { n.To.SHA = "" },
		func(n *promotion.Notes) { n.Web = "javascript:x" },
	} {
		n := sampleNotes(1, 1)
		change(n)
		require.Empty(t, Compare(n))
	}
	require.Empty(t, Compare(nil))
}

// TestWhatFailedCanBeOpened looks for the address of the check that failed, in Slack and in the answer to /why.
func TestWhatFailedCanBeOpened(t *testing.T) {
	at := pullOf(promotion.VerificationFailed,
		promotion.Because(promotion.FailedCheck, "e2e").At("https://ci.example/1?a&b"), nil)
	require.Contains(t, CardOf(&promotion.Pipeline{}, at).Small, ", <https://ci.example/1?a&amp;b|details>")
	require.Equal(t, "<https://ci.example/1?a&amp;b|details>", CardLinks(at))
	require.Contains(t, WhyReport(at, promotion.Status{Stage: at.Stage}).Markdown(), "[details](https://ci.example/1?a&b)")
	at.Reason.URL = "javascript:x"
	require.Empty(t, CardLinks(at))
}

// TestTextOfPeopleInNotesPingsNobody T14: neither on GitHub nor in Slack, and closes no issue.
func TestTextOfPeopleInNotesPingsNobody(t *testing.T) {
	at := pullOf(promotion.WaitingForMerge, promotion.Because(promotion.Unapproved, "1"), sampleNotes(1, 1))
	at.Promotion.Words = "@here <!channel> closes #5"
	card := CardOf(&promotion.Pipeline{}, at)
	require.NotContains(t, card.Body, "<!channel>")
	require.NotContains(t, card.Body, "@here")
	require.Contains(t, card.Body, "api#\u200b143 → api#\u200b146 "+
		"(<https://github.com/acme/api/compare/aaa...bbb|compare>)")
	for _, text := range []string{
		PullBody(at, promotion.Freight{}, nil), Summary(at, "prod"),
		PlanReport(at, promotion.Status{Stage: at.Stage}, nil, promotion.Plan{Notes: at.Notes}).Markdown(),
	} {
		require.NotContains(t, text, "@acme")
		require.NotContains(t, text, "@here")
		require.NotContains(t, text, " #5")
		require.NotContains(t, text, "<img>")
	}
}

func TestAPlanSaysWhereTheStageWouldGo(t *testing.T) {
	at := pullOf(promotion.Queued, promotion.Reason{}, sampleNotes(1, 1))
	said := func(n *promotion.Notes) string {
		return strings.Join(PlanReport(at, promotion.Status{Stage: at.Stage}, nil, promotion.Plan{Notes: n}).Notes, "\n")
	}
	require.Contains(t, said(at.Notes), "The stage would go from api#143 → api#146")
	same := *at.Notes
	same.From = promotion.Landmark{Name: "api#146"}
	require.Contains(t, said(&same), "The stage has api#146 already")
	same.From = promotion.Landmark{}
	require.NotContains(t, said(&same), "The stage")
}

func TestAStepSaysWhatVerifiesItsOwnTargets(t *testing.T) {
	check := func(name string) []promotion.Matcher {
		return []promotion.Matcher{{Kind: promotion.KindStatus, Pattern: name}}
	}
	s := &promotion.Stage{Name: "prod", Targets: []promotion.Target{
		{Name: "eu", Verify: check("argocd/eu")}, {Name: "us", Verify: check("argocd/us")},
	}}
	p := &promotion.Promotion{Rollout: &promotion.Rollout{Targets: []promotion.TargetName{"eu"}}}
	require.Equal(t, "status `argocd/eu`", verifiers(s, p))
	require.Equal(t, "status `argocd/eu`, status `argocd/us`", verifiers(s, &promotion.Promotion{}), "it has not begun")
	require.Empty(t, verifiers(nil, p))
}
