package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// serverTags are the build tags of the binary that the image has; the import tests hold the Dockerfile to them.
const serverTags = "nosandbox"

// built returns the program as the image has it.
func built(t testing.TB) string {
	binary := filepath.Join(t.TempDir(), "waybill")
	out, err := exec.Command("go", "build", "-tags", serverTags, "-o", binary, ".").CombinedOutput()
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
		require.Equal(t, "waybill: this binary is built for servers, without the simulated GitHub (tag nosandbox):"+
			" for the sandbox run `make build` in Waybill's repository, and use the ./waybill that it makes\n", string(out), args)
	}
	story := filepath.Join(t.TempDir(), "x.txtar")
	require.NoError(t, os.WriteFile(story, []byte(asWritten), 0o644))
	out, err := exec.Command(binary, "simulate", story).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "ok   "+story+"\n", string(out))
}
