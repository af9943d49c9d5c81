package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/promotion"
	"waybill/store"
)

// home is the repository of most tests. It holds the pipeline, the stages' files and the sources.
const home = string(story.Home)

// oneStage is a pipeline of one stage that a check verifies.
const oneStage = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
`

// site is a World in which a test can also cause faults that stories do not express.
type site struct {
	*World
	t   *testing.T
	ctx context.Context
}

// newSite starts GitHub and the whole program on a pipeline. Each violation of GitHub's API description fails the test.
// GitHub is strict: rules bind Waybill on the default branches, and ETags depend on the token. With WAYBILL_TEST_NOISE
// (make noise) some webhooks come twice, and other Apps leave suites behind. Stories have all of that, and their
// webhooks in any order.
func newSite(t *testing.T, pipeline string) *site {
	t.Helper()
	if !strings.HasPrefix(pipeline, "-- ") {
		pipeline = "-- .github/waybill.yml --\n" + pipeline
	}
	s, err := story.Parse(t.Name(), []byte(pipeline+"-- story --\n"))
	require.NoError(t, err)
	ctx := t.Context()
	if os.Getenv("WAYBILL_TEST_LOG") != "" {
		ctx = zerolog.New(zerolog.NewTestWriter(t)).WithContext(ctx)
	}
	w, err := NewWorld(context.WithoutCancel(ctx), s, t.TempDir(), func(violation error) { t.Error(violation) })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	days := []githubsim.Profile{githubsim.Strict}
	if os.Getenv("WAYBILL_TEST_NOISE") != "" {
		days = append(days, githubsim.Noisy)
	}
	w.github.BehaveInOrder(1, days...)
	return &site{World: w, t: t, ctx: ctx}
}

// hearsOnce has GitHub tell of each event once: for tests that count what is told or asked.
func (s *site) hearsOnce() { s.Behave(1, string(githubsim.Strict)) }

// do plays happenings, written as in stories, and waits for the consequences of each.
func (s *site) do(happenings ...string) {
	s.t.Helper()
	for _, h := range happenings {
		parsed, err := story.Parse(h, []byte("-- story --\n> "+h+"\n"))
		require.NoError(s.t, err)
		_, err = s.Do(s.ctx, parsed.Steps[0].Happening)
		require.NoError(s.t, err, h)
	}
}

// quiet waits until all work is done, except work that waits for the clock.
func (s *site) quiet() {
	s.t.Helper()
	_, err := s.rest(s.ctx)
	require.NoError(s.t, err)
}

// retry is a wait that covers every retry after a fault, and is shorter than any wait of a stage.
const retry = "wait 10m"

// states lists the promotions of the stages with their states: "p1 api#1 dev succeeded".
func (s *site) states(stages ...promotion.StageName) []string {
	s.t.Helper()
	var all []string
	s.view(func(tx *store.Tx, pipeline int64) error {
		for _, stage := range stages {
			some, err := tx.Promotions.Latest(store.StageKey{Pipeline: pipeline, Stage: stage}, 0, 100)
			if err != nil {
				return err
			}
			for i := len(some) - 1; i >= 0; i-- {
				p := some[i]
				all = append(all, fmt.Sprintf("p%d %s %s %s", p.Number, p.Freight.Name, stage, p.State))
			}
		}
		return nil
	})
	return all
}

// view reads the program's database.
func (s *site) view(read func(tx *store.Tx, pipeline int64) error) {
	s.t.Helper()
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
		row, err := tx.Pipelines.ByRepo(story.Home)
		if err != nil {
			return err
		}
		return read(tx, row.ID)
	}))
}

// ours lists the promotions' pull requests with their states at GitHub: "Promote api#1 to dev: merged".
func (s *site) ours() []string { return promotionPulls(s.github, home) }

// promotionPulls lists the pull requests that the App under test has opened in a repository, with their states.
func promotionPulls(github *githubsim.Server, repo string) []string {
	var all []string
	for _, p := range github.Pulls(repo) {
		if strings.HasPrefix(p.HeadBranch, "waybill/") {
			all = append(all, p.Title+": "+p.State)
		}
	}
	return all
}

// pull returns the pull request of a promotion.
func (s *site) pull(n promotion.Number) githubsim.Pull {
	s.t.Helper()
	repo, number, err := s.pullOf(s.ctx, n)
	require.NoError(s.t, err)
	pull, found := s.github.Pull(repo, number)
	require.True(s.t, found)
	return pull
}

// branches lists the branches of promotions.
func (s *site) branches() []string {
	var all []string
	for _, b := range s.github.Branches(home) {
		if strings.HasPrefix(b, "waybill/") {
			all = append(all, b)
		}
	}
	return all
}

// hosts returns the short commit in a stage's file.
func (s *site) hosts(path string) string {
	text, _ := s.github.File(home, "main", path)
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(text), "tag:"), " \"")
}

// source returns the short merge commit of the source pull request n.
func (s *site) source(n int) string {
	p, _ := s.github.Pull(home, n)
	return fmt.Sprintf("%.7s", p.MergeSHA)
}

// merges counts the requests to merge a pull request.
func (s *site) merges() int { return s.github.CountRequests(routes[promotion.Merge]) }

// told lists the comments on a pull request, except the status comment.
func (s *site) told(n int) []githubsim.Comment {
	return slices.DeleteFunc(s.github.Comments(home, n), func(c githubsim.Comment) bool { return isSticky(c) })
}

// sticky returns the status comment on a pull request, or the zero value without one.
func (s *site) sticky(n int) (sticky githubsim.Comment) {
	s.t.Helper()
	for _, c := range s.github.Comments(home, n) {
		if isSticky(c) {
			require.Zero(s.t, sticky.ID, "there is one only")
			sticky = c
		}
	}
	return sticky
}

func isSticky(c githubsim.Comment) bool {
	return c.Author == "waybill[bot]" && strings.Contains(c.Body, "<!-- waybill:status -->")
}

// promoted returns a promotion from the database.
func (s *site) promoted(n promotion.Number) (p promotion.Promotion) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) (err error) {
		p, err = tx.Promotions.ByNumber(pipeline, n)
		return err
	})
	return p
}

// routes maps an effect to its request at GitHub.
var routes = map[promotion.Verb]githubsim.Route{
	promotion.Observe: {Field: "repository"},
	promotion.Open:    {Field: "createPullRequest"},
	promotion.Merge:   {Method: http.MethodPut, Path: "/repos/{owner}/{repo}/pulls/{pull_number}/merge"},
	promotion.Tell:    {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"},
}

// crash returns a fault that kills the program before GitHub carries out a request, or after that and before the answer
// arrives.
func (s *site) crash(boundary string) githubsim.Fault {
	kill := s.kill
	if boundary == "before" {
		return githubsim.Fault{Before: kill, Status: http.StatusBadGateway}
	}
	return githubsim.Fault{After: kill, LoseReply: true}
}
