package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// directly is a pipeline of one stage whose promotions are direct commits.
const directly = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, commit: direct, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
`

// These requests make a direct commit, or look for it.
var (
	makeTree   = githubsim.Route{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/git/trees"}
	makeCommit = githubsim.Route{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/git/commits"}
	moveBranch = githubsim.Route{Field: "updateRefs"}
	seeBranch  = githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}/git/ref/{ref}"}
	compare    = githubsim.Route{Method: http.MethodGet, Path: "/repos/{owner}/{repo}/compare/{basehead}"}
)

// committed lists the titles of the promotions' commits on the main branch, the oldest first.
func (s *site) committed() []string {
	s.t.Helper()
	var all []string
	for _, c := range slices.Backward(s.github.Commits(home, "main")) {
		if strings.Contains(c.Message, "Waybill-Promotion: ") {
			title, _, _ := strings.Cut(c.Message, "\n")
			all = append(all, title)
		}
	}
	return all
}

// pushBy returns a function with which a person pushes a file to the main branch.
func (s *site) pushBy(who, path string) func() {
	s.t.Helper()
	require.NoError(s.t, s.meet(promotion.Login(who)))
	return func() {
		_, err := s.github.PushFiles(home, "main", who, "Push "+path, map[string]*string{path: githubsim.Text(path + "\n")})
		require.NoError(s.t, err)
	}
}

// verifiedOnce reports success and requires that #1 is verified in dev, with one commit and no pull request.
func (s *site) verifiedOnce() {
	s.t.Helper()
	s.do("check smoke success on dev", retry)
	require.Equal(s.t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(s.t, []string{"Promote api#1 to dev"}, s.committed())
	require.Equal(s.t, s.source(1), s.hosts("dev.yaml"))
	require.Empty(s.t, s.ours())
	require.Empty(s.t, s.branches())
	require.Empty(s.t, s.told(1))
}

// TestACommitIsMadeOnceWhereverTheProcessDiesF2F20 kills the process before and after each request for a direct commit.
func TestACommitIsMadeOnceWhereverTheProcessDiesF2F20(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]githubsim.Route{"tree": makeTree, "commit": makeCommit, "branch": moveBranch} {
		for _, boundary := range []string{"before", "after"} {
			t.Run(boundary+" the "+name, func(t *testing.T) {
				s := newSite(t, directly)
				s.github.Faults().FailNext(route, s.crash(boundary))
				s.do("merge #1 by ann", retry)
				require.Zero(t, s.github.Faults().Pending())
				s.verifiedOnce()
			})
		}
	}
}

// TestALostAnswerToACommitIsLookedUpF2F19 loses the answer to each of these requests, or has it fail with an error.
func TestALostAnswerToACommitIsLookedUpF2F19(t *testing.T) {
	t.Parallel()
	for name, route := range map[string]githubsim.Route{"tree": makeTree, "commit": makeCommit, "branch": moveBranch} {
		for what, fault := range map[string]githubsim.Fault{
			"lost": {LoseReply: true}, "an error": {Status: http.StatusBadGateway},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				s := newSite(t, directly)
				s.github.Faults().FailNext(route, fault)
				s.do("merge #1 by ann", retry)
				require.Zero(t, s.github.Faults().Pending())
				s.verifiedOnce()
			})
		}
	}
}

// TestACommitIsFoundUnderWhatOthersPushedOnTopF2 loses the answer and has bob push before Waybill looks.
func TestACommitIsFoundUnderWhatOthersPushedOnTopF2(t *testing.T) {
	t.Parallel()
	s := newSite(t, directly)
	s.github.Faults().FailNext(moveBranch, githubsim.Fault{LoseReply: true, After: s.pushBy("bob", "README.md")})
	s.do("merge #1 by ann", retry)
	require.NotEmpty(t, s.promoted(1).MergeSHA)
	require.NotEqual(t, s.github.Head(home, "main"), string(s.promoted(1).MergeSHA))
	require.NotZero(t, s.github.CountRequests(compare))
	s.verifiedOnce()
	readme, _ := s.github.File(home, "main", "README.md")
	require.Equal(t, "README.md\n", readme)
}

// TestASignalThatIsFasterThanTheAnswerCountsF19 has CI report before Waybill knows that the commit is on the branch.
func TestASignalThatIsFasterThanTheAnswerCountsF19(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]githubsim.Fault{"than the answer": {}, "than a lost answer is " +
		"found": {LoseReply: true}} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, directly)
			fault.After = func() {
				_, err := s.github.CreateCheckRun(home, githubsim.CheckSpec{
					Name: "smoke", SHA: s.github.Head(home, "main"), Suite: "ci", Branch: "main", Conclusion: "success",
				})
				require.NoError(t, err)
				require.NoError(t, s.github.Settle(s.ctx))
			}
			s.github.Faults().FailNext(moveBranch, fault)
			s.do("merge #1 by ann", "wait 1m")
			require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
		})
	}
}

// TestNothingEndsACommitThatMayBeThereF2T31 checks that a command that would end the promotion waits until Waybill
// knows whether the commit is on the branch.
func TestNothingEndsACommitThatMayBeThereF2T31(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]githubsim.Fault{
		"it is there":  {LoseReply: true},
		"it is not":    {Status: http.StatusBadGateway},
		"it is killed": {LoseReply: true, After: nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, directly)
			if name == "it is killed" {
				lost = s.crash("after")
			}
			s.github.Faults().FailNext(moveBranch, lost)
			s.github.Faults().FailNext(seeBranch, githubsim.Fault{Status: http.StatusBadGateway, Times: 2})
			s.do("merge #1 by ann", "comment #1 by ann: /hold dev", "comment #1 by ann: /cancel dev")
			require.Equal(t, []string{"p1 api#1 dev running"}, s.states("dev"))
			s.do(retry)
			if name == "it is not" {
				require.Equal(t, []string{"p1 api#1 dev cancelled"}, s.states("dev"))
				require.Empty(t, s.committed())
				return
			}
			require.Equal(t, []string{"p1 api#1 dev verifying"}, s.states("dev"))
			require.Contains(t, s.told(1)[len(s.told(1))-1].Body, "is merged already")
		})
	}
}

// TestTheBranchMovesWhileACommitIsMadeF15 checks that Waybill makes the commit anew and keeps the changes of others.
func TestTheBranchMovesWhileACommitIsMadeF15(t *testing.T) {
	t.Parallel()
	s := newSite(t, directly+"-- beside.yaml --\nx: 1\n")
	s.github.Faults().FailNext(moveBranch, githubsim.Fault{Before: s.pushBy("bob", "beside.yaml")})
	s.github.Faults().FailNext(moveBranch, githubsim.Fault{Before: s.pushBy("bob", "dev.yml")})
	s.do("merge #1 by ann")
	s.verifiedOnce()
	for _, path := range []string{"beside.yaml", "dev.yml"} {
		is, _ := s.github.File(home, "main", path)
		require.Equal(t, path+"\n", is)
	}
	require.Equal(t, 3, s.github.CountRequests(moveBranch))
}

// TestABranchThatNeverRestsEndsACommitF15 checks that the promotion fails after twenty attempts.
func TestABranchThatNeverRestsEndsACommitF15(t *testing.T) {
	t.Parallel()
	s := newSite(t, directly)
	n := 0
	push := s.pushBy("bob", "README.md")
	s.github.Faults().FailNext(moveBranch, githubsim.Fault{Times: -1, Before: func() {
		n++
		_, err := s.github.PushFiles(home, "main", "bob", "Again",
			map[string]*string{"README.md": githubsim.Text(strings.Repeat("x", n))})
		require.NoError(t, err)
	}})
	push()
	s.do("merge #1 by ann", "wait 20m") // it rests before its later rounds
	require.Equal(t, []string{"p1 api#1 dev failed"}, s.states("dev"))
	require.Equal(t, promotion.Conflict, s.promoted(1).Reason.Code)
	require.Equal(t, 20, s.github.CountRequests(moveBranch))
	require.Empty(t, s.committed())
}

// TestAProtectedBranchRefusesACommitWithTheRemedy checks that the promotion fails and names the bypass that the App
// lacks, and that a retry succeeds with it.
func TestAProtectedBranchRefusesACommitWithTheRemedy(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]githubsim.Protection{
		"reviews": {RequiredReviews: 1}, "checks": {RequiredChecks: []string{"ci"}}, "a merge queue": {MergeQueue: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, directly)
			rule.Bypass = []string{"ann"}
			require.NoError(t, s.github.Protect(home, "main", rule))
			s.do("merge #1 by ann", retry)
			p := s.promoted(1)
			require.Equal(t, promotion.Failed, p.State)
			require.Contains(t, p.Reason.Detail, "let the App bypass this rule of branch main")
			require.Contains(t, s.told(1)[0].Body, "bypass")
			require.Empty(t, s.committed())
			rule.Bypass = append(rule.Bypass, "waybill[bot]")
			require.NoError(t, s.github.Protect(home, "main", rule))
			s.do("comment #1 by ann: /retry dev")
			require.Equal(t, s.source(1), s.hosts("dev.yaml"))
		})
	}
}

// TestTwoStagesCommitToOneBranchOneAfterTheOtherF16 checks that no stage overwrites the changes of another.
func TestTwoStagesCommitToOneBranchOneAfterTheOtherF16(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  a: {from: api, commit: direct, set: {a.yaml: {tag: "${api.short}"}}}
  b: {from: api, commit: direct, set: {b.yaml: {tag: "${api.short}"}}}
  c: {from: api, set: {c.yaml: {tag: "${api.short}"}}}
`)
	ended := make(chan error)
	go func() { ended <- s.program.Run(s.program.ctx) }() // more than one worker
	defer func() { s.program.cancel(); require.NoError(t, <-ended) }()
	s.do("merge #1 by ann", retry, "merge #2 by ann", retry)
	for _, path := range []string{"a.yaml", "b.yaml", "c.yaml"} {
		require.Equal(t, s.source(2), s.hosts(path), path)
	}
	require.Len(t, s.committed(), 6)
}

// TestATargetThatIsNotThereCostsNoRoundF16 has two stages plan on one head, of which one has a target without a file.
// Its commit is made on what the other has pushed, for the targets of its plan.
func TestATargetThatIsNotThereCostsNoRoundF16(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  a: {from: api, commit: direct, set: {a.yaml: {tag: "${api.short}"}}}
  b: {from: api, commit: direct, set: {"b/${target.name}.yaml": {tag: "${api.short}"}}, targets: [none, one],
    rollout: [{name: all, at-once: 2}]}
`)
	s.push(map[string]*string{"b/none.yaml": nil})
	s.do("merge #1 by ann", retry)
	require.Equal(t, s.source(1), s.hosts("a.yaml"))
	require.Equal(t, s.source(1), s.hosts("b/one.yaml"))
	require.Equal(t, []string{"Promote api#1 to a", "Promote api#1 to b (all: one)"}, s.committed())
	s.view(func(tx *store.Tx, pipeline int64) error {
		for n := range promotion.Number(2) {
			a, err := tx.Attempts.Of(pipeline, n+1)
			if err != nil {
				return err
			}
			require.Zero(t, a.Late, "p%d", n+1)
		}
		return nil
	})
}

// TestAStageThatChangesItsMindAboutPullRequests changes the pipeline file while promotions are under way.
func TestAStageThatChangesItsMindAboutPullRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.github.Faults().FailNext(routes[promotion.Merge], githubsim.Fault{Status: http.StatusBadGateway})
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev waiting-for-merge"}, s.states("dev"))
	push := func(file string) {
		_, err := s.github.PushFiles(home, "main", "ann", "Pipeline", map[string]*string{".github/waybill.yml": &file})
		require.NoError(t, err)
		s.quiet()
	}
	push(directly)
	s.do(retry)
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours(), "what has a pull request keeps it")
	s.do("check smoke success on dev")
	s.github.Faults().FailNext(moveBranch, githubsim.Fault{Status: http.StatusBadGateway})
	s.do("merge #2 by ann")
	require.Equal(t, promotion.Running, s.promoted(2).State)
	push(oneStage)
	s.do(retry)
	require.Equal(t, []string{"Promote api#1 to dev: merged", "Promote api#2 to dev: merged"}, s.ours())
	require.Equal(t, s.source(2), s.hosts("dev.yaml"))
}

// TestAStageThatIsRemovedWhileItCommitsEndsAfterwardsQ18 checks that Waybill first looks for the commit on the branch.
func TestAStageThatIsRemovedWhileItCommitsEndsAfterwardsQ18(t *testing.T) {
	t.Parallel()
	s := newSite(t, directly+"  prod: {from: api, set: {prod.yaml: {tag: \"${api.short}\"}}}\n")
	s.github.Faults().FailNext(moveBranch, githubsim.Fault{LoseReply: true})
	s.github.Faults().FailNext(seeBranch, githubsim.Fault{Status: http.StatusBadGateway})
	s.do("merge #1 by ann")
	require.Equal(t, promotion.Running, s.promoted(1).State)
	file := strings.Replace(directly, "  dev: {from: api, commit: direct,", "  prod: {from: api,", 1)
	file = strings.Replace(file, "dev.yaml", "prod.yaml", 1)
	_, err := s.github.PushFiles(home, "main", "ann", "Pipeline", map[string]*string{".github/waybill.yml": &file})
	require.NoError(t, err)
	s.do(retry)
	require.Equal(t, promotion.Cancelled, s.promoted(1).State)
	require.NotEmpty(t, s.promoted(1).MergeSHA, "it has arrived")
	require.Len(t, s.committed(), 2)
}

// TestWhatShowsACommitLinksIt checks that the check run, the comment and the API link the commit instead of a pull
// request.
func TestWhatShowsACommitLinksIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, directly)
	s.do("merge #1 by ann", "wait 1m")
	sha := string(s.promoted(1).MergeSHA)
	url := s.github.URL() + "/" + home + "/commit/" + sha
	source, _ := s.github.Pull(home, 1)
	runs := s.github.CheckRuns(home, source.MergeSHA)
	require.Len(t, runs, 1)
	require.Equal(t, "Committed, verifying: waiting for smoke", runs[0].Title)
	require.Contains(t, runs[0].Summary, "Commit: "+url)
	require.Contains(t, s.sticky(1).Body, "[commit]("+url+")")
	s.view(func(tx *store.Tx, pipeline int64) error {
		a, err := tx.Attempts.Of(pipeline, 1)
		require.Equal(t, promotion.Link{What: promotion.OnCommit, URL: url}, a.Link())
		return err
	})
}

// TestACommitOfOursIsNoFreightS77 has a warehouse that takes every push to the branch.
func TestACommitOfOursIsNoFreightS77(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  all: {pushes: {branch: main}}
stages:
  dev: {from: all, commit: direct, set: {dev.yaml: {tag: "${all.short}"}}}
`)
	s.do("push README.md by bob", "resync", "push dev.yaml by bob", "resync")
	require.Len(t, s.states("dev"), 1)
	require.Len(t, s.committed(), 1)
}
