package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/githubsim"
	"waybill/promotion"
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
		row, err := tx.Pipelines.ByID(id)
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

// TestANameWithOtherCapitalsIsRefusedWithItsSpelling: GitHub finds acme/api as Acme/API, but its webhooks say acme/api.
func TestANameWithOtherCapitalsIsRefusedWithItsSpelling(t *testing.T) {
	t.Parallel()
	s := newSite(t, fromAPI)
	s.pushConfig(fromAPI + "# one\n")
	for _, other := range []string{"acme/API", "Acme/api"} {
		sha := s.pushConfig(strings.ReplaceAll(fromAPI, "acme/api", other))
		require.Equal(t, "failure", s.configCheck(sha).Conclusion)
		require.Contains(t, s.configCheck(sha).Summary, other+": GitHub spells it acme/api: name it so")
		require.Equal(t, fromAPI+"# one\n", s.inForce())
	}
	s.pushConfig(fromAPI + "# two\n")
	s.mergedIn("acme/api")
	require.NotEmpty(t, s.ours(), "its webhooks are of the pipeline")
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

// written is the pipeline of acme/rollouts, which writes to acme/infra.
const written = `version: 1
warehouses:
  own: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: own, files: {repo: acme/infra}, set: {dev.yaml: {tag: "${own.number}"}}}
`

// TestAHomeThatIsMadeAfterItWasAllowedIsNotAllowedT22 has somebody make the repository that another one allows already:
// nobody there has seen what is in it. A resync and another push there do not change that, but the id does.
func TestAHomeThatIsMadeAfterItWasAllowedIsNotAllowedT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	const infra, rollouts = "acme/infra", "acme/rollouts"
	require.NoError(t, s.github.CreateRepo(infra, map[string]string{
		"dev.yaml": "tag: none\n", ".github/waybill.yml": "version: 1\nallow: [acme/rollouts]\n",
	}))
	require.NoError(t, s.github.ReachRepo(infra, true))
	s.quiet()
	require.NoError(t, s.github.CreateRepo(rollouts, map[string]string{
		".github/waybill.yml": written, ".github/waybill.policy.yml": "version: 1\nautomatic: [\"*\"]\n",
	}))
	require.NoError(t, s.github.ReachRepo(rollouts, true))
	s.quiet()
	said := func() (trouble string) {
		require.NoError(t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
			row, err := tx.Pipelines.ByRepo(rollouts)
			trouble = row.ConfigError
			return err
		}))
		return trouble
	}
	id := s.homes()[rollouts]
	remedy := fmt.Sprintf("write `acme/rollouts:%d` in `allow` of its .github/waybill.yml", id)
	require.Contains(t, said(), "acme/infra allowed acme/rollouts before Waybill could see a repository of that name")
	require.Contains(t, said(), remedy)
	s.do("wait 11h")
	for _, allow := range []string{"[acme/rollouts] # still", "[acme/rollouts:1]"} {
		s.allowAs(infra, "version: 1\nallow: "+allow+"\n")
		s.mergedIn(rollouts)
		require.Contains(t, said(), remedy, allow)
		require.Empty(t, promotionPulls(s.github, infra))
	}
	s.allowAs(infra, fmt.Sprintf("version: 1\nallow: [acme/rollouts:%d]\n", id))
	n := s.mergedIn(rollouts)
	require.Contains(t, promotionPulls(s.github, infra), fmt.Sprintf("Promote own#%d to dev: merged", n))
}

// TestAHomeThatIsMadeAnewIsNotAllowedT22 retires a pipeline that was allowed, and deletes its repository: what is made
// under its name is not what the other one allowed, until that takes the name out and puts it in again.
func TestAHomeThatIsMadeAnewIsNotAllowedT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, fromAPI)
	s.pushConfig(fromAPI + "# one\n")
	require.Equal(t, fromAPI+"# one\n", s.inForce())
	s.pushConfig(oneStage)
	require.Equal(t, oneStage, s.inForce(), "acme/api is named no more")
	require.NoError(t, s.github.DeleteRepo(home))
	s.quiet()
	require.NoError(t, s.github.CreateRepo(home, map[string]string{"dev.yaml": "tag: none\n"}))
	require.NoError(t, s.github.ReachRepo(home, true))
	s.quiet()
	require.NoError(t, s.restart(s.ctx)) // the tokens for the old one end
	s.quiet()
	sha := s.pushConfig(fromAPI)
	require.Equal(t, "failure", s.configCheck(sha).Conclusion)
	require.Contains(t, s.configCheck(sha).Summary, "acme/deploy is another repository than acme/api allowed")
	s.allowAs("acme/api", "version: 1\nallow: []\n")
	s.allowAs("acme/api", "version: 1\nallow: [acme/deploy]\n")
	require.Equal(t, "success", s.configCheck(sha).Conclusion)
}

// allowAs pushes the file of a repository that says whom it allows.
func (s *site) allowAs(repo, file string) {
	s.t.Helper()
	_, err := s.github.PushFiles(repo, "main", "admin", "Allow", map[string]*string{
		".github/waybill.yml": githubsim.Text(file),
	})
	require.NoError(s.t, err)
	s.quiet()
}

// TestATokenOfANameThatChangesHandsOpensNothingThereT22 binds two tokens to a repository by its name, of which one is
// not used before another repository has that.
func TestATokenOfANameThatChangesHandsOpensNothingThereT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	log := &heard{once: make(chan struct{}), word: "opens nothing"}
	s.ctx = zerolog.New(log).WithContext(context.WithoutCancel(s.ctx))
	mine := []promotion.Repo{"Acme/Deploy"}
	secrets := s.withTokens(api.Token{Name: "ops"}, api.Token{Name: "mine", Repos: mine},
		api.Token{Name: "idle", Repos: mine})
	ops, bound, idle := secrets[0], secrets[1], secrets[2]
	status := func(token string) int { return s.api(token, http.MethodGet, pipelinePath).status }
	require.Equal(t, []int{200, 200}, []int{status(ops), status(bound)})
	require.Empty(t, findings(s.doctor(ops), "token"))

	require.NoError(t, s.github.RenameRepo(home, home+"-of-old"))
	s.quiet()
	require.Equal(t, http.StatusNotFound, s.api(bound, http.MethodGet, pipelinePath+"-of-old").status)
	require.Equal(t, []string{"warn idle", "warn mine"}, findings(s.doctor(ops), "token"))
	require.Equal(t, "acme/deploy is called acme/deploy-of-old by now", s.found(s.doctor(ops), "token", "mine").Says)
	require.NoError(t, s.github.RenameRepo(home+"-of-old", home))
	s.quiet()
	require.Equal(t, 200, status(bound), "it is the same one")

	s.takenOver(home, map[string]string{"dev.yaml": "tag: none\n", "README.md": "x\n"})
	s.pushConfig(oneStage)
	require.Equal(t, []int{200, 404, 404}, []int{status(ops), status(bound), status(idle)})
	var page api.Pipelines
	s.get(bound, "/api/v1/pipelines", &page)
	require.Empty(t, page.Pipelines)
	require.Contains(t, log.String(), "another repository has this name by now")
	require.Equal(t, "another repository has the name acme/deploy by now", s.found(s.doctor(ops), "token", "mine").Says)

	made, secret, err := api.NewToken(api.Token{Name: "anew", Repos: mine})
	require.NoError(t, err)
	file, err := os.OpenFile(s.tokens, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = fmt.Fprintln(file, made.Line())
	require.NoError(t, errors.Join(err, file.Close()))
	require.Equal(t, []int{200, 404}, []int{status(secret), status(bound)})
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

// TestAWorkflowOfARepositoryThatTookTheNameOfAHomeReportsNothingT22 has GitHub vouch for a run of the new repository
// before Waybill has heard of that.
func TestAWorkflowOfARepositoryThatTookTheNameOfAHomeReportsNothingT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(reported, "reports: {repo: acme/api}", "reports: {}", 1))
	report := func() answer {
		token := s.vouched(func(run *githubsim.WorkflowRun) { run.Repo = home })
		return s.api(token, http.MethodPost, pipelinePath+"/freight",
			fmt.Sprintf(`{"warehouse": "api", "version": "1.4.2", "commit": %q, "image": "ghcr.io/acme/api", "digest": %q}`,
				s.github.Head(home, "main"), digestOf("a")))
	}
	a := report()
	require.Equal(t, http.StatusCreated, a.status, a.body)
	s.github.LoseWebhooks(true)
	require.NoError(t, s.github.RenameRepo(home, home+"-of-old"))
	require.NoError(t, s.github.CreateRepo(home, map[string]string{"README.md": "x\n"}))
	a = report()
	require.Equal(t, http.StatusForbidden, a.status, a.body)
	require.Contains(t, a.body, "another repository with the same name")
}
