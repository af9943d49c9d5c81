package sandbox

import (
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/pgtest"
)

// TestAServerGoesOnWhereItWasAfterItsLedgerWasMovedToPostgreSQL runs the real process on a file, moves that to a server
// as docs/postgresql.md says, and runs it there. A freight that is merged in between is learned of. Everything happens
// once.
func TestAServerGoesOnWhereItWasAfterItsLedgerWasMovedToPostgreSQL(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t)
	h := newHuntWith(t, rand.New(rand.NewPCG(1, 0)))
	migrate := func() (string, error) {
		out, err := exec.Command(h.victim.binary, "migrate", "--from", "sqlite://"+h.victim.database,
			"--to", server).CombinedOutput()
		return string(out), err
	}
	h.mergeOne()
	h.victim.start()
	h.until(func() bool { h.runCI(); return h.done() }, "the first freight is everywhere")
	out, err := migrate()
	require.Error(t, err, "a server works on the file")
	require.Contains(t, out, "in use by another process")

	h.until(func() bool { h.runCI(); return h.shown() }, "every check run says so")
	h.victim.kill()
	h.mergeOne()
	out, err = migrate()
	require.NoError(t, err, out)
	require.Contains(t, out, "equal to those of sqlite://")
	require.NotContains(t, out, "search_path", "the URL is not repeated")

	h.victim.server = server
	h.victim.start()
	h.until(func() bool { h.runCI(); return h.done() }, "the second freight is everywhere")
	h.until(func() bool { h.runCI(); return h.shown() }, "every check run says so")
	h.victim.kill()
	h.checkGitHub()
	h.checkDatabase()
	verify := exec.Command(h.victim.binary, "export", "--verify")
	verify.Env = append(verify.Environ(), "WAYBILL_DATABASE_URL="+server)
	said, err := verify.CombinedOutput()
	require.NoError(t, err, string(said))
}
