package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
)

const (
	goodPipeline = "version: 1\nwarehouses: {api: {pull-requests: {repo: acme/api}}}\n" +
		"stages: {dev: {from: api, set: {a.yaml: {tag: \"${api.short}\"}}}}\n"
	oddPipeline = goodPipeline + "resync: 9h\nallow: []\n  \n"
)

// inFolder runs the command in a folder that holds these files.
func inFolder(t *testing.T, files map[string]string, args ...string) (code exitCode, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(data), 0o644))
	}
	var out, errs bytes.Buffer
	cmd := validateCommand()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	if err := cmd.Execute(); err != nil {
		require.True(t, errors.As(err, &code), err)
	}
	return code, out.String(), errs.String()
}

func TestValidateSaysNothingAboutValidFiles(t *testing.T) {
	code, out, errs := inFolder(t,
		map[string]string{"waybill.yml": oddPipeline, "waybill.policy.yml": "version: 1\nautomatic: [\"*\"]\n"},
		"waybill.yml", "waybill.policy.yml")
	require.Zero(t, code)
	require.Empty(t, out)
	require.Empty(t, errs)
}

func TestValidatePrintsEachProblemWithItsPlaceAndExitsWith1(t *testing.T) {
	files := map[string]string{
		"a/waybill.yml":        "version: 1\nstages: dev\n",
		"b/waybill.yml":        "version: [\n",
		"c/rights.yml":         "version: 1\nmay: {admit: everybody}\n",
		"d/waybill.policy.yml": "version: 1\nautomatc: []\n",
	}
	code, out, errs := inFolder(t, files, "a/waybill.yml", "b/waybill.yml", "c/rights.yml", "d/waybill.policy.yml")
	require.Equal(t, fileInvalid, code)
	require.Equal(t, `a/waybill.yml:1:1: has `+"`stages` but not `warehouses`"+`; they belong together
a/waybill.yml:2:9: stages: must be a mapping with a key for each stage, not "dev"
b/waybill.yml:1:11: not YAML: did not find expected node content
c/rights.yml:2:14: may.admit: must be a list of rules; put "everybody" in brackets
d/waybill.policy.yml:2:1: unknown key "automatc"; did you mean "automatic"?
`, out)
	require.Empty(t, errs)
}

func TestValidateExitsWith0WhenThereAreOnlyWarnings(t *testing.T) {
	files := map[string]string{"x.yml": goodPipeline, "x.policy.yml": "version: 1\nautomatic: [prod]\n"}
	code, out, _ := inFolder(t, files, "x.policy.yml", "x.yml")
	require.Zero(t, code)
	require.Equal(t, "x.policy.yml:2:13: warning: automatic[0]: \"prod\" is no stage of the pipeline; known are dev\n",
		out)

	code, out, _ = inFolder(t, files, "x.policy.yml")
	require.Zero(t, code)
	require.Empty(t, out, "without the pipeline nobody knows the stages")
}

func TestValidateExitsWith2WhenAFileCannotBeOpenedAndChecksTheOthers(t *testing.T) {
	code, out, errs := inFolder(t, map[string]string{"bad.yml": "version: 2\nallow: []\n"}, "missing.yml", "bad.yml")
	require.Equal(t, fileUnopened, code)
	require.Contains(t, out, "bad.yml:1:10: version: 2 is not a version")
	require.Equal(t, "waybill: open missing.yml: no such file or directory\n", errs)
}

func TestValidateKnowsTheHomeRepositoryWhenTold(t *testing.T) {
	files := map[string]string{"x.yml": "version: 1\nwarehouses: {api: {pull-requests: {repo: acme/deploy, paths: " +
		"[\"**\"]}}}\nstages: {dev: {from: api, set: {a.yaml: {tag: \"${api.short}\"}}}}\n"}
	code, _, _ := inFolder(t, files, "x.yml")
	require.Zero(t, code)
	code, out, _ := inFolder(t, files, "--repo", "acme/deploy", "--branch", "main", "x.yml")
	require.Equal(t, fileInvalid, code)
	require.Contains(t, out, "Waybill's own pull requests would become freight")
}

func TestValidatePrintsJSON(t *testing.T) {
	_, out, _ := inFolder(t, map[string]string{"x.yml": "version: 2\nallow: []\n"}, "--json", "x.yml")
	var problem config.Problem
	require.NoError(t, json.Unmarshal([]byte(out), &problem))
	require.Equal(t, "x.yml", problem.File)
	require.Equal(t, 1, problem.Line)
	require.Equal(t, 10, problem.Col)
}

func TestValidatePrintsTheSchemas(t *testing.T) {
	for flag, title := range map[string]string{"--schema": "Waybill pipeline file", "--schema=policy": "Waybill policy " +
		"file"} {
		code, out, _ := inFolder(t, nil, flag)
		require.Zero(t, code)
		var schema struct{ Title string }
		require.NoError(t, json.Unmarshal([]byte(out), &schema))
		require.Equal(t, title, schema.Title)
	}
}

func TestValidateWithoutAFileSaysWhatItNeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{}, {"."}, {"--schema=story"}} {
		cmd := validateCommand()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(args)
		require.ErrorContains(t, cmd.Execute(), "--schema")
	}
}

// TestValidateTellsATerminalNothingThatOthersWant: names in a file may be orders to a terminal, or to the log of a CI,
// which takes lines that begin in a certain way for its own.
func TestValidateTellsATerminalNothingThatOthersWant(t *testing.T) {
	file := filepath.Join(t.TempDir(), "waybill.yml")
	require.NoError(t, os.WriteFile(file, []byte("version: 1\nwarehouses:\n  \"w\\e[2J\\n::error::x\": {}\n"+
		"stages: {dev: {from: api}}\n"), 0o600))
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"validate", file}, func(string) string { return "" }, &out, &errs)
	require.NotZero(t, code)
	require.Contains(t, out.String(), `known are w\x1b[2J\n::error::x`)
	require.NotContains(t, out.String()+errs.String(), "\x1b")
	require.NotContains(t, out.String(), "\n::")
}

// TestValidateChecksAFileInAFolderThatIsCalledLikeThatOfTheParts which is a clone, and no part.
func TestValidateChecksAFileInAFolderThatIsCalledLikeThatOfTheParts(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("waybill", 0o755))
	t.Chdir("waybill")
	require.NoError(t, os.WriteFile("waybill.yml", []byte(goodPipeline), 0o644))
	var out bytes.Buffer
	cmd := validateCommand()
	cmd.SetArgs([]string{"waybill.yml"})
	cmd.SetOut(&out)
	require.NoError(t, cmd.Execute())
	require.Empty(t, out.String())
}

// TestValidateChecksPartsTogether whichever of the files is named, and from another folder.
func TestValidateChecksPartsTogether(t *testing.T) {
	files := map[string]string{
		"x/.github/waybill.yml": "version: 1\nwarehouses: {api: {pull-requests: {repo: acme/api}}}\n" +
			"stages: {dev: {from: api, set: {a.yaml: {tag: \"${api.short}\"}}}}\n",
		"x/.github/waybill/shop.yml":  "version: 1\nstages: {dev: {from: api, set: {b.yaml: {tag: \"${ap.short}\"}}}}\n",
		"x/.github/waybill/notes.txt": "none of them\n",
		"y/.github/waybill/shop.yml": "version: 1\nwarehouses: {api: {pull-requests: {repo: acme/api}}}\n" +
			"stages: {dev: {from: {from: list.yaml}, set: {b.yaml: {tag: \"${api.short}\"}}}}\n",
	}
	const wrong = "x/.github/waybill/shop.yml:2:47: stages.shop-dev.set.\"b.yaml\".tag: ${ap.short} is neither ${stage} " +
		"nor the value of a warehouse; did you mean \"api\"?\n"
	for _, named := range [][]string{
		{"x/.github/waybill.yml"}, {"x/.github/waybill/shop.yml"}, {"x/.github/waybill/shop.yml", "x/.github/waybill.yml"},
	} {
		code, out, errs := inFolder(t, files, named...)
		require.Equal(t, fileInvalid, code)
		require.Equal(t, wrong, out)
		require.Empty(t, errs)
	}
	code, out, errs := inFolder(t, files, "y/.github/waybill/shop.yml")
	require.Equal(t, fileInvalid, code)
	require.Contains(t, out, "y/.github/waybill/shop.yml:3:23: stages.shop-dev.from: ", "there need not be another file")
	require.Empty(t, errs)
	code, _, errs = inFolder(t, files, "z/.github/waybill/shop.yml")
	require.Equal(t, fileUnopened, code)
	require.Contains(t, errs, "z/.github/waybill")
}

// TestValidateTakesTheFilesOfARepositoryTogether whichever is named, and where only a folder is.
func TestValidateTakesTheFilesOfARepositoryTogether(t *testing.T) {
	files := map[string]string{
		".github/waybill.yml": goodPipeline, ".github/waybill.policy.yml": "version: 1\nautomatic: [prd]\n",
		".github/waybill/shop.yml": "version: 1\nstages: {dev: {from: api, set: {b.yaml: {tag: \"${api.short}\"}}}}\n",
	}
	const says = `.github/waybill.policy.yml:2:13: warning: automatic[0]: "prd" is no stage of the pipeline; known are ` +
		"dev, shop-dev\n"
	for _, named := range [][]string{
		{}, {"."}, {".github"}, {".github/waybill"}, {".github/waybill.yml"}, {".github/waybill.policy.yml"},
		{".github/waybill/shop.yml"}, {".github/waybill.policy.yml", ".github/waybill.yml"},
	} {
		code, out, errs := inFolder(t, files, named...)
		require.Zero(t, code, named)
		require.Equal(t, says, out, named)
		require.Empty(t, errs)
	}
	delete(files, ".github/waybill.yml")
	_, out, _ := inFolder(t, files, ".github/waybill.policy.yml")
	require.Contains(t, out, `"prd" is no stage of the pipeline; known are shop-dev`)
	delete(files, ".github/waybill/shop.yml")
	code, out, errs := inFolder(t, files)
	require.Zero(t, code)
	require.Empty(t, out+errs, "there is nothing to compare it with")
}

// TestValidateRefusesAFileThatIsMeantAndNotRead has both files with the other ending beside the right ones.
func TestValidateRefusesAFileThatIsMeantAndNotRead(t *testing.T) {
	files := map[string]string{
		"x/.github/waybill.yml": goodPipeline, "x/.github/waybill.yaml": goodPipeline,
		"x/.github/waybill.policy.yaml": "version: 1\n",
	}
	for _, named := range []string{"", "/.github/waybill.yml", "/.github/waybill.policy.yaml", "/.github/waybill.yaml"} {
		code, out, errs := inFolder(t, files, "x"+named)
		require.Equal(t, fileInvalid, code, named)
		require.Empty(t, errs)
		const not = ":1:1: this file is not read, because its name ends in .yaml: rename it to .github/waybill"
		require.Equal(t, "x/.github/waybill.policy.yaml"+not+".policy.yml\nx/.github/waybill.yaml"+not+".yml\n", out)
	}
}

// TestValidateNamesWhatNobodyReads although it lies where pipeline files do.
func TestValidateNamesWhatNobodyReads(t *testing.T) {
	files := map[string]string{"x/.github/waybill.yml": goodPipeline}
	for _, name := range []string{"a.yml.bak", "b.YML", ".yml", "c.yaml~", "sub/d.yml", "notes.txt"} {
		files["x/.github/waybill/"+name] = goodPipeline
	}
	for _, named := range []string{"x", "x/.github/waybill.yml", "x/.github/waybill/a.yml.bak"} {
		code, out, errs := inFolder(t, files, named)
		require.Zero(t, code)
		require.Empty(t, errs)
		const not = ":1:1: warning: this file is not read: the name of a pipeline file ends in .yml or .yaml, in " +
			"small letters, and something stands before that; rename it, or keep it elsewhere\n"
		require.Equal(t, "x/.github/waybill/.yml"+not+"x/.github/waybill/a.yml.bak"+not+"x/.github/waybill/b.YML"+not+
			"x/.github/waybill/c.yaml~"+not+"x/.github/waybill/sub:1:1: warning: nothing in this folder is read: pipeline "+
			"files lie in .github/waybill itself; move them there\n", out)
	}
}
