package sandbox

import (
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// asSeen is a text of Waybill as people see it.
func asSeen(text string) string { return strings.ReplaceAll(html.UnescapeString(text), "\u200b", "") }

func TestWhatAStageHasTakenBackIsToldAsThatEverywhere(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("merge #1 by ann", "check smoke success on dev", "merge #2 by ann", "check smoke success on dev", "wait 1m")
	require.Equal(t, []string{"stage/dev:ok"}, s.labels(2))
	require.Equal(t, "success", s.run(2, "dev").Conclusion)
	s.do(`comment #2 by bob: /rollback dev --because "it @burns"`, "check smoke success on dev", "wait 2m")
	const why = "dev went back to api#1 (promotion 3, asked for by bob: it "
	require.Contains(t, asSeen(s.below(2, "ann", "/why prod")), "not verified in dev: "+why)
	require.Contains(t, asSeen(s.below(2, "ann", "/promote prod")), "dev went back to api#1")
	require.Contains(t, asSeen(s.below(2, "ann", "/where")), why)
	s.do("wait 1m")
	require.Equal(t, []string{"stage/dev:was"}, s.labels(2))
	require.Equal(t, []string{"stage/dev:ok"}, s.labels(1))
	require.Contains(t, asSeen(s.sticky(2).Body), "taken back")
	run := s.run(2, "dev")
	require.Equal(t, "neutral", run.Conclusion)
	require.Contains(t, run.Title, "taken back")
	require.Contains(t, asSeen(run.Summary), "Taken back: dev went back to api#1")
	require.NotContains(t, run.Summary, " @burns", "nobody is pinged")
	require.Contains(t, asSeen(s.run(2, "prod").Summary), "dev went back to api#1")

	s.do("comment #1 by ann: /unhold dev", "merge #3 by ann", "check smoke success on dev", "wait 2m")
	require.Equal(t, []string{"stage/dev:ok"}, s.labels(3))
	require.Equal(t, []string{"stage/dev:was"}, s.labels(2), "newer freight changes nothing about it")
	require.Equal(t, run.Title, s.run(2, "dev").Title)
	require.Equal(t, run.Actions, s.run(2, "dev").Actions)
}

func TestEachRejectIsAnsweredByItsOwnFreight(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("grant bob maintain", "merge #1 by ann", "check smoke success on dev", "merge #2 by ann", "wait 1m")
	answers := asSeen(s.below(1, "bob", "/reject api#1 dev --because \"a\"\n/reject api#2 dev --because \"b\""))
	require.Contains(t, answers, "api#1 is rejected in dev.")
	require.Contains(t, asSeen(s.below(2, "bob", `/reject api#2 --because "c"`)), "api#2 is rejected everywhere")
	require.Contains(t, asSeen(s.below(2, "bob", "/unreject api#2 dev")), "api#2 is rejected no more in dev")
	require.Contains(t, asSeen(s.below(2, "bob", "/unreject api#2 dev")), "in all stages; /unreject api#2 lifts that")
}

// TestRejectedFreightIsMarkedWhereItIsShown rejects freight that dev has not verified yet.
func TestRejectedFreightIsMarkedWhereItIsShown(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("grant bob maintain", "merge #1 by ann", `comment #1 by bob: /reject dev --because "it loses orders"`, "wait 1m")
	const title = "Merged, verifying, rejected"
	require.Contains(t, s.run(1, "dev").Title, title)
	require.Contains(t, asSeen(s.run(1, "dev").Summary), "Rejected: `bob` rejected `api#1`: it loses orders.")
	require.Contains(t, asSeen(s.sticky(1).Body), title)
	require.Contains(t, asSeen(s.below(1, "ann", "/why dev")), "Rejected: bob rejected api#1: it loses orders")
	var stage api.StageDetail
	s.get(token, pipelinePath+"/stages/dev", &stage)
	require.Contains(t, stage.Freight[0].Why.Sentence, title)
	require.Contains(t, s.page(s.signedIn("ann", "read"), "/pipelines/"+home+"/stages/dev").body, title)
	s.do("comment #1 by bob: /unreject dev", "wait 1m")
	require.NotContains(t, s.run(1, "dev").Title, "rejected")
}

func TestARejectIsAnsweredInWordsAndToldEverywhere(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("grant bob maintain", "merge #1 by ann", "check smoke success on dev", "wait 1m")
	answer := asSeen(s.below(1, "bob", `/reject dev --because "it loses orders"`))
	require.Contains(t, answer, "api#1 is rejected in dev.")
	require.Contains(t, answer, "it loses orders")
	require.Contains(t, answer, "later freight of api, which contains it.")
	require.Contains(t, answer, "/fixes FREIGHT dev")
	require.Contains(t, answer, "/unreject api#1 dev")
	const why = "dev does not count it as verified (bob rejected api#1: it loses orders)"
	require.Contains(t, asSeen(s.below(1, "ann", "/why prod")), "not verified in dev: "+why)
	require.Contains(t, asSeen(s.below(1, "ann", "/where")), why)
	require.Contains(t, asSeen(s.below(1, "ann", "/status dev")),
		"api#1 (verified, but the stage does not count it as verified")
	s.do("merge #2 by ann", "check smoke success on dev", "wait 1m")
	require.Equal(t, []string{"stage/dev:was"}, s.labels(1), "it has left the stage, which vouches for it no more")
	require.Empty(t, s.labels(2), "it contains api#1")
	require.Contains(t, asSeen(s.run(2, "prod").Summary), why)
	s.do("comment #2 by bob: /reject", "restart")
	answer = asSeen(s.below(2, "ann", "/promote prod"))
	require.Contains(t, answer, "Refused: `bob` rejected `api#1`: it loses orders.")
	require.Contains(t, answer, "Who may lift that, by /unreject or /fixes: people with maintain permission.")
	require.NotContains(t, answer, "/admit", "it does not pass a reject")
	s.do("comment #2 by bob: /fixes dev", "wait 1m")
	require.Equal(t, []string{"stage/dev:ok"}, s.labels(2))
	s.do(`comment #2 by bob: /reject --because "it burns"`)
	require.Contains(t, asSeen(s.below(2, "ann", "/promote prod")), "rejected `api#2`: it burns")
}

func TestDriftUpstreamIsToldDownstream(t *testing.T) {
	t.Parallel()
	s := byHand(t)
	s.do("merge #1 by ann", "check smoke success on dev", "edit dev.yaml tag none by bob", "wait 1m")
	require.Contains(t, asSeen(s.below(1, "ann", "/why prod")),
		"not verified in dev: dev has something else in its files (dev.yaml tag, pushed by bob)")
	require.Contains(t, asSeen(s.below(1, "ann", "/promote prod")), "dev has something else in its files")
	require.Contains(t, asSeen(s.below(1, "ann", "/status dev")), "but the stage has something else in its files")
	require.Empty(t, s.labels(1))
}

// TestTheCommentThatClosesAPullRequestPingsNobody has a rollback upstream, and a reject, end an open promotion: a
// person's text stands in the comment that its pull request is closed with.
func TestTheCommentThatClosesAPullRequestPingsNobody(t *testing.T) { // T11
	t.Parallel()
	for name, stops := range map[string]string{
		"rollback": `comment #2 by bob: /rollback dev --because "@acme/all #1"`,
		"reject":   `comment #2 by bob: /reject api#2 prod --because "@acme/all #1"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, oneStage+`  prod: {from: api, after: dev, set: {prod.yaml: {tag: "${api.short}"}}, merge: manual}
`)
			s.do("grant bob maintain", "merge #1 by ann", "check smoke success on dev", "merge #2 by ann",
				"check smoke success on dev", "wait 1m")
			open := s.pull(4).Number
			s.do(stops, "check smoke success on dev", "comment #1 by ann: /promote prod", "wait 1m")
			said := ""
			for _, c := range s.github.Comments(home, open) {
				if strings.Contains(c.Body, "Closed: ") {
					said = c.Body
				}
			}
			require.Contains(t, asSeen(said), "@acme/all #1")
			require.NotContains(t, said, "@acme")
			require.NotContains(t, said, "#1")
		})
	}
}
