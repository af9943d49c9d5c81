package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestNobodyFindsOutAboutARepositoryOfSomebodyElseT22 has another tenant name repositories of acme, which is served and
// private, and of nobody: the answer, the requests that it costs and who pays for them are the same, at once and at
// every later resync. What happens at acme starts nothing there.
func TestNobodyFindsOutAboutARepositoryOfSomebodyElseT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	const tenant = "mallory/x"
	require.NoError(t, s.github.CreateOrg("mallory"))
	require.NoError(t, s.github.CreateRepo(tenant, map[string]string{"dev.yaml": "tag: none\n"}))
	_, err := s.github.InstallApp("mallory", tenant)
	require.NoError(t, err)
	s.quiet()
	requests := func() (all []string) {
		for _, r := range s.github.Requests() {
			all = append(all, fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status))
		}
		s.github.ForgetRequests()
		slices.Sort(all) // installations are looked at side by side
		return all
	}
	type answer struct{ said, cost, later, busy string }
	var answers []answer
	for _, repo := range []string{"acme/warm-up", "acme/deploy", "acme/no-such-repo", "nobody-here/deploy"} {
		s.do("wait 11h") // all regular work is done at once, so that only the answer is counted
		requests()
		sha, err := s.github.PushFiles(tenant, "main", "admin", "x", map[string]*string{
			".github/waybill.yml": githubsim.Text(strings.ReplaceAll(`version: 1
warehouses:
  w: {pull-requests: {repo: REPO, branch: main}}
stages:
  dev: {from: w, set: {dev.yaml: {tag: "${w.number}"}}}
`, "REPO", repo)),
		})
		require.NoError(t, err)
		s.quiet()
		var a answer
		a.cost = strings.Join(requests(), "\n")
		require.NotContains(t, a.cost, "acme")
		require.NotContains(t, a.cost, "nobody-here")
		for _, c := range s.github.CheckRuns(tenant, sha) {
			a.said += strings.ReplaceAll(c.Conclusion+" "+c.Summary, repo, "REPO")
		}
		require.Contains(t, a.said, "REPO is not open to mallory/x")
		_, err = s.github.PushFiles(home, "main", "admin", "x", map[string]*string{
			".github/waybill.yml": githubsim.Text(oneStage + "# for " + repo + "\n"),
		})
		require.NoError(t, err)
		s.quiet()
		for _, r := range requests() {
			if strings.Contains(r, "mallory") {
				a.busy += r + "\n"
			}
		}
		require.NoError(t, s.program.Resync(s.ctx))
		a.later = strings.Join(requests(), "\n")
		answers = append(answers, a)
	}
	for _, a := range answers[1:] {
		require.NotEmpty(t, a.cost)
		require.Equal(t, answers[1], a)
		require.Empty(t, a.busy)
	}
}
