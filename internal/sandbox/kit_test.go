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

// The repository of most tests here: it holds the pipeline, the stages' files and the sources.
const home = string(story.Home)

// oneStage is a pipeline of one stage that a check verifies.
const oneStage = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
`

// site is a world in which a test can also break things that no story tells of.
type site struct {
	*World
	t   *testing.T
	ctx context.Context
}

// newSite starts GitHub and the whole program on a pipeline. Whatever GitHub's own description forbids fails the test.
func newSite(t *testing.T, pipeline string) *site {
	t.Helper()
	s, err := story.Parse(t.Name(), []byte("-- .github/waybill.yml --\n"+pipeline+"-- story --\n"))
	require.NoError(t, err)
	ctx := t.Context()
	if os.Getenv("WAYBILL_TEST_LOG") != "" {
		ctx = zerolog.New(zerolog.NewTestWriter(t)).WithContext(ctx)
	}
	w, err := NewWorld(context.WithoutCancel(ctx), s, t.TempDir(), func(violation error) { t.Error(violation) })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return &site{World: w, t: t, ctx: ctx}
}

// do makes things happen that are written as stories write them, each with everything that follows from it.
func (s *site) do(happenings ...string) {
	s.t.Helper()
	for _, h := range happenings {
		parsed, err := story.Parse(h, []byte("-- story --\n> "+h+"\n"))
		require.NoError(s.t, err)
		_, err = s.Do(s.ctx, parsed.Steps[0].Happening)
		require.NoError(s.t, err, h)
	}
}

// quiet waits until nothing is left to do but what waits for a clock.
func (s *site) quiet() {
	s.t.Helper()
	_, err := s.rest(s.ctx)
	require.NoError(s.t, err)
}

// retry is long enough for every retry of a fault that is over, and shorter than any wait of a stage.
const retry = "wait 10m"

// states lists every promotion of the stages and where it is: "p1 api#1 dev succeeded".
func (s *site) states(stages ...promotion.StageName) []string {
	s.t.Helper()
	var all []string
	s.view(func(tx *store.Tx, pipeline int64) error {
		for _, stage := range stages {
			some, err := tx.Ledger.Promotions(store.StageKey{Pipeline: pipeline, Stage: stage}, 0, 100)
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

// view reads the database of the program.
func (s *site) view(read func(tx *store.Tx, pipeline int64) error) {
	s.t.Helper()
	require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) error {
		row, err := tx.Ledger.PipelineByRepo(story.Home)
		if err != nil {
			return err
		}
		return read(tx, row.ID)
	}))
}

// ours lists the promotions' pull requests as GitHub has them: "Promote api#1 to dev: merged".
func (s *site) ours() []string { return promotionPulls(s.github, home) }

// promotionPulls lists the pull requests that the App under test has opened in a repository, whatever became of them.
func promotionPulls(github *githubsim.Server, repo string) []string {
	var all []string
	for _, p := range github.Pulls(repo) {
		if strings.HasPrefix(p.HeadBranch, "waybill/") {
			all = append(all, p.Title+": "+p.State)
		}
	}
	return all
}

// pull is the pull request of a promotion.
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

// hosts reports which commit the file of a stage names, as seven characters.
func (s *site) hosts(path string) string {
	text, _ := s.github.File(home, "main", path)
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(text), "tag:"), " \"")
}

// source is the short commit of the source pull request n once it is merged.
func (s *site) source(n int) string {
	p, _ := s.github.Pull(home, n)
	return fmt.Sprintf("%.7s", p.MergeSHA)
}

// merges counts the requests to merge a pull request.
func (s *site) merges() int { return s.github.CountRequests(routes[promotion.Merge]) }

// told lists the comments on a pull request, but for the one that shows where things stand.
func (s *site) told(n int) []githubsim.Comment {
	return slices.DeleteFunc(s.github.Comments(home, n), func(c githubsim.Comment) bool { return isSticky(c) })
}

// sticky is the comment on a pull request that shows where things stand; its zero value if there is none.
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

// promoted is a promotion as the database has it.
func (s *site) promoted(n promotion.Number) (p promotion.Promotion) {
	s.t.Helper()
	s.view(func(tx *store.Tx, pipeline int64) (err error) {
		p, err = tx.Ledger.Promotion(pipeline, n)
		return err
	})
	return p
}

// routes are where effects show at GitHub.
var routes = map[promotion.Verb]githubsim.Route{
	promotion.Observe: {Field: "repository"},
	promotion.Open:    {Field: "createPullRequest"},
	promotion.Merge:   {Method: http.MethodPut, Path: "/repos/{owner}/{repo}/pulls/{pull_number}/merge"},
	promotion.Tell:    {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"},
}

// crash kills the program before GitHub does what it was asked, or after it has and before the answer arrives.
func (s *site) crash(boundary string) githubsim.Fault {
	kill := s.kill
	if boundary == "before" {
		return githubsim.Fault{Before: kill, Status: http.StatusBadGateway}
	}
	return githubsim.Fault{After: kill, LoseReply: true}
}
