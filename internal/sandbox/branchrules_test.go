package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/config"
	"waybill/internal/githubsim"
)

// protected returns a site whose main branch has rules from the beginning.
func protected(t *testing.T, pipeline string, rules githubsim.Protection) *site {
	t.Helper()
	s := newSite(t, pipeline)
	s.protect(rules)
	s.do("resync")
	return s
}

// protect gives the main branch rules, which people may bypass. No webhook tells of it.
func (s *site) protect(rules githubsim.Protection) {
	s.t.Helper()
	rules.Bypass = append(rules.Bypass, "ann", "bob")
	require.NoError(s.t, s.github.Protect(home, "main", rules))
}

// questions types a command on the first pull request, and returns the text of the answer as people see it.
func (s *site) questions(command string) string {
	s.t.Helper()
	s.do("comment #1 by ann: " + command)
	_, text := s.answered(1)
	return visible(text)
}

// visible returns Markdown as it shows.
func visible(text string) string {
	return strings.NewReplacer("\u200b", "", "&#96;", "`", "&#40;", "(", "&#41;", ")", "&#58;", ":", "&#45;", "-",
		"&#35;", "#", "&#64;", "@").Replace(text)
}

func TestAMergeMethodIsChosenThatTheRulesAllow(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string]githubsim.Protection{
		"a rule of pull requests": {Methods: []string{"rebase"}},
		"a rule of several":       {Methods: []string{"merge", "rebase"}, Linear: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := protected(t, oneStage, rules)
			s.do("merge #1 by ann", "check smoke success on dev")
			require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
			require.Equal(t, 1, s.merges(), "GitHub refuses nothing")
		})
	}
}

// TestAMergeMethodThatHasJustBeenForbiddenIsReplaced has the rule made after Waybill has read the rules.
func TestAMergeMethodThatHasJustBeenForbiddenIsReplaced(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("wait 1h")
	s.protect(githubsim.Protection{Methods: []string{"rebase"}})
	s.do("merge #1 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, 2, s.merges())
	s.do("merge #2 by ann", "check smoke success on dev")
	require.Equal(t, []string{"p1 api#1 dev succeeded", "p2 api#2 dev succeeded"}, s.states("dev"))
	require.Equal(t, 3, s.merges(), "it is known by now")
}

// TestARestrictedBranchSaysWhoCan has a branch that only a bypass list may change. GitHub refuses the merge with 405 or
// 403, and either waits.
func TestARestrictedBranchSaysWhoCan(t *testing.T) {
	t.Parallel()
	const whoCan = "put the App on the bypass list of ruleset "
	for name, status := range map[string]int{"405": 0, "403": 403} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, oneStage)
			s.do("wait 1h")
			s.protect(githubsim.Protection{Update: true})
			if status != 0 {
				s.github.Faults().FailNext(asked["merge"], githubsim.Fault{
					Status: status, Body: `{"message":"You're not authorized to push to this branch.","documentation_url":"x"}`,
				})
			}
			s.do("merge #1 by ann")
			require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
			require.Contains(t, s.run(1, "dev").Summary, whoCan)
			require.Contains(t, s.questions("/why dev"), whoCan)
			require.Contains(t, s.questions("/status"), whoCan)
			s.do("wait 24h")
			require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
			s.protect(githubsim.Protection{Update: true, Bypass: []string{"waybill[bot]"}})
			s.do("comment #1 by ann: /retry dev", "resync", retry)
			s.passCI(1) // any report on its commit
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
			require.NotContains(t, s.questions("/why dev"), whoCan)
		})
	}
}

func TestAPlanSaysWhatTheRulesOfTheBranchDemand(t *testing.T) {
	t.Parallel()
	s := protected(t, oneStage, githubsim.Protection{
		RequiredChecks: []string{"ci", "waybill / config"}, RequiredReviews: 2,
	})
	s.do("merge #1 by ann")
	plan := s.questions("/plan dev")
	require.Contains(t, plan, "the check `waybill / config` is required, which pull requests of promotions never have")
	require.Contains(t, plan, "its pull request needs 2 approving reviews; /approve gives none")
	require.Contains(t, plan, "merged after these checks have passed, which must run on its branch `waybill/...`: `ci`")
	require.Contains(t, plan, "take this check out of the rule")
	s.protect(githubsim.Protection{})
	s.do("wait 1h")
	require.NotContains(t, s.questions("/plan dev"), "waybill / config", "the rules are read again")
}

// TestAProposedFileIsToldWhatTheRulesWouldStop proposes direct commits, and a method that the rules do not allow.
func TestAProposedFileIsToldWhatTheRulesWouldStop(t *testing.T) {
	t.Parallel()
	s := protected(t, oneStage, githubsim.Protection{RequiredReviews: 1, Methods: []string{"rebase"}})
	propose := func(head, more string) githubsim.CheckRun {
		file := strings.Replace(oneStage, "from: api,", "from: api, "+more+",", 1)
		n, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "Configure", Author: "bob", Head: head,
			Files: map[string]*string{config.PipelinePath: githubsim.Text(file)}})
		require.NoError(t, err)
		s.quiet()
		pull, _ := s.github.Pull(home, n)
		return s.configCheck(pull.HeadSHA)
	}
	run := propose("one", "commit: direct")
	require.Equal(t, "success", run.Conclusion)
	require.Contains(t, visible(run.Summary), "⚠️ `dev`: No promotion gets into acme/deploy@main: "+
		"changes must be made through a pull request: Waybill cannot commit to the branch")
	require.Contains(t, visible(run.Summary), "let the stage be promoted by pull requests, without `commit: direct`")
	require.Contains(t, visible(propose("two", "merge-method: squash").Summary),
		"`merge-method: squash` is not allowed, but rebase")
}

// weights lists how much each rule is in the way.
func weights(rules []api.Rule) (all []string) {
	for _, r := range rules {
		all = append(all, r.Weight)
	}
	return all
}

func TestTheDoctorSaysWhichRulesStopPromotions(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "ops"})[0]
	require.Equal(t, api.StateOK, s.found(s.doctor(token), "rules", home).State)
	s.protect(githubsim.Protection{RequiredChecks: []string{"ci", "waybill / dev"}, RequiredReviews: 1})
	s.do("resync")
	h := s.doctor(token)
	require.Equal(t, api.StateFail, h.State)
	require.Equal(t, []string{
		"fail acme/deploy@main", "warn acme/deploy@main", "warn acme/deploy@main",
	}, findings(h, "rules"))
	first := s.found(h, "rules", home+"@main")
	require.Contains(t, first.Says, "the check `waybill / dev` is required, which only guarded stages report")
	require.Equal(t, "Set `guard: true` in `dev`, or take this check out of the rule", first.Do)
	require.Equal(t, "promotions of dev", first.Off)
	var shown api.Pipeline
	s.get(token, "/api/v1/pipelines/acme/deploy", &shown)
	require.Equal(t, []string{api.RuleStops, "asks people", "takes"}, weights(shown.Stages[0].Rules))
	require.Contains(t, shown.Stages[0].Rules[0].Sentence,
		"No promotion gets into acme/deploy@main: the check `waybill / dev`")

	s.github.Faults().FailNext(githubsim.Route{Path: "/repos/{owner}/{repo}/rules/branches/{branch}"},
		githubsim.Fault{Status: 403, Body: `{"message":"Resource not accessible by integration"}`})
	s.do("resync")
	h = s.doctor(token)
	require.Equal(t, []string{"warn acme/deploy@main"}, findings(h, "rules"))
	require.Contains(t, s.found(h, "rules", home+"@main").Says, "Resource not accessible by integration")
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"), "an unknown rule still binds")
}
