package sandbox

import (
	"context"
	"math/rand/v2"
	"os/exec"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the database is looked at from outside
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/internal/pgtest"
)

// TestTheServerPromotesToProductionOnPostgreSQL runs the real process on a database on a server: every freight goes
// from dev to prod. Meanwhile the process is killed once in the middle of an effect, and its sessions are ended once,
// as by a failover. Everything happens once.
func TestTheServerPromotesToProductionOnPostgreSQL(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t)
	h := newHuntWith(t, rand.New(rand.NewPCG(1, 0)), func(v *victim) { v.server = server })
	h.mergeOne()
	h.victim.start()
	h.github.Faults().FailNext(asked["tree"], githubsim.Fault{
		After: h.victim.shoot, LoseReply: true})
	h.until(func() bool { h.runCI(); return h.victim.gone() }, "the process is killed")
	h.github.Faults().Clear()
	h.victim.start()
	h.until(func() bool { h.runCI(); return h.done() }, "the first freight is everywhere")
	h.mergeOne()
	ours := len(promotionPulls(h.github, home))
	h.until(func() bool { h.runCI(); return len(promotionPulls(h.github, home)) > ours }, "the second is on its way")
	endSessions(t, server)
	h.until(func() bool { h.runCI(); return h.done() }, "the second freight is everywhere")
	h.until(func() bool { h.runCI(); return h.shown() }, "every check run says so")

	second := exec.Command(h.victim.binary, "serve")
	second.Env = append(h.victim.command.Env, "WAYBILL_LISTEN=127.0.0.1:0")
	said, err := second.CombinedOutput()
	require.Error(t, err, "a second server on the database")
	require.Contains(t, string(said), "in use by another process (waybill, session ")
	require.NotContains(t, string(said), "search_path", "the URL is not repeated")

	h.victim.kill()
	h.checkGitHub()
	h.checkDatabase()
	for _, command := range [][]string{{"export", "--verify"}, {"doctor"}} {
		out, err := exec.Command("env", append([]string{"WAYBILL_DATABASE_URL=" + server, h.victim.binary}, command...)...).
			CombinedOutput()
		if command[0] == "export" {
			require.NoError(t, err, string(out))
		}
		require.NotContains(t, string(out), "search_path")
	}
}

// TestAServerThatHasLostItsDatabaseToAnotherEnds with an error, so that it is not taken for one that works.
func TestAServerThatHasLostItsDatabaseToAnotherEnds(t *testing.T) {
	t.Parallel()
	server := pgtest.Database(t)
	h := newHuntWith(t, rand.New(rand.NewPCG(1, 0)), func(v *victim) { v.server = server })
	h.victim.start()
	h.until(h.victim.ready, "it is ready")
	endSessions(t, server, `UPDATE keeper SET number = number + 1`) // as another server does when it starts
	h.until(h.victim.gone, "it ends")
	require.NotZero(t, h.victim.command.ProcessState.ExitCode())
	require.Contains(t, h.victim.log.String(), "another server has taken over the database postgres://")
}

// endSessions ends the sessions that have the lock of a database, and runs statements.
func endSessions(t *testing.T, server string, statements ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, server)
	require.NoError(t, err)
	defer c.Close(ctx)
	for _, statement := range append([]string{`SELECT pg_terminate_backend(pid) FROM pg_locks
		WHERE locktype = 'advisory' AND objid = hashtext(current_schema())::oid`}, statements...) {
		_, err := c.Exec(ctx, statement)
		require.NoError(t, err)
	}
}
