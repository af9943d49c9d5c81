package sandbox

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/store"
)

// restoredPipeline has a stage of each kind that a restored database must not do anything wrong in: by pull request, by
// direct commits, one whose drift is repaired, and one whose pull requests people merge.
const restoredPipeline = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}, verify: [smoke]}
  direct: {from: api, set: {direct.yaml: {tag: "${api.short}"}}, verify: [direct], commit: direct}
  manual: {from: api, set: {manual.yaml: {tag: "${api.short}"}}, verify: [manual], merge: manual}
  prod: {from: api, after: dev, set: {prod.yaml: {tag: "${api.short}"}}, verify: [prod], drift: repair}
`

// restore puts a copy in the place of the database, as the README says, and starts the program after a while.
func (s *site) restore(from string, after time.Duration) {
	s.t.Helper()
	s.away()
	for _, log := range []string{"-wal", "-shm"} {
		_ = os.Remove(s.file + log) // mostly it is not there
	}
	require.NoError(s.t, os.Rename(from, s.file))
	s.clock.set(s.clock.Now().Add(after))
	require.NoError(s.t, s.restart(s.ctx))
	s.quiet()
}

// copied copies a database as a snapshot of the disk would: the program knows nothing of it.
func (s *site) copied() (file string) {
	s.t.Helper()
	file = s.file + ".snapshot"
	s.away()
	from, err := os.Open(s.file)
	require.NoError(s.t, err)
	defer from.Close()
	to, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(s.t, err)
	_, err = io.Copy(to, from)
	require.NoError(s.t, err)
	require.NoError(s.t, to.Close())
	require.NoError(s.t, s.restart(s.ctx))
	s.quiet()
	return file
}

// backedUp makes a backup while the program runs.
func (s *site) backedUp() (file string) {
	s.t.Helper()
	file = s.file + ".backup"
	require.NoError(s.t, store.Backup(s.ctx, "sqlite://"+s.file, file))
	return file
}

var (
	numberedPull   = regexp.MustCompile(`<!-- waybill:promotion=\d+/(\d+) -->`)
	numberedCommit = regexp.MustCompile(`(?m)^Waybill-Promotion: (\d+)$`)
)

// numbers returns what GitHub has of each number of a promotion: its pull request, or its direct commit.
func (s *site) numbers() map[string][]string {
	all, merged := map[string][]string{}, map[string]bool{}
	for _, p := range s.github.Pulls(home) {
		merged[p.MergeSHA] = true
		if found := numberedPull.FindStringSubmatch(p.Body); found != nil {
			all[found[1]] = append(all[found[1]], p.HeadBranch)
		}
	}
	for _, c := range s.github.Commits(home, "main") {
		if found := numberedCommit.FindStringSubmatch(c.Message); found != nil && !merged[c.SHA] {
			all[found[1]] = append(all[found[1]], c.SHA)
		}
	}
	return all
}

// made returns how many pull requests and direct commits of promotions GitHub has.
func (s *site) made() (n int) {
	for _, made := range s.numbers() {
		n += len(made)
	}
	return n
}

// TestTheDrillOfARestoredBackup backs up, goes on, restores the copy and starts. In the lost time freight was promoted
// by pull request and by direct commits, a pull request was left open, and a person held prod.
func TestTheDrillOfARestoredBackup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		copy func(*site) string
		away time.Duration
	}{
		"a backup, at once":         {(*site).backedUp, time.Second},
		"a backup, hours later":     {(*site).backedUp, 5 * time.Hour},
		"a snapshot, at once":       {(*site).copied, time.Second},
		"a snapshot, an hour later": {(*site).copied, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, restoredPipeline)
			s.do("merge #1 by ann", "check smoke success on dev", "check prod success on prod",
				"check direct success on direct")
			file := c.copy(s)
			s.do("merge #2 by ann", "check smoke success on dev", "comment #1 by ann: /hold prod until monday")
			lost := s.numbers()
			require.Equal(t, s.source(2), s.hosts("prod.yaml"), "freight came to prod in the lost time")

			s.restore(file, c.away)
			s.do("wait 10m")
			require.Contains(t, strings.Join(s.alerts(), "; "), "the database is a copy that was restored")
			for n, made := range s.numbers() {
				if len(lost[n]) > 0 {
					require.Equal(t, lost[n], made, "promotion %s has been made anew", n)
				}
			}
			require.Equal(t, s.source(2), s.hosts("prod.yaml"), "nothing went back")
			require.Equal(t, s.source(2), s.hosts("dev.yaml"))
			require.True(t, s.held("prod"), "the hold of the lost time is known")
			for _, p := range s.github.Pulls(home) {
				if found := numberedPull.FindStringSubmatch(p.Body); found != nil && p.State == "open" {
					require.Empty(t, lost[found[1]], "%s belongs to nothing", p.HeadBranch)
				}
			}
			s.do("merge #3 by ann", "check smoke success on dev", "wait 1h")
			for n, made := range s.numbers() {
				require.Len(t, made, 1, "number %s came twice", n)
			}
		})
	}
}

// TestAPullRequestThatACopyLacksIsFoundBehindAHundredOthers: strangers propose whatever they like in the lost time.
func TestAPullRequestThatACopyLacksIsFoundBehindAHundredOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t, strings.Replace(oneStage, "verify: [smoke]", "approvals: 1", 1))
	s.do("wait 1h", "resync")
	file := s.backedUp()
	s.do("merge #1 by ann")
	lost := s.pull(1)
	require.Equal(t, "open", lost.State)
	require.NoError(t, s.meet("dan"))
	s.github.LoseWebhooks(true)
	for i := range 150 {
		_, err := s.github.OpenPull(home, githubsim.PullSpec{Title: "x", Author: "dan", Fork: true,
			Head: fmt.Sprint("x", i), Files: map[string]*string{"x": githubsim.Text("x\n")}})
		require.NoError(t, err)
	}
	s.github.LoseWebhooks(false)

	s.restore(file, time.Hour)
	s.do("wait 10m")
	now, _ := s.github.Pull(home, lost.Number)
	require.Equal(t, "closed", now.State)
	require.Equal(t, "open", s.pull(1001).State, "its freight is promoted anew")
	for n, made := range s.numbers() {
		require.Len(t, made, 1, "number %s came twice", n)
	}
}

// TestNothingIsDecidedInACopyBeforeTheFirstLookForMissedWebhooks: only that look shows that a snapshot was put back
// within minutes. GitHub does not answer it at first, and new freight comes meanwhile. A look that fails again and
// again keeps nothing waiting.
func TestNothingIsDecidedInACopyBeforeTheFirstLookForMissedWebhooks(t *testing.T) {
	t.Parallel()
	look := githubsim.Route{Method: http.MethodGet, Path: "/app/hook/deliveries"}
	for name, c := range map[string]struct{ refused int }{
		"once": {1}, "for ever": {-1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, restoredPipeline)
			s.do("merge #1 by ann")
			file := s.copied()
			s.do("merge #2 by ann", "check smoke success on dev", "check prod success on prod")
			s.github.Faults().FailNext(look, githubsim.Fault{Status: http.StatusBadGateway, Times: c.refused})
			s.restore(file, time.Minute)
			before := s.made()
			s.do("merge #3 by ann")
			require.Equal(t, before, s.made(), "nothing is promoted")
			s.do("wait 2m")
			require.Greater(t, s.made(), before, "it goes on")
			if c.refused < 0 {
				return
			}
			s.do("wait 10m")
			require.Contains(t, strings.Join(s.alerts(), "; "), "the database is a copy that was restored")
			for n, made := range s.numbers() {
				require.Len(t, made, 1, "number %s came twice", n)
			}
			require.Equal(t, s.source(3), s.hosts("dev.yaml"))
		})
	}
}

// held reports whether a person holds a stage.
func (s *site) held(stage string) (held bool) {
	s.view(func(tx *store.Tx, pipeline int64) error {
		holds, err := tx.Ledger.Holds(pipeline)
		for _, h := range holds {
			held = held || string(h.Stage) == stage
		}
		return err
	})
	return held
}

// TestWhatHadNotBegunInACopyGoesOnUnderNewNames: in the copy a promotion waits because its stage is held. In the lost
// time it went on, and a person ended it in some way or not.
func TestWhatHadNotBegunInACopyGoesOnUnderNewNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lost []string
		copy func(*site) string
	}{
		"left open":                 {nil, (*site).backedUp},
		"left open, and a snapshot": {nil, (*site).copied},
		"closed by a person":        {[]string{"close p1 by ann"}, (*site).backedUp},
		"merged by a person":        {[]string{"merge p1 by ann"}, (*site).backedUp},
		"merged, before newer freight": {[]string{"merge p1 by ann", "check manual success on manual", "merge #2 by ann"},
			(*site).backedUp},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, restoredPipeline)
			s.do("comment #1 by ann: /hold manual", "comment #1 by ann: /hold direct", "merge #1 by ann")
			file := c.copy(s)
			s.do(append([]string{"comment #1 by ann: /unhold direct", "comment #1 by ann: /unhold manual"}, c.lost...)...)
			lost := s.numbers()

			s.restore(file, time.Hour)
			s.do("wait 10m")
			for n, made := range s.numbers() {
				require.Len(t, made, 1, "number %s came twice", n)
			}
			for _, p := range s.github.Pulls(home) {
				if found := numberedPull.FindStringSubmatch(p.Body); p.State == "open" {
					require.Empty(t, lost[found[1]], "%s belongs to nothing", p.HeadBranch)
				}
			}
			require.Contains(t, strings.Join(s.alerts(), "; "), "what became of 1 in the lost time is not known")
		})
	}
}

// TestTheStepsOfARolloutThatACopyLacksGoOnUnderNewNames: in the copy the first of three targets is verified. In the
// lost time a person ended the step of the second in some way or not.
func TestTheStepsOfARolloutThatACopyLacksGoOnUnderNewNames(t *testing.T) {
	t.Parallel()
	const pipeline = `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  prod:
    from: api
    targets: [eu-1, us-1, us-2]
    set: {"clusters/${target.name}.yaml": {tag: "${api.number}"}}
    verify: ["e2e-${target.name}"]
    merge: manual
`
	for name, lost := range map[string][]string{
		"left open":          nil,
		"closed by a person": {"close p1 by ann"},
		"merged by a person": {"merge p1 by ann"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, pipeline)
			s.do("merge #1 by ann", "merge p1 by ann")
			file := s.backedUp()
			s.do(append([]string{"check e2e-eu-1 success on prod"}, lost...)...)

			s.restore(file, time.Hour)
			s.do("wait 10m")
			branches := map[string]int{}
			for _, p := range s.github.Pulls(home) {
				if numberedPull.MatchString(p.Body) {
					branches[p.HeadBranch]++
				}
				if p.State == "open" {
					require.Regexp(t, "^waybill/prod/api-1/1-all-1[0-9]{3}$", p.HeadBranch, "the step of the lost time is closed")
				}
			}
			for branch, n := range branches {
				require.Equal(t, 1, n, "%s has been used twice", branch)
			}
			if name != "merged by a person" { // then there is nothing left to write
				s.do("merge p1 by ann")
			}
			s.do("check e2e-us-1 success on prod", "merge p1 by ann", "check e2e-us-2 success on prod")
			require.Equal(t, "1", s.hosts("clusters/us-2.yaml"))
		})
	}
}

// TestAWorkflowThatHadNotBegunInACopyIsStartedAgainUnderANewNumber: no run has the name of another.
func TestAWorkflowThatHadNotBegunInACopyIsStartedAgainUnderANewNumber(t *testing.T) {
	t.Parallel()
	s := newSite(t, dispatching)
	s.do("comment #1 by ann: /hold dev", "merge #1 by ann")
	file := s.backedUp()
	s.do("comment #1 by ann: /unhold dev")
	require.Len(t, s.started(), 1)
	s.restore(file, time.Hour)
	s.do("wait 10m")
	all := s.started()
	require.Len(t, all, 2)
	require.NotEqual(t, all[0], all[1])
}

// TestACommitThatWasMadeAnewInTheLostTimeIsLeftToPeople: the copy cannot tell it from one by another person.
func TestACommitThatWasMadeAnewInTheLostTimeIsLeftToPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t, restoredPipeline)
	s.do("merge #1 by ann")
	file := s.backedUp()
	before := s.openPull(t, "manual").HeadSHA
	s.do("push manual.yaml by bob")
	after := s.openPull(t, "manual").HeadSHA
	require.NotEqual(t, before, after, "it has been made anew")
	s.restore(file, time.Hour)
	s.do("wait 10m", "push manual.yaml by bob")
	require.Equal(t, after, s.openPull(t, "manual").HeadSHA, "the commit is left alone")
}

// openPull returns the open pull request of a stage.
func (s *site) openPull(t *testing.T, stage string) githubsim.Pull {
	t.Helper()
	var open []githubsim.Pull
	for _, p := range s.github.Pulls(home) {
		if p.State == "open" && strings.HasPrefix(p.HeadBranch, "waybill/"+stage+"/") {
			open = append(open, p)
		}
	}
	require.Len(t, open, 1)
	return open[0]
}

// TestWhatOnlyMissedWebhooksTellOfIsKnownBeforeAnythingIsDecided: no webhook was taken in the lost time, so nothing
// says that the database is a copy; but GitHub has a pull request of that time.
func TestWhatOnlyMissedWebhooksTellOfIsKnownBeforeAnythingIsDecided(t *testing.T) {
	t.Parallel()
	s := newSite(t, restoredPipeline)
	s.hearsOnce()
	s.do("comment #1 by ann: /hold direct", "comment #1 by ann: /hold dev", "comment #1 by ann: /hold manual for 5m",
		"merge #1 by ann")
	file := s.copied()
	const told = 6 // webhooks, of which Waybill reads five
	s.github.FailWebhooks(told, http.StatusServiceUnavailable)
	s.clock.set(s.clock.Now().Add(6 * time.Minute))
	_, err := s.rest(s.ctx)
	require.Equal(t, told, strings.Count(err.Error(), "503 Service Unavailable"), "%v", err)
	require.Equal(t, 1, s.made(), "in the lost time manual gets a pull request")

	s.restore(file, time.Minute)
	s.do("comment #1 by ann: /unhold direct", "wait 10m")
	require.Contains(t, strings.Join(s.alerts(), "; "), "GitHub shows more of promotion 3 than the database")
	for n, made := range s.numbers() {
		require.Len(t, made, 1, "number %s came twice", n)
	}
}
