package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// The repositories of two neighbouring pipelines: the home of the second, and a third repository that both use.
const (
	second = "acme/second"
	shared = "acme/shared"
)

// neighbour returns a pipeline that takes freight from acme/api. Both pipelines of a test call their only stage dev.
func neighbour(stage string) string {
	return "version: 1\nallow: [" + second + "]\nwarehouses:\n  api: {pull-requests: {repo: acme/api, branch: main}}\n" +
		"stages:\n  dev: {from: api, " + stage + "}\n"
}

// newNeighbours starts two pipelines: the first at home, with the files that follow it, and the other in the second
// repository. The second may write to the home of the first.
func newNeighbours(t *testing.T, first, other string) *site {
	t.Helper()
	s := newSite(t, first)
	require.NoError(t, s.github.CreateRepo(second, map[string]string{"README.md": "second\n"}))
	require.NoError(t, s.github.ReachRepo(second, true))
	// What allow names means the repository that is there when the file with the name is first read.
	for _, text := range []string{strings.Replace(first, "allow: ["+second+"]\n", "", 1), first} {
		_, err := s.github.PushFiles(home, "main", "admin", "Allow",
			map[string]*string{config.PipelinePath: githubsim.Text(text)})
		require.NoError(t, err)
		s.quiet()
	}
	allow := fmt.Sprintf("version: 1\nallow: [%s, %s]\n", home, second)
	for _, repo := range []string{shared, source} {
		if !slices.Contains(s.github.Repos(), repo) {
			require.NoError(t, s.github.CreateRepo(repo, nil))
			require.NoError(t, s.github.ReachRepo(repo, true))
		}
		files := map[string]*string{config.PipelinePath: githubsim.Text(allow)}
		_, err := s.github.PushFiles(repo, "main", "admin", "Allow", files)
		require.NoError(t, err)
	}
	_, err := s.github.PushFiles(second, "main", "admin", "Promote", map[string]*string{
		config.PipelinePath: githubsim.Text(other), config.PolicyPath: githubsim.Text("version: 1\nautomatic: [\"*\"]\n"),
	})
	require.NoError(t, err)
	for _, who := range []promotion.Login{"ann", "bob"} {
		require.NoError(t, s.meet(who))
	}
	s.quiet()
	require.NotEmpty(t, s.of(second).InForce().Stages, "the second pipeline is in force")
	return s
}

// side is one of two pipelines.
type side struct {
	*site
	row store.PipelineRow
}

func (s *site) of(repo promotion.Repo) side {
	s.t.Helper()
	one := side{site: s}
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) (err error) {
		one.row, err = tx.Pipelines.ByRepo(repo)
		return err
	}))
	return one
}

// InForce returns the pipeline that its files define.
func (s side) InForce() *promotion.Pipeline {
	p, problems := config.Load(config.Sources{
		Home: s.row.Repo, ID: s.row.ID, Branch: s.row.Branch, Pipeline: s.row.Config, Policy: s.row.Policy,
	})
	require.NoError(s.t, problems.Err())
	return p
}

// last returns the last promotion of the pipeline and its attempt.
func (s side) last() (p promotion.Promotion, a promotion.Attempt) {
	s.t.Helper()
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
		all, err := tx.Promotions.Latest(store.StageKey{Pipeline: s.row.ID}, 0, 1)
		require.Len(s.t, all, 1)
		p = all[0]
		if err == nil {
			a, err = tx.Attempts.Of(s.row.ID, p.Number)
		}
		return err
	}))
	return p, a
}

// opened returns the pull request of the pipeline's last promotion, which must be promotion n.
func (s side) opened(n promotion.Number) githubsim.Pull {
	s.t.Helper()
	p, a := s.last()
	require.Equal(s.t, n, p.Number)
	pull, found := s.github.Pull(string(a.Files.Repo), a.Pull)
	require.True(s.t, found, "%s has no pull request", s.row.Repo)
	return pull
}

// state returns the state of the pipeline's last promotion.
func (s side) state() promotion.State {
	p, _ := s.last()
	return p.State
}

// in replaces ID in a name by the pipeline's id.
func (s side) in(name string) string { return strings.ReplaceAll(name, "ID", fmt.Sprint(s.row.ID)) }

// mergedThere merges pull request n of the source repository and returns the merge commit.
func (s *site) mergedThere(n int) string {
	s.t.Helper()
	name := fmt.Sprintf("change-%d", n)
	_, err := s.github.OpenPull(sourceRepo, githubsim.PullSpec{
		Number: n, Title: name, Head: name, Author: "ann", Files: map[string]*string{name: githubsim.Text(name + "\n")},
	})
	require.NoError(s.t, err)
	sha, err := s.github.MergePull(sourceRepo, n, "ann", "squash")
	require.NoError(s.t, err)
	s.quiet()
	return sha
}

// loseAnswers loses the first two replies on each route, so that Waybill has to look up the objects it made.
func (s *site) loseAnswers(routes ...githubsim.Route) {
	for _, route := range routes {
		s.github.Faults().FailNext(route, githubsim.Fault{LoseReply: true, Times: 2})
	}
}

var (
	openPull       = githubsim.Route{Field: "createPullRequest"}
	makeCheckRun   = githubsim.Route{Field: "createCheckRun"}
	makeDeployment = githubsim.Route{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/deployments"}
	writeComment   = githubsim.Route{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"}
)

// TestNeighboursInOneRepositoryAreNotTakenForEachOtherF2F20 has two pipelines take freight from one repository and
// write to another. Their stages and promotions have the same names, and replies are lost, so that names are looked up.
func TestNeighboursInOneRepositoryAreNotTakenForEachOtherF2F20(t *testing.T) {
	t.Parallel()
	for name, into := range map[string]string{"a third repository": shared, "the home of one": home} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stage := `files: {repo: ` + into + `}, set: {%s.yaml: {tag: "${api.number}"}}, merge: manual, ` +
				`verify: [smoke-%[1]s], environment: dev`
			s := newNeighbours(t, neighbour(fmt.Sprintf(stage, "a")), neighbour(fmt.Sprintf(stage, "b")))
			_, err := s.github.PushFiles(into, "main", "admin", "Furnish", map[string]*string{
				"a.yaml": githubsim.Text("tag: none\n"), "b.yaml": githubsim.Text("tag: none\n"),
			})
			require.NoError(t, err)
			s.loseAnswers(openPull, makeCheckRun, makeDeployment)
			sha := s.mergedThere(1)
			s.do(retry)
			a, b := s.of(promotion.Repo(home)), s.of(second)

			// Each pipeline has its own pull request; its branch, marker and commit name the pipeline.
			prefixes, trailers := [2]string{"waybill/@ID/", "waybill/@ID/"}, [2]string{"ID/1", "ID/1"}
			if into == home {
				prefixes[0], trailers[0] = "waybill/", "1"
			}
			for i, one := range []side{a, b} {
				pull := one.opened(1)
				require.Equal(t, one.in(prefixes[i])+"dev/api-1/1", pull.HeadBranch)
				require.Contains(t, pull.Body, one.in("<!-- waybill:promotion=ID/1 -->"))
				_, err := s.github.MergePull(into, pull.Number, "bob", "rebase")
				require.NoError(t, err)
				message := s.messageOf(into, one.opened(1).MergeSHA)
				require.Contains(t, message, one.in("\n\nWaybill-Promotion: "+trailers[i]+"\n"))
				s.quiet()
			}
			require.Len(t, promotionPulls(s.github, into), 2)
			s.do(retry)
			require.Equal(t, []string{"1", "1"}, []string{s.says(into, "main", "a.yaml"), s.says(into, "main", "b.yaml")})

			// Each pipeline has one check run on the source, and one deployment.
			s.checked(into, b.opened(1).MergeSHA, "smoke-b", "failure")
			require.Equal(t, promotion.Verifying, a.state())
			require.Equal(t, promotion.VerificationFailed, b.state())
			s.checked(into, a.opened(1).MergeSHA, "smoke-a", "success")
			require.Equal(t, promotion.Succeeded, a.state())
			require.Equal(t, map[string]string{
				a.in("ID/api#1/dev p1"): "success", b.in("ID/api#1/dev p1"): "failure",
			}, s.shownOn(sha))
			require.Equal(t, map[string]string{
				a.opened(1).MergeSHA: "success", b.opened(1).MergeSHA: "failure",
			}, s.deployedIn(into))

			// The label of the stage that both have is the worse one.
			s.do(retry)
			labelled := func() []string {
				pull, _ := s.github.Pull(source, 1)
				return pull.Labels
			}
			require.Equal(t, []string{"stage/dev:failed"}, labelled())
			s.checked(into, b.opened(1).MergeSHA, "smoke-b", "success")
			s.do(retry)
			require.Equal(t, []string{"stage/dev:ok"}, labelled(), "it is good in both now")
		})
	}
}

// messageOf returns the message of a commit.
func (s *site) messageOf(repo, sha string) string {
	s.t.Helper()
	for _, c := range s.github.Commits(repo, "main") {
		if c.SHA == sha {
			return c.Message
		}
	}
	require.Fail(s.t, "no such commit", sha)
	return ""
}

// checked reports a check run on a commit.
func (s *site) checked(repo, sha, name, conclusion string) {
	s.t.Helper()
	_, err := s.github.CreateCheckRun(repo, githubsim.CheckSpec{
		Name: name, SHA: sha, Suite: "ci", Branch: "main", Conclusion: conclusion,
	})
	require.NoError(s.t, err)
	s.quiet()
}

// shownOn returns the conclusions of Waybill's check runs on a commit of sourceRepo, by their external ids.
func (s *site) shownOn(sha string) map[string]string {
	all := map[string]string{}
	for _, run := range s.github.CheckRuns(sourceRepo, sha) {
		if run.App == "waybill" && run.Name == "waybill / dev" {
			all[run.ExternalID] = run.Conclusion // the newest is the last
		}
	}
	return all
}

// deployedIn returns the states of the deployments of a repository, by their commits.
func (s *site) deployedIn(repo string) map[string]string {
	all := map[string]string{}
	for _, d := range s.github.Deployments(repo) {
		all[d.SHA] += d.State
	}
	return all
}

// TestNeighboursStartWorkflowsInOneRepositoryF2F19 has each pipeline find its own run by the run's name. The conclusion
// of one run does not affect the other pipeline.
func TestNeighboursStartWorkflowsInOneRepositoryF2F19(t *testing.T) {
	t.Parallel()
	for name, into := range map[string]string{"a third repository": shared, "the home of one": home} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stage := `files: {repo: ` + into + `}, dispatch: {workflow: deploy.yml, inputs: {version: "${api.number}"}}`
			workflow := dispatching[strings.Index(dispatching, "name: Deploy"):]
			s := newNeighbours(t, neighbour(stage), neighbour(stage))
			_, err := s.github.PushFiles(into, "main", "admin", "Furnish", map[string]*string{
				".github/workflows/deploy.yml": githubsim.Text(workflow),
			})
			require.NoError(t, err)
			s.quiet()
			s.loseAnswers(startWorkflow, listRuns)
			s.mergedThere(1)
			s.do(retry)
			a, b := s.of(promotion.Repo(home)), s.of(second)
			names := []string{a.in("Deploy 1 (waybill/@ID/dev/1)"), b.in("Deploy 1 (waybill/@ID/dev/1)")}
			if into == home {
				names[0] = "Deploy 1 (waybill/dev/1)"
			}
			runs := map[string]int64{}
			for _, run := range s.github.DispatchedRuns(into) {
				require.Zero(t, runs[run.Title], "it is started once")
				runs[run.Title] = run.ID
			}
			require.ElementsMatch(t, names, slices.Collect(maps.Keys(runs)))
			require.NoError(t, s.github.FinishWorkflow(into, runs[names[1]], "success"))
			s.quiet()
			require.Equal(t, promotion.Verifying, a.state())
			require.Equal(t, promotion.Succeeded, b.state())
			require.NoError(t, s.github.FinishWorkflow(into, runs[names[0]], "failure"))
			s.quiet()
			require.Equal(t, promotion.VerificationFailed, a.state())
			require.Equal(t, promotion.Succeeded, b.state())
		})
	}
}

// TestNeighboursSpeakOnOnePullRequest checks that each pipeline writes its own notices and replies on the pull request.
func TestNeighboursSpeakOnOnePullRequest(t *testing.T) {
	t.Parallel()
	named := func(stage string) string { return strings.Replace(neighbour("%"), "dev: {from: api, %}", stage, 1) }
	s := newNeighbours(t,
		named(`east: {from: api, files: {repo: acme/shared}, set: {a.yaml: {tag: "${api.number}"}}, verify: [smoke]}`),
		named(`west: {from: api, files: {repo: acme/shared}, set: {b.yaml: {tag: "${api.number}"}}, verify: [smoke]}`))
	_, err := s.github.PushFiles(shared, "main", "admin", "Furnish", map[string]*string{
		"a.yaml": githubsim.Text("tag: none\n"), "b.yaml": githubsim.Text("tag: none\n"),
	})
	require.NoError(t, err)
	s.mergedThere(1)
	s.do(retry)
	a, b := s.of(promotion.Repo(home)), s.of(second)
	s.loseAnswers(writeComment)
	for _, one := range []side{a, b} {
		s.checked(shared, one.opened(1).MergeSHA, "smoke", "failure")
	}
	for _, stage := range []string{"east", "west"} {
		_, err := s.github.Comment(source, 1, "ann", "/promote "+stage+" api#99")
		require.NoError(t, err)
		s.quiet()
	}
	s.do(retry)
	for _, one := range []side{a, b} {
		require.Equal(t, promotion.VerificationFailed, one.state())
		for _, marker := range []string{"<!-- waybill:ID/tell/1/verification-failed -->", "<!-- waybill:ID/reply/1 -->"} {
			require.Equal(t, 1, s.saidThere(one.in(marker)), marker)
		}
	}
}

// newSharers starts two pipelines that write to one branch, each its own file. The first waits for the check smoke, the
// second for another; a person merges the second's pull request after the first's.
func newSharers(t *testing.T, other string) (s *site, a, b side) {
	t.Helper()
	stage := `files: {repo: acme/shared}, set: {%s.yaml: {tag: "${api.number}"}}, verify: [%s]`
	s = newNeighbours(t, neighbour(fmt.Sprintf(stage, "a", "smoke")),
		neighbour(fmt.Sprintf(stage, "b", other)+", merge: manual"))
	_, err := s.github.PushFiles(shared, "main", "admin", "Furnish", map[string]*string{
		"a.yaml": githubsim.Text("tag: none\n"), "b.yaml": githubsim.Text("tag: none\n"),
	})
	require.NoError(t, err)
	s.mergedThere(1)
	s.do(retry)
	a, b = s.of(promotion.Repo(home)), s.of(second)
	require.NotEmpty(t, a.opened(1).MergeSHA)
	_, err = s.github.MergePull(shared, b.opened(1).Number, "bob", "squash")
	require.NoError(t, err)
	s.quiet()
	return s, a, b
}

// TestNeighboursAreNotJudgedByEachOthersChecks has two pipelines on one branch wait for checks of one name: each is
// judged by those on its own merge commit (semantics 7.1).
func TestNeighboursAreNotJudgedByEachOthersChecks(t *testing.T) {
	t.Parallel()
	for conclusion, ends := range map[string]promotion.State{
		"failure": promotion.VerificationFailed, "success": promotion.Succeeded,
	} {
		t.Run(conclusion, func(t *testing.T) {
			t.Parallel()
			s, a, b := newSharers(t, "smoke")
			s.checked(shared, b.opened(1).MergeSHA, "smoke", conclusion)
			require.Equal(t, ends, b.state())
			require.Equal(t, promotion.Verifying, a.state(), "that is the second's check")
			s.checked(shared, a.opened(1).MergeSHA, "smoke", "success")
			require.Equal(t, promotion.Succeeded, a.state())
			require.Equal(t, ends, b.state())
		})
	}
}

// TestANeighbourComesToWaitForACheckAndGoes has the second pipeline wait for the first one's check while the first
// verifies, and then have no file any more: from then on the check on a later commit counts, though it came before.
func TestANeighbourComesToWaitForACheckAndGoes(t *testing.T) { // semantics 7.1
	t.Parallel()
	s, a, b := newSharers(t, "other")
	waiting := strings.Replace(string(b.row.Config), "other", "smoke", 1)
	_, err := s.github.PushFiles(second, "main", "admin", "Wait for smoke", map[string]*string{
		config.PipelinePath: githubsim.Text(waiting),
	})
	require.NoError(t, err)
	s.quiet()
	s.checked(shared, b.opened(1).MergeSHA, "smoke", "success")
	require.Equal(t, promotion.Succeeded, b.state())
	require.Equal(t, promotion.Verifying, a.state())
	_, err = s.github.PushFiles(second, "main", "admin", "Leave", map[string]*string{config.PipelinePath: nil})
	require.NoError(t, err)
	s.quiet()
	require.Equal(t, promotion.Succeeded, a.state())
}

// saidThere counts the comments on pull request 1 of the source that carry a marker.
func (s *site) saidThere(marker string) (n int) {
	for _, c := range s.github.Comments(source, 1) {
		if strings.Contains(c.Body, marker) {
			n++
		}
	}
	return n
}

// TestWhatPeopleDoToAPullRequestIsForThePipelineThatOpenedIt although the other pipeline has a stage of that name.
func TestWhatPeopleDoToAPullRequestIsForThePipelineThatOpenedIt(t *testing.T) {
	t.Parallel()
	for name, into := range map[string]string{"a third repository": shared, "the home of one": home} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stage := `files: {repo: ` + into + `}, set: {%s.yaml: {tag: "${api.number}"}}, approvals: 1`
			s := newNeighbours(t, neighbour(fmt.Sprintf(stage, "a")), neighbour(fmt.Sprintf(stage, "b")))
			_, err := s.github.PushFiles(into, "main", "admin", "Furnish", map[string]*string{
				"a.yaml": githubsim.Text("tag: none\n"), "b.yaml": githubsim.Text("tag: none\n"),
			})
			require.NoError(t, err)
			s.mergedThere(1)
			s.do(retry)
			sides := []side{s.of(promotion.Repo(home)), s.of(second)}
			for i, one := range sides {
				other := sides[1-i]
				require.NoError(t, s.github.AddLabel(into, one.opened(1).Number, "ann", "waybill/hold"))
				s.quiet()
				require.Equal(t, []int{1, 0}, []int{one.holds(), other.holds()})
				require.NoError(t, s.github.RemoveLabel(into, one.opened(1).Number, "ann", "waybill/hold"))
				s.quiet()
				require.Zero(t, one.holds())
				before := other.state()
				require.NoError(t, s.github.Review(into, one.opened(1).Number, "bob", "APPROVED", ""))
				s.quiet()
				require.Equal(t, []promotion.State{promotion.Succeeded, before}, []promotion.State{one.state(), other.state()})
			}
		})
	}
}

// holds counts the pipeline's holds that are in force.
func (s side) holds() int {
	s.t.Helper()
	var all []promotion.Hold
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) (err error) {
		all, err = tx.Ledger.Holds(s.row.ID)
		return err
	}))
	return len(all)
}
