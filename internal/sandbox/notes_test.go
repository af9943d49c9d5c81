package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
)

// signedStages is a pipeline whose second stage people promote into and sign off.
const signedStages = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
  prod:
    from: api
    after: {all: [dev], soak: 1m}
    set: {prod.yaml: {tag: "${api.number}"}}
    verify: [e2e]
    approvals: 1
-- .github/waybill.policy.yml --
version: 1
automatic: [dev]
`

// plainText takes the address of the simulator out of a text, and the characters that keep people from being pinged.
func (s *site) plainText(text string) string {
	text = strings.ReplaceAll(text, s.github.URL(), "https://github.test")
	for _, sha := range []int{1, 2, 3, 4, 5} {
		if p, there := s.github.Pull(home, sha); there && p.MergeSHA != "" {
			text = strings.ReplaceAll(text, p.MergeSHA, fmt.Sprintf("commit%d", sha))
		}
	}
	return strings.ReplaceAll(text, "\u200b", "")
}

// ship merges a pull request that closes an issue, and has the first stage verify it.
func (s *site) ship(n int) {
	s.t.Helper()
	s.mergeFile(n, fmt.Sprintf("Ship @acme/%d", n), fmt.Sprintf("src/%d.go", n))
	s.do("check smoke success on dev", "wait 2m")
}

// mergeFile merges a pull request with one file.
func (s *site) mergeFile(n int, title, path string) {
	s.t.Helper()
	_, err := s.github.OpenPull(home, githubsim.PullSpec{
		Number: n, Title: title, Body: fmt.Sprintf("Fixes #%d0", n), Author: "dora",
		Files: map[string]*string{path: githubsim.Text("x")},
	})
	require.NoError(s.t, err)
	_, err = s.github.MergePull(home, n, "dora", "squash")
	require.NoError(s.t, err)
	s.quiet()
	s.do("wait 1m")
}

// TestAPullRequestSaysWhatItBringsWhyItWaitsAndHowItEnded follows promotions of a stage that people sign off, by what
// those see who are to sign.
func TestAPullRequestSaysWhatItBringsWhyItWaitsAndHowItEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t, signedStages)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.ship(1)
	s.do("comment #1 by bob: /promote prod", "comment #1 by cleo: /approve prod", "check e2e success on prod", "wait 1m")
	require.Contains(t, s.pull(2).Body, "**`prod`** gets **`api#1`**.", "nothing is known of what was there")
	for n := 2; n <= 5; n++ {
		s.ship(n)
	}

	s.do("comment #5 by bob: /plan prod")
	plan := s.plainText(s.said(5))
	for _, part := range []string{
		"The stage would go from api&#35;1 → api&#35;5\n",
		"Brings 4 pull requests&#58; api&#35;5 Ship &#64;acme/5, by dora, about acme/deploy&#35;50; api&#35;4 Ship",
		"| prod.yaml tag | 1 | 5 |", "verified in dev since 2026",
		"[compare](https://github.test/acme/deploy/compare/commit1...commit5)",
	} {
		require.Contains(t, plan, strings.Replace(part, "| prod.yaml tag | 1", "| prod.yaml | tag | 1", 1))
	}

	s.do(`comment #5 by bob: /promote prod --because "release day"`)
	body := func() string { return s.plainText(s.newestBody()) }
	opened := body()
	require.Equal(t, "**`prod`** goes from `api#1` to **`api#5`** "+
		"([compare](https://github.test/acme/deploy/compare/commit1...commit5)).\n\n"+
		"**Changes in the application:** 4 files and 4 lines in `src`.\n\n"+
		"| Value | Now | Then |\n|---|---|---|\n| `prod.yaml tag` | `1` | `5` |\n\n"+
		"**What happens:** a person signs it off, then Waybill merges it as soon as GitHub lets it; "+
		"then it is verified by check `e2e`.  \nAsked for by `bob`: release day.  \n"+
		"Whoever had a hand in `api#5`, `api#4`, `api#3` or `api#2` may not sign it off.  \n"+
		"**When this was planned:** verified in `dev` since 2026-01-05 09:14 UTC (must soak there for 1m).\n\n"+
		"Next:\n```\n/approve prod\n```\n\n"+
		"<details><summary>Brings 4 pull requests</summary>\n\n"+
		"- [`api#5`](https://github.test/acme/deploy/pull/5) Ship &#64;acme/5, by `dora`, "+
		"about [`acme/deploy#50`](https://github.test/acme/deploy/issues/50)\n", before(opened, "- [`api#4`]"))
	check := s.checkOnHead()
	require.Contains(t, check, "**`prod`** goes from `api#1` to **`api#5`**")
	require.Contains(t, check, "Brings 4 pull requests:\n\n- [`api#5`]")
	const risk = "4 files and 4 lines in `src`"
	require.Contains(t, check, "Changes in the application: "+risk+".")
	require.Contains(t, asSeen(plan), "Changes in the application: 4 files and 4 lines in src")
	require.Contains(t, check, "When this was planned: verified in `dev` since")
	require.Contains(t, check, "asked for by bob: release day.")
	var one api.PromotionDetail
	s.get(token, pipelinePath+"/promotions/7", &one)
	require.Equal(t, []string{"api#1", "api#5", "Promote api#5 to prod", "Asked for by bob: release day"},
		[]string{one.Notes.From, one.Notes.To, one.Notes.Title, one.Notes.Origin})
	require.Equal(t, []api.Edit{{Place: "prod.yaml tag", Was: "1", Is: "5"}}, one.Notes.Edits)
	require.Equal(t, []string{"acme/deploy#50"}, one.Notes.Cargo[0].Issues)
	require.Len(t, one.Notes.Cargo, 4)

	s.do("comment #5 by ann: /hold prod lunch", "wait 1m")
	require.Contains(t, body(), "**Now:** 🔒 `ann` holds the stage")
	require.Contains(t, body(), "```\n/unhold prod\n```")
	s.do("comment #5 by ann: /unhold prod", "comment #5 by cleo: /approve prod")
	require.Contains(t, body(), "**Now:** ⏳ it is merged, and is verified by check `e2e`.")
	s.do("check e2e failure on prod", "wait 1m")
	require.Contains(t, body(), "**Outcome:** ❌ Verification failed at 2026-01-05 09:")
	require.Contains(t, body(), ": `e2e` failed ([see](https://github.test/")
	require.Contains(t, body(), "```\n/rollback prod\n```")
	require.True(t, strings.HasPrefix(body(), before(opened, "**What happens:**")), "what it brings stays as it was")

	s.do(`comment #5 by bob: /rollback prod --because "latency doubled"`)
	require.Contains(t, s.ours(), "Roll back prod to api#1: merged", "what was verified last needs no sign-offs")
	require.Contains(t, body(), "**`prod`** goes back from `api#5` to **`api#1`** "+
		"([what is taken away](https://github.test/acme/deploy/compare/commit1...commit5)).")
	require.Contains(t, body(), "Asked for by `bob`: latency doubled.")
	require.Contains(t, body(), "<summary>Takes 4 pull requests away</summary>")
}

// before returns what stands in a text before a part of it.
func before(text, part string) string {
	start, _, _ := strings.Cut(text, part)
	return start
}

// newestBody is the text of the newest pull request of a promotion.
func (s *site) newestBody() string {
	pulls := s.github.Pulls(home)
	return pulls[len(pulls)-1].Body
}

// checkOnHead is the summary of the check run on the newest pull request of a promotion.
func (s *site) checkOnHead() string {
	pulls := s.github.Pulls(home)
	for _, run := range s.github.LatestCheckRuns(home, pulls[len(pulls)-1].HeadSHA) {
		if run.Name == "waybill / prod" {
			return run.Summary
		}
	}
	return ""
}

// TestWhatOtherWarehousesHaveTakenFromTheSameCommitsRidesAlong promotes past a pull request that is freight of another
// warehouse only.
func TestWhatOtherWarehousesHaveTakenFromTheSameCommitsRidesAlong(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
  docs: {pull-requests: {branch: main, paths: [docs/**]}}
stages:
  dev: {from: api, merge: manual, set: {dev.yaml: {tag: "${api.short}"}}}
  web: {from: docs, set: {web.yaml: {tag: "${docs.short}"}}}
`)
	s.mergeFile(1, "Ship it", "src/a.go")
	s.do("merge p1 by bob")
	s.mergeFile(2, "Explain it", "docs/a.md")
	s.mergeFile(3, "Ship more", "src/b.go")
	body := s.plainText(s.newestBody())
	require.Contains(t, body, "**`dev`** goes from `api#1` to **`api#3`**")
	const about3, about2 = "[`acme/deploy#30`](https://github.test/acme/deploy/issues/30)",
		"[`acme/deploy#20`](https://github.test/acme/deploy/issues/20)"
	require.Contains(t, body, "Brings 1 pull request, and 1 of other warehouses in the same commits</summary>\n\n"+
		"- [`api#3`](https://github.test/acme/deploy/pull/3) Ship more, by `dora`, about "+about3+
		"\n\nOf other warehouses, in the same commits:\n\n"+
		"- [`docs#2`](https://github.test/acme/deploy/pull/2) Explain it, by `dora`, about "+about2+"\n")
	require.Contains(t, body, "**What happens:** a person merges it.")
}

// TestTheTextOfAPullRequestCostsNoRequestOfItsOwn counts, on a hop that needs nobody, how often the text is sent: once,
// with the check run that says the same.
func TestTheTextOfAPullRequestCostsNoRequestOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage+"comments: false\n")
	s.hearsOnce()
	s.do("merge #1 by ann", "check smoke success on dev")
	s.github.ForgetRequests()
	s.do("merge #2 by ann", "check smoke success on dev")
	texts := 0
	for _, r := range s.github.Requests() {
		for _, field := range r.Fields {
			if field == "updatePullRequest" {
				texts++
				require.Contains(t, strings.Join(r.Fields, " "), "CheckRun")
			}
		}
	}
	require.Equal(t, 1, texts)
	require.Contains(t, s.pull(2).Body, "**Outcome:** ✅ Verified at")
	s.atMost(intake + hop)
}
