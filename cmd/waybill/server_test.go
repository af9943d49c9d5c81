package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// serverTags are the build tags of the binary in the image.
const serverTags = "nosandbox"

// built compiles the program without the sandbox, with additional environment variables, and returns its path.
func built(t testing.TB, env ...string) string {
	binary := filepath.Join(t.TempDir(), "waybill")
	build := exec.Command("go", "build", "-tags", serverTags, "-ldflags", "-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), env...)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return binary
}

func TestTheServersBinaryRefusesTheSandboxAndPlaysStoriesThroughTheCore(t *testing.T) {
	binary := built(t)
	for _, args := range [][]string{{"sandbox"}, {"sandbox", "--script", "x.txtar"}, {"sandbox", "--help"}} {
		out, err := exec.Command(binary, args...).CombinedOutput()
		var ended *exec.ExitError
		require.ErrorAs(t, err, &ended, args)
		require.Equal(t, 1, ended.ExitCode(), args)
		require.Contains(t, string(out), "without the simulated GitHub (tag nosandbox)", args)
		require.Contains(t, string(out), "run `make build` in Waybill's repository, and use the ./waybill", args)
	}
	story := filepath.Join(t.TempDir(), "x.txtar")
	require.NoError(t, os.WriteFile(story, []byte(asWritten), 0o644))
	out, err := exec.Command(binary, "simulate", story).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "ok   "+story+"\n", string(out))
}
