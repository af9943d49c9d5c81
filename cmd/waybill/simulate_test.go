package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const asWritten = `-- .github/waybill.yml --
version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, set: {dev.yaml: {tag: "${api.short}"}}}
-- story --
> merge #1 by ann
  dev: p1 api#1 automatic: queued, running, open dev.yaml, waiting-for-merge, merge, verifying m1, succeeded
`

// simulate runs the command on a story file with these contents and returns the exit code and the output.
func simulate(t *testing.T, contents string, flags ...string) (code exitCode, stdout, stderr, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "x.txtar")
	require.NoError(t, os.WriteFile(file, []byte(contents), 0o644))
	var out, errs bytes.Buffer
	cmd := simulateCommand()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append(flags, file))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	if err := cmd.Execute(); err != nil {
		require.True(t, errors.As(err, &code), err)
	}
	return code, out.String(), errs.String(), file
}

func TestSimulateExitsWithZeroWhenAStoryHappensAsWritten(t *testing.T) {
	code, stdout, _, file := simulate(t, asWritten)
	require.Zero(t, code)
	require.Equal(t, "ok   "+file+"\n", stdout)
}

func TestSimulatePrintsADiffAndExitsWithOneWhenAStoryDiffers(t *testing.T) {
	code, stdout, _, _ := simulate(t, strings.Replace(asWritten, ", succeeded", "", 1))
	require.Equal(t, storyDiffers, code)
	require.Contains(t, stdout,
		"-  dev: p1 api#1 automatic: queued, running, open dev.yaml, waiting-for-merge, merge, verifying m1\n")
	require.Contains(t, stdout,
		"+  dev: p1 api#1 automatic: queued, running, open dev.yaml, waiting-for-merge, merge, verifying m1, succeeded\n")
}

func TestSimulateExitsWithOneAndThePlaceWhenSomethingCannotHappen(t *testing.T) {
	code, _, stderr, file := simulate(t, asWritten+"> close p1 by ann\n  (nothing)\n")
	require.Equal(t, storyDiffers, code)
	require.Equal(t, file+":10: > close p1 by ann: its pull request is merged\n", stderr)
}

func TestSimulateExitsWithTwoWhenAStoryDoesNotParse(t *testing.T) {
	code, _, stderr, file := simulate(t, asWritten+"> mrege #2 by ann\n")
	require.Equal(t, storyBroken, code)
	require.Contains(t, stderr, file+":10:3: unknown happening \"mrege\"")
}

func TestSimulateExitsWithTwoWhenThePipelineFileIsNoGood(t *testing.T) {
	code, _, stderr, _ := simulate(t, strings.Replace(asWritten, "from: api", "from: nowhere", 1))
	require.Equal(t, storyBroken, code)
	require.Contains(t, stderr, "nowhere")
}

func TestSimulateExitsWithTwoWhenAStoryCannotBeOpened(t *testing.T) {
	var out, errs bytes.Buffer
	cmd := simulateCommand()
	cmd.SetArgs([]string{filepath.Join(t.TempDir(), "none.txtar")})
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	require.ErrorIs(t, cmd.Execute(), storyBroken)
	require.Contains(t, errs.String(), "none.txtar")
}

func TestSimulatePrintsTheStoryWithWhatHappens(t *testing.T) {
	bare, _, _ := strings.Cut(asWritten, "  dev: p1")
	_, stdout, _, _ := simulate(t, bare, "--print")
	require.Equal(t, asWritten, stdout)
}

func TestSimulateWritesBackWhatHappens(t *testing.T) {
	bare, _, _ := strings.Cut(asWritten, "  dev: p1")
	code, _, _, file := simulate(t, bare, "--update")
	require.Zero(t, code)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, asWritten, string(written))
}

func TestSimulatePrintsEachStepAsALineOfJSON(t *testing.T) {
	_, stdout, _, _ := simulate(t, asWritten, "--json")
	var step struct {
		Line      int
		Happening string
		AsWritten bool
		Outcomes  []struct {
			Where   string
			Freight string
			Acts    []struct{ Word string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &step))
	require.Equal(t, 8, step.Line)
	require.Equal(t, "merge #1 by ann", step.Happening)
	require.True(t, step.AsWritten)
	require.Equal(t, "dev", step.Outcomes[0].Where)
	require.Equal(t, "api#1", step.Outcomes[0].Freight)
	require.Len(t, step.Outcomes[0].Acts, 7)
}
