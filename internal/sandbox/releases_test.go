package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/internal/story"
)

// apiRepo is the repository in which these tests publish releases.
const apiRepo = "acme/api"

const released = `version: 1
warehouses:
  api: {releases: {repo: acme/api, versions: ">=1.2 <2"}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.tag}"}}, verify: [smoke]}
`

// publish returns a function that publishes a release in the source repository.
func (s *site) publish(tag string) func() error {
	return func() error { return s.github.PublishRelease(apiRepo, "ann", tag, false) }
}

// released publishes a release and waits until Waybill has nothing left to do.
func (s *site) released(tag string) {
	s.t.Helper()
	require.NoError(s.t, s.publish(tag)())
	s.quiet()
}

// sourceRun returns the newest check run of a stage on a commit of the source repository.
func (s *site) sourceRun(sha, stage string) (found githubsim.CheckRun) {
	for _, run := range s.github.CheckRuns(apiRepo, sha) {
		if run.App == "waybill" && run.Name == "waybill / "+stage && run.ID > found.ID {
			found = run
		}
	}
	return found
}

// TestAReleaseEndsAsAMergedPromotionWhetherOrNotItIsToldF4 publishes a release with webhooks, and one without webhooks
// that a resync finds.
func TestAReleaseEndsAsAMergedPromotionWhetherOrNotItIsToldF4(t *testing.T) {
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprint(told), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, released)
			if told {
				s.released("v1.4.2")
			} else {
				s.deaf(s.publish("v1.4.2"))
				s.quiet()
				require.Empty(t, s.states("dev"), "nobody knows")
				s.do("resync")
			}
			require.Equal(t, []string{"p1 api@v1.4.2 dev verifying"}, s.states("dev"))
			require.Equal(t, []string{"Promote api@v1.4.2 to dev: merged"}, s.ours())
			require.Equal(t, "v1.4.2", s.hosts("dev.yaml"))
			require.Equal(t, "waybill/dev/api-v1.4.2/1", s.pull(1).HeadBranch)
			commit := s.github.Head(apiRepo, "main")
			require.Contains(t, s.pull(1).Body, "| `v1.4.2` of acme/api ("+commit+") |")

			s.do("check smoke failure on dev", "resync")
			require.Equal(t, []string{"p1 api@v1.4.2 dev verification-failed"}, s.states("dev"))
			require.Equal(t, "failure", s.sourceRun(commit, "dev").Conclusion, "it is told where its commit is")
			require.Empty(t, s.github.Pulls(apiRepo))
			require.Zero(t, s.github.CountRequests(githubsim.Route{
				Method: "POST", Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments",
			}))
			require.Zero(t,
				s.github.CountRequests(githubsim.Route{Method: "POST", Path: "/repos/{owner}/{repo}/issues/{issue_number}/labels"}))

			s.released("v1.4.3")
			s.do("check smoke success on dev", "resync", "resync")
			require.Equal(t, []string{"p1 api@v1.4.2 dev verification-failed", "p2 api@v1.4.3 dev succeeded"}, s.states("dev"))
		})
	}
}

// TestWhatIsTakenBackIsNoNewFreightAndStaysWhereItIs deletes releases before Waybill has read them, and one whose
// promotion is merged.
func TestWhatIsTakenBackIsNoNewFreightAndStaysWhereItIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, released)
	s.deaf(func() error {
		require.NoError(t, s.publish("v1.4.2")())
		return s.github.DeleteRelease(apiRepo, "v1.4.2")
	})
	s.do("resync")
	require.Empty(t, s.states("dev"))

	s.github.HoldWebhooks()
	require.NoError(t, s.publish("v1.4.3")())
	require.NoError(t, s.github.DeleteRelease(apiRepo, "v1.4.3"))
	s.github.ReleaseWebhooks()
	s.quiet()
	require.Empty(t, s.states("dev"), "it is gone when its webhook is handled")

	s.released("v1.4.4")
	require.NoError(t, s.github.DeleteRelease(apiRepo, "v1.4.4"))
	s.do("check smoke success on dev", "resync")
	require.Equal(t, []string{"p1 api@v1.4.4 dev succeeded"}, s.states("dev"))
	require.Equal(t, "v1.4.4", s.hosts("dev.yaml"))
}

// TestADraftAndAPreReleaseAreFreightOnceTheyAreAFullRelease edits them, with and without webhooks.
func TestADraftAndAPreReleaseAreFreightOnceTheyAreAFullRelease(t *testing.T) {
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprint(told), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, released)
			edit := func(act func() error) {
				if told {
					require.NoError(t, act())
					s.quiet()
					return
				}
				s.deaf(act)
				s.do("wait 1m", "resync")
			}
			edit(func() error { return s.github.PublishRelease(apiRepo, "ann", "v1.4.2", true) })
			edit(func() error { return s.github.DraftRelease(apiRepo, "ann", "v1.4.3") })
			require.Empty(t, s.states("dev"))
			edit(func() error { return s.github.EditRelease(apiRepo, "v1.4.2", false) })
			require.Equal(t, []string{"p1 api@v1.4.2 dev verifying"}, s.states("dev"))
			s.do("check smoke success on dev")
			edit(func() error { return s.github.EditRelease(apiRepo, "v1.4.3", false) })
			require.Equal(t, "p2 api@v1.4.3 dev verifying", s.states("dev")[1])
		})
	}
}

// TestCommandsMeanAReleaseByItsName: a release has no pull request that identifies it.
func TestCommandsMeanAReleaseByItsName(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(released, "verify: [smoke]", "verify: [smoke], queue: fifo", 1)+
		`  prod: {from: api, after: dev, set: {prod.yaml: {tag: "${api.tag}"}}, merge: manual}`+"\n")
	require.NoError(t, s.meet("ann"))
	s.released("v1.4.2")
	commit := s.github.Head(apiRepo, "main")
	_, err := s.github.PushFiles(apiRepo, "main", "ann", "more", map[string]*string{"src/a": githubsim.Text("a\n")})
	require.NoError(t, err)
	s.do("check smoke failure on dev")
	s.released("v1.5.0")
	s.do("check smoke failure on dev")
	require.Equal(t, []string{"p1 api@v1.4.2 dev verification-failed", "p2 api@v1.5.0 dev verification-failed"},
		s.states("dev"))

	require.NoError(t, s.github.PressButton(apiRepo, s.sourceRun(commit, "dev").ID, "ann", "retry"))
	s.quiet()
	require.Equal(t, "p3 api@v1.4.2 dev verifying", s.states("dev")[2],
		"what failed last is not what the button stands on")
	s.do("check smoke success on dev", "comment #1 by ann: /where api@v1.4.2", "comment #1 by ann: /where #1",
		"comment #1 by ann: /promote prod")
	told := slices.DeleteFunc(s.told(1), func(c githubsim.Comment) bool { return c.Author != "waybill[bot]" })
	require.Len(t, told, 3)
	require.Contains(t, told[0].Body, "Verified, there now")
	require.Contains(t, told[1].Body, "I know no freight, merged pull request or commit")
	require.Equal(t, []string{"p4 api@v1.4.2 prod waiting-for-merge"}, s.states("prod"),
		"elsewhere the newest available is meant")
}

func TestTheAPIToldOfAReleaseHasItsTagAndNoNumber(t *testing.T) {
	t.Parallel()
	s := newSite(t, released)
	token := s.withTokens(api.Token{Name: "ci"})[0]
	s.released("v1.4.2")
	var page api.FreightPage
	s.get(token, pipelinePath+"/freight", &page)
	require.Len(t, page.Freight, 1)
	f := page.Freight[0]
	require.Equal(t, []any{"api@v1.4.2", apiRepo, 0, "v1.4.2", "1.4.2", s.github.Head(apiRepo, "main"), "ann"},
		[]any{f.Freight, f.Repo, f.Number, f.Tag, f.Version, f.SHA, f.Author})
	require.Equal(t, story.Start(), f.Merged)
}

// TestATagIsFreightWhetherOrNotItIsTold pushes a tag with webhooks, and one without webhooks that a resync finds.
func TestATagIsFreightWhetherOrNotItIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(released, `releases: {repo: acme/api, versions: ">=1.2 <2"}`,
		"tags: {repo: acme/api, prefix: api/}", 1))
	token := s.withTokens(api.Token{Name: "ci"})[0]
	require.NoError(t, s.github.PushTag(apiRepo, "ann", "api/v1.4.2", "main"))
	s.quiet()
	s.do("check smoke success on dev")
	s.deaf(func() error {
		_, err := s.github.PushFiles(apiRepo, "main", "ann", "more", map[string]*string{"src/a": githubsim.Text("a\n")})
		require.NoError(t, err)
		require.NoError(t, s.github.PushTag(apiRepo, "ann", "api/v1.4.2", "main"))
		return s.github.PushTag(apiRepo, "ann", "api/v1.5.0", "main")
	})
	s.do("wait 1m", "resync", "check smoke success on dev")
	require.Equal(t, []string{"p1 api@api/v1.4.2 dev succeeded", "p2 api@api/v1.5.0 dev succeeded"}, s.states("dev"),
		"the one that has moved is nothing new")
	require.Equal(t, "waybill/dev/api-api-v1.5.0/2", s.pull(2).HeadBranch)
	var page api.FreightPage
	s.get(token, pipelinePath+"/freight", &page)
	require.Len(t, page.Freight, 2, "nor is it more freight")
}

// TestAResyncThatFindsNothingNewAsksForReleasesAndHeadsOnce counts the requests for unchanged warehouses.
func TestAResyncThatFindsNothingNewAsksForReleasesAndHeadsOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(released, "stages:", "  web: {pushes: {repo: acme/api, branch: main}}\nstages:", 1))
	s.released("v1.4.2")
	s.do("check smoke success on dev", "resync")
	queries := githubsim.Route{Method: "POST", Path: "/graphql"}
	heads := githubsim.Route{Method: "GET", Path: "/repos/{owner}/{repo}/git/ref/{ref}"}
	s.github.ForgetRequests()
	require.NoError(t, s.program.ResyncPipeline(s.ctx, s.pipelineRow().ID))
	require.Equal(t, 3, s.github.CountRequests(queries), "one for the releases, one for the signals, one for the rules")
	require.Equal(t, 2, s.github.CountRequests(heads),
		"of the stages' branch and of the warehouse's, which cost nothing unchanged")
	require.Equal(t, []string{"p1 api@v1.4.2 dev succeeded"}, s.states("dev"))
}
