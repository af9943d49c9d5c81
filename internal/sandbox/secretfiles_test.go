package sandbox

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheServerWorksWithSecretsFromFiles runs the real process with its key, its webhook secret and the place of its
// database in files. The key has to be right to merge anything, and the webhook secret to hear of it.
func TestTheServerWorksWithSecretsFromFiles(t *testing.T) {
	t.Parallel()
	h := newHuntWith(t, rand.New(rand.NewPCG(1, 0)), func(v *victim) { v.files = t.TempDir() })
	h.mergeOne()
	h.victim.start()
	h.until(func() bool { h.runCI(); return h.done() }, "the freight is everywhere")
	h.until(func() bool { h.runCI(); return h.shown() }, "every check run says so")
	h.victim.kill()
	require.NotContains(t, h.victim.log.String(), "signature")
	h.checkGitHub()
	h.checkDatabase()

	// As when a volume is not mounted, or the old variable is still there.
	h.victim.env = []string{"GITHUB_APP_PRIVATE_KEY=old", "SLACK_BOT_TOKEN_FILE=/none/token"}
	h.victim.start()
	<-h.victim.ended
	require.Equal(t, 1, h.victim.exitCode())
	require.Contains(t, h.victim.log.String(), "GITHUB_APP_PRIVATE_KEY and GITHUB_APP_PRIVATE_KEY_FILE="+
		filepath.Join(h.victim.files, "GITHUB_APP_PRIVATE_KEY")+" are both set: remove one of them")
	require.Contains(t, h.victim.log.String(),
		"SLACK_BOT_TOKEN_FILE=/none/token cannot be used: no such file or directory")
	require.NotContains(t, h.victim.log.String(), "is missing")

	h.victim.env = nil
	key := filepath.Join(h.victim.files, "GITHUB_APP_PRIVATE_KEY")
	require.NoError(t, os.Chmod(key, 0o644)) // it is only written anew, with the mode that it has
	h.victim.start()
	h.until(h.victim.ready, "it is ready")
	h.victim.kill()
	require.Contains(t, h.victim.log.String(), "GITHUB_APP_PRIVATE_KEY_FILE: others may use "+key)
}
