package sandbox

import (
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/store"
)

// overtaken are requests of which GitHub tells before its answer comes, with what makes Waybill send each.
var overtaken = map[string]struct {
	pipeline   string
	happenings []string
	route      githubsim.Route
}{
	"open":   {attentive, []string{"merge #1 by ann"}, asked["open"]},
	"merge":  {oneStage, []string{"merge #1 by ann"}, asked["merge"]},
	"commit": {directly, []string{"merge #1 by ann"}, moveBranch},
	"run":    {dispatching, []string{"merge #1 by ann"}, startWorkflow},
	"close": {attentive, []string{"merge #1 by ann", "comment #1 by ann: /cancel dev"},
		githubsim.Route{Method: http.MethodPatch, Path: "/repos/{owner}/{repo}/pulls/{pull_number}"}},
	"reply": {oneStage, []string{"merge #1 by ann", "comment #1 by ann: /hold dev"}, asked["comment"]},
}

// TestWhatGitHubTellsOfBeforeItsAnswerIsAccountedForOnce: its webhooks are taken in and decided on, and then the answer
// is lost, or the program dies.
func TestWhatGitHubTellsOfBeforeItsAnswerIsAccountedForOnce(t *testing.T) {
	t.Parallel()
	for name, c := range overtaken {
		play := func(t *testing.T, disturb func(*site) githubsim.Fault) string {
			s := newSite(t, c.pipeline)
			if disturb != nil {
				s.github.Faults().FailNext(c.route, disturb(s))
			}
			for _, h := range c.happenings {
				s.do(h, retry)
			}
			require.Zero(t, s.github.Faults().Pending(), "it was disturbed")
			return s.account()
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := play(t, nil)
			require.Equal(t, want, play(t, func(s *site) githubsim.Fault {
				return githubsim.Fault{LoseReply: true, After: s.hear}
			}), "lost")
			require.Equal(t, want, play(t, func(s *site) githubsim.Fault {
				return githubsim.Fault{LoseReply: true, After: func() { s.hear(); s.kill() }}
			}), "killed")
		})
	}
}

// hear returns when what GitHub has told of so far is taken in and decided on.
func (s *site) hear() {
	require.NoError(s.t, s.github.Settle(s.ctx))
	db, err := sql.Open("sqlite", "file:"+s.file+"?_pragma=busy_timeout(5000)")
	require.NoError(s.t, err)
	defer db.Close()
	require.Eventually(s.t, func() bool {
		waiting := 0
		return db.QueryRow(`SELECT (SELECT COUNT(*) FROM deliveries WHERE state = 'waiting') +
			(SELECT COUNT(*) FROM stages WHERE version <> decided)`).Scan(&waiting) == nil && waiting == 0
	}, time.Minute, 5*time.Millisecond)
}

// account lists what the audit trail says that Waybill has done, and the pull requests, with their labels and comments,
// on GitHub.
func (s *site) account() string {
	all := s.ours()
	for _, p := range s.github.Pulls(home) {
		all = append(all, fmt.Sprintf("labels of #%d: %v", p.Number, p.Labels))
		for _, c := range s.github.Comments(home, p.Number) {
			all = append(all, fmt.Sprintf("comment of %s on #%d with %v", c.Author, p.Number, c.Reactions))
		}
	}
	s.view(func(tx *store.Tx, pipeline int64) error {
		events, err := tx.Audit.Events(pipeline, 0, 1000)
		for _, e := range events {
			if e.Kind == store.EventEffect || e.Kind == store.EventCommand {
				all = append(all, fmt.Sprintf("%s %s of p%d: %s", e.Kind, e.Word, e.Promotion, e.Outcome))
			}
		}
		return err
	})
	slices.Sort(all)
	return strings.Join(all, "\n")
}
