package sandbox

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/store"
)

// takenOver has somebody make a repository with files, and with the name of one that has just been renamed.
func (s *site) takenOver(repo string, files map[string]string) {
	s.t.Helper()
	require.NoError(s.t, s.github.RenameRepo(repo, repo+"-of-old"))
	s.quiet()
	require.NoError(s.t, s.github.CreateRepo(repo, files))
	require.NoError(s.t, s.github.ReachRepo(repo, true))
	s.quiet()
	require.NoError(s.t, s.restart(s.ctx)) // the tokens for the old one end
	s.quiet()
}

// inForce returns the pipeline file that is in force.
func (s *site) inForce() (text string) {
	s.t.Helper()
	s.view(func(tx *store.Tx, id int64) error {
		row, err := tx.Ledger.Pipeline(id)
		text = string(row.Config)
		return err
	})
	return text
}

// fromAPI has freight from acme/api, which allows it.
const fromAPI = `version: 1
warehouses:
  api: {pull-requests: {repo: acme/api, branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.number}"}}, verify: [smoke]}
`

// TestANameThatChangesHandsIsNotFollowedT22 renames a source repository, and makes another one of its name. That one
// allows the pipeline just as well. Nothing of it is taken over until the pipeline file has named it anew.
func TestANameThatChangesHandsIsNotFollowedT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, fromAPI)
	s.pushConfig(fromAPI + "# one\n")
	require.Equal(t, fromAPI+"# one\n", s.inForce())
	files := map[string]string{"src/0": "x\n", ".github/waybill.yml": "version: 1\nallow: [acme/deploy]\n"}
	s.takenOver("acme/api", files)
	sha := s.pushConfig(fromAPI + "# two\n")
	require.Equal(t, "failure", s.configCheck(sha).Conclusion)
	require.Contains(t, s.configCheck(sha).Summary, "acme/api is another repository than it was, with the same name")
	require.Contains(t, s.configCheck(sha).Summary, "take it out of the pipeline file, and name it again")
	s.mergedIn("acme/api")
	s.do("wait 11h") // until a resync has looked, too
	require.Empty(t, s.ours(), "neither a webhook nor a resync makes freight of it")

	s.pushConfig("version: 1\nwarehouses:\n  own: {pull-requests: {branch: main, paths: [src/**]}}\n" +
		"stages:\n  dev: {from: own, set: {dev.yaml: {tag: \"${own.number}\"}}}\n")
	s.pushConfig(fromAPI + "# three\n")
	require.Equal(t, fromAPI+"# three\n", s.inForce())
	s.mergedIn("acme/api")
	require.NotEmpty(t, s.ours())
}

// TestAHomeThatChangesHandsIsNotAllowedT22 renames the repository of a pipeline. Another one of its name is not what
// the source repository allowed, until that allows it anew.
func TestAHomeThatChangesHandsIsNotAllowedT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, fromAPI)
	s.pushConfig(fromAPI + "# one\n")
	require.Equal(t, fromAPI+"# one\n", s.inForce())
	s.takenOver(home, map[string]string{"dev.yaml": "tag: none\n", "README.md": "x\n"})
	sha := s.pushConfig(fromAPI)
	require.Equal(t, "failure", s.configCheck(sha).Conclusion)
	require.Contains(t, s.configCheck(sha).Summary, "acme/deploy is another repository than acme/api allowed")
}

// TestAWorkflowOfARepositoryThatTookTheNameReportsNothingT22 has GitHub vouch for a run of the new repository.
func TestAWorkflowOfARepositoryThatTookTheNameReportsNothingT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, reported)
	require.Equal(t, http.StatusCreated, s.reportAs(s.vouched(nil)).status)
	s.github.LoseWebhooks(true)
	s.takenOver(apiRepo, map[string]string{"src/0": "x\n", ".github/waybill.yml": "version: 1\nallow: [acme/deploy]\n"})
	s.github.LoseWebhooks(false)
	a := s.reportAs(s.vouched(func(*githubsim.WorkflowRun) {}))
	require.Equal(t, http.StatusForbidden, a.status, a.body)
	require.Contains(t, a.body, "another repository with the same name")
}
