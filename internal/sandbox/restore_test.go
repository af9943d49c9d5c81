package sandbox

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
