package main

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/layout"
)

// aClone is a repository with values for three environments, and a job that deploys one of them.
var aClone = map[string]string{
	"deploy/dev/values.yaml":     "image: {repository: ghcr.io/acme/api, tag: 0a1b2c3}\n",
	"deploy/staging/values.yaml": "image: {repository: ghcr.io/acme/api, tag: 0a1b2c3}\n",
	"deploy/prod/values.yaml":    "image: {repository: ghcr.io/acme/api, tag: 0a1b2c3}\n",
	".github/workflows/dev.yml":  "on: push\njobs: {deploy-dev: {steps: []}, lint: {steps: []}}\n",
	".git/config":                "[remote \"origin\"]\n\turl = git@github.com:acme/deploy.git\n",
}

// clone writes a repository into a new folder, and goes there.
func clone(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(data), 0o644))
	}
}

func TestInitPassesOverWhatGitIgnores(t *testing.T) {
	files := maps.Clone(aClone)
	files[".gitignore"] = "*.tfvars\n/secret/\n"
	for _, stage := range []string{"dev", "prod"} {
		files["terraform/"+stage+".tfvars"] = "image_tag = \"0a1b2c3\"\npassword = \"hunter2\"\n"
		files["vault/.gitignore"] = "# all\n*\n!README.md\n"
		files["vault/"+stage+"/values.yaml"] = "image: {repository: ghcr.io/acme/vault, tag: 0a1b2c3}\n"
		files["secret/"+stage+"/values.yaml"] = "image: {repository: ghcr.io/acme/vault, tag: 0a1b2c3}\npassword: hunter2\n"
	}
	clone(t, files)
	code, out, errs := initialise(t, "--print")
	require.Zero(t, code, errs)
	require.Contains(t, out, "deploy/dev/values.yaml")
	for _, ignored := range []string{"hunter2", "tfvars", "vault"} {
		require.NotContains(t, out+errs, ignored)
	}
}

// TestInitFollowsNoLinksOutOfAClone: whoever writes a repository can put links there that lead elsewhere.
func TestInitFollowsNoLinksOutOfAClone(t *testing.T) {
	outside := t.TempDir()
	for name, text := range map[string]string{
		"workflows/a.yml": "on: push\njobs: {deploy-hunter2: {steps: []}}\n", "ignore": "deploy/staging\n",
		"values.yaml": "image: {repository: ghcr.io/acme/hunter2, tag: 0a1b2c3}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(outside, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(outside, name), []byte(text), 0o600))
	}
	clone(t, without(without(aClone, ".github/workflows/dev.yml"), "deploy/staging/values.yaml"))
	require.NoError(t, os.MkdirAll("deploy/staging", 0o755))
	for link, to := range map[string]string{
		".gitignore": "ignore", ".github": "", "deploy/staging/values.yaml": "values.yaml", "elsewhere": "",
	} {
		require.NoError(t, os.Symlink(filepath.Join(outside, to), link))
	}
	code, out, errs := initialise(t, "--print")
	require.Zero(t, code, errs)
	require.NotContains(t, out+errs, "hunter2")
	code, out, errs = initialise(t)
	require.Equal(t, int(codeRefused), code, out)
	require.Contains(t, errs, "write .github/waybill.yml: ")
	require.NoFileExists(t, filepath.Join(outside, "waybill.yml"))

	require.NoError(t, os.Remove(".github"))
	require.NoError(t, os.MkdirAll(".github/workflows", 0o755))
	require.NoError(t, os.Symlink(filepath.Join(outside, "workflows/a.yml"), ".github/workflows/dev.yml"))
	code, out, errs = initialise(t)
	require.Zero(t, code, errs)
	require.NotContains(t, out+errs, "hunter2")
	require.FileExists(t, ".github/waybill.yml")
}

// TestInitTellsATerminalNothingThatOthersWant: names in a repository may be orders to a terminal.
func TestInitTellsATerminalNothingThatOthersWant(t *testing.T) {
	values := "image: {repository: \"ghcr.io/acme/a\\e[3Jpi\", tag: 0a1b2c3}\n"
	clone(t, map[string]string{
		"deploy/dev/values.yaml": values, "deploy/prod/values.yaml": values,
		"other/dev/values.yaml":     strings.ReplaceAll(values, "a\\e[3J", "o"),
		"other/prod/values.yaml":    strings.ReplaceAll(values, "a\\e[3J", "o"),
		".github/workflows/dev.yml": "on: push\njobs: {a: {name: \"deploy \\e[6Jit\"}}\n",
	})
	for _, args := range [][]string{{}, {"--app", "opi", "--source", "."}} {
		_, out, errs := initialise(t, args...)
		require.Contains(t, out+errs, "[")
		require.NotContains(t, out+errs, "\x1b")
	}
}

func TestInitIsForTheTopOfAClone(t *testing.T) {
	clone(t, aClone)
	code, _, errs := initialise(t, "deploy")
	require.Equal(t, int(codeMisused), code)
	require.Contains(t, errs, "deploy is a folder within the clone ")
	require.NoFileExists(t, "deploy/.github/waybill.yml")
}

// initialise runs a command line without a terminal.
func initialise(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"init"}, args...), func(string) string { return "" }, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// without returns a repository that lacks a file.
func without(files map[string]string, name string) map[string]string {
	fewer := map[string]string{}
	for path, data := range files {
		if path != name {
			fewer[path] = data
		}
	}
	return fewer
}

func TestInitWritesFilesThatAreValidAndPlay(t *testing.T) {
	clone(t, aClone)
	code, out, errs := initialise(t, "--verify", "staging=status:argocd/api", "--owner", "@acme/platform")
	require.Zero(t, code, errs)
	require.Empty(t, errs)
	require.Equal(t, `Found in this folder: Helm values, of api
  dev          deploy/dev/values.yaml  image.tag: 0a1b2c3
  staging      deploy/staging/values.yaml  image.tag: 0a1b2c3
  prod         deploy/prod/values.yaml  image.tag: 0a1b2c3
Order: dev -> staging -> prod, by their names; --stages sets another
Checked, as waybill validate and waybill simulate do
ok   .github/waybill.yml
ok   .github/waybill.story.txtar
Wrote
  .github/waybill.yml                          the stages, and what a promotion changes in each
  .github/waybill.policy.yml                   which stages promote by themselves, and who may do what
  .github/waybill.story.txtar                  one version on its way, as it would go
  .github/CODEOWNERS                           who reviews changes of these files
Next
  1. Check that people merge changes of api in acme/api: init guessed it from the name of the image.
     --source names another.
  2. Name the check that verifies prod: `+"`verify: [NAME]`"+` in the pipeline file. Until then freight counts
     as verified there once it is merged, and no later stage promotes by itself. Jobs that run on a
     merge here: deploy-dev, lint. Argo CD and Flux can report by a commit status, as in docs/recipes:
     --verify STAGE=status:NAME.
  3. Commit a .github/waybill.yml to acme/api, with which it agrees:
       version: 1
       allow: [acme/deploy]
  4. Let the rules of the default branch require a review from code owners: the file alone does not.
  5. Read the files, and change what you want otherwise: docs/pipeline-file.md has every key. Then
       waybill validate .github/waybill.yml .github/waybill.policy.yml
  6. The story has copies of them, and of the files that promotions change: check that everybody may see
     them. With your changes there, this writes what happens then:
       waybill simulate --update .github/waybill.story.txtar
  7. Install the App on acme/deploy and acme/api, and merge the files by a pull request: the check
     `+"`waybill / config`"+` on it says what they would do.
`, out)
	pipeline, err := os.ReadFile(config.PipelinePath)
	require.NoError(t, err)
	require.Contains(t, string(pipeline), "verify: [deploy-dev]")
	require.Contains(t, string(pipeline), "verify: [{status: argocd/api}]")
	policy, err := os.ReadFile(config.PolicyPath)
	require.NoError(t, err)
	require.Contains(t, string(policy), "automatic: [dev, staging]\n")
	owners, err := os.ReadFile(codeownersPath)
	require.NoError(t, err)
	require.Equal(t, "/.github/waybill* @acme/platform\n/.github/waybill/ @acme/platform\n"+
		"/.github/CODEOWNERS @acme/platform\n", string(owners))

	code, out, _ = initialise(t, "--yes")
	require.Equal(t, int(codeRefused), code)
	require.Empty(t, out)
}

func TestInitOverwritesNothing(t *testing.T) {
	for _, name := range []string{config.PipelinePath, config.PolicyPath, layout.StoryPath} {
		clone(t, aClone)
		require.NoError(t, os.WriteFile(name, []byte("ours"), 0o644))
		code, out, errs := initialise(t)
		require.Equal(t, int(codeRefused), code)
		require.Empty(t, out)
		require.Equal(t, "waybill: "+name+" exists already, and init overwrites nothing: move it away, or see with --print "+
			"what init would write\n", errs)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "ours", string(text))
		left, err := fs.Glob(os.DirFS("."), ".github/waybill*")
		require.NoError(t, err)
		require.Equal(t, []string{name}, left)
	}
	clone(t, aClone)
	require.NoError(t, os.WriteFile("CODEOWNERS", []byte("* @ann\n"), 0o644))
	code, out, _ := initialise(t, "--owner", "@bob")
	require.Zero(t, code)
	require.Contains(t, out,
		"Add to CODEOWNERS, and let the rules of the default branch require a review from code owners:\n"+
			"       /.github/waybill* @bob\n       /.github/waybill/ @bob\n       /.github/CODEOWNERS @bob\n")
	require.NoFileExists(t, codeownersPath)
}

func TestInitPrintsAStoryAndWritesNothing(t *testing.T) {
	clone(t, aClone)
	code, out, errs := initialise(t, "--print", "--source", ".")
	require.Zero(t, code, errs)
	require.Contains(t, errs, "Run init without --print to write the files.")
	left, err := fs.Glob(os.DirFS("."), ".github/*")
	require.NoError(t, err)
	require.Equal(t, []string{".github/workflows"}, left)
	simulated, _, stderr, _ := simulate(t, out)
	require.Zero(t, simulated, stderr)
	require.Contains(t, out, "pull-requests: {}")
}

func TestInitSaysWhatItLookedForWhenItRecognisesNothing(t *testing.T) {
	clone(t, map[string]string{"README.md": "#", "alpha/values.yaml": "image: {tag: latest}\n"})
	code, out, errs := initialise(t)
	require.Equal(t, int(codeRefused), code)
	require.Empty(t, errs)
	const nothing = "Found no version of an application in a file of an environment in this folder. "
	require.True(t, strings.HasPrefix(out, nothing), out)
	for _, name := range layout.Names() {
		require.Contains(t, out, "\n  - "+name+": ")
	}
	require.Contains(t, out, "If yours have other names, say --stages FIRST,SECOND,THIRD.\n")
	require.Contains(t, out, "docs/recipes")
	require.NoDirExists(t, ".github")

	code, out, _ = initialise(t, "--stages", "alpha,beta", "--source", "acme/api")
	require.Zero(t, code)
	require.Contains(t, out, "  alpha        alpha/values.yaml  image.tag: latest\n")
	require.Contains(t, out, "Not used: beta, for which no version is found\n")
	require.Contains(t, out, "\n     where latest is now. (--freight tags would promote versions.)")

	clone(t, map[string]string{"prod/values.yaml": "a: &x {image: {tag: 1.0.0}}\nb: *x\nimage: {tag: &t latest}\nc: *t\n"})
	_, out, _ = initialise(t, "--stages", "beta")
	require.Contains(t, out, "in folders and files that are named beta.\n")
}

func TestInitRefusesWhatItCannotKnow(t *testing.T) {
	two := map[string]string{
		"dev/api.yaml": "image: acme/api:1.0.0\n", "dev/web.yaml": "image: acme/web:1.0.0\n",
		"prod/api.yaml": "image: acme/api:1.0.0\n", "prod/web.yaml": "image: acme/web:1.0.0\n",
	}
	for _, c := range []struct {
		files map[string]string
		args  string
		want  string
	}{
		{two, "", "several applications are found: choose one with --app, of api, web"},
		{two, "--app db", `no application "db" is found; found are api, web`},
		{two, "--app web", "say with --source in which repository people merge changes of web: OWNER/NAME, or . for"},
		{two, "--app web --source web", `"web" is not a repository: name it as owner/name`},
		{aClone, "--verify prod=", `--verify: "prod=" names no check: write NAME, STAGE=NAME or STAGE=status:NAME`},
		{aClone, "--freight pushes", `--freight is merges or tags, not "pushes"`},
		{aClone, "--owner acme/platform", `--owner must be a person or a team as CODEOWNERS has it, such as @acme/platform`},
		{aClone, "a b", `"b" is one word too many`},
		{aClone, "--verify qa=smoke", `--verify: there is no stage "qa"; there are dev, staging, prod`},
	} {
		clone(t, c.files)
		code, _, errs := initialise(t, strings.Fields(c.args)...)
		require.Equal(t, int(codeMisused), code, c.args)
		require.Contains(t, errs, c.want)
		require.NoFileExists(t, config.PipelinePath)
	}
	clone(t, two)
	code, out, errs := initialise(t, "--app", "web", "--source", "acme/shop")
	require.Zero(t, code, errs)
	require.Contains(t, out, "Found in this folder: Helm values, of web\n")
	pipeline, err := os.ReadFile(config.PipelinePath)
	require.NoError(t, err)
	require.Contains(t, string(pipeline), `image: "acme/web:${web.version}"`)
	require.NotContains(t, string(pipeline), "acme/api")
}

func TestInitSaysWhichFileOfAnEnvironmentIsNotYAML(t *testing.T) {
	clone(t, map[string]string{"dev/values.yaml": "image: {tag: v1.4.2}\n", "prod/values.yaml": "image: {tag: [\n",
		"qa/chart.yaml": "{{ if .Values.qa }}\n", "docs/values.yaml": "a: [\n"})
	code, out, errs := initialise(t, "--source", "acme/api")
	require.Zero(t, code, errs)
	require.Contains(t, out, "\nNot used: prod/values.yaml, which is not YAML: ")
	require.Equal(t, 1, strings.Count(out, "Not used: "), "templates, and what is about no environment: %s", out)
}

func TestInitLeavesProductionToPeople(t *testing.T) {
	clone(t, map[string]string{"prod/values.yaml": "image: {tag: v1.4.2}\n"})
	code, _, errs := initialise(t, "--source", "acme/api", "--verify", "smoke")
	require.Zero(t, code, errs)
	policy, err := os.ReadFile(config.PolicyPath)
	require.NoError(t, err)
	require.Equal(t, "version: 1\n\n# Into the other stages people promote: /promote prod\nautomatic: []\n",
		string(policy))

	clone(t, map[string]string{"dev/values.yaml": "image: {tag: v1.4.2}\n", "qa/values.yaml": "image: {tag: v1.4.2}\n"})
	code, _, errs = initialise(t, "--source", "acme/api", "--verify", "smoke")
	require.Zero(t, code, errs)
	policy, err = os.ReadFile(config.PolicyPath)
	require.NoError(t, err)
	require.Equal(t, "version: 1\n\nautomatic: [dev, qa]\n", string(policy))
}

// TestInitWritesNothingIfAPromotionWouldNotSucceed has a value that cannot be set.
func TestInitWritesNothingIfAPromotionWouldNotSucceed(t *testing.T) {
	clone(t, map[string]string{
		"dev/values.yaml":  "image: &image {tag: latest}\nother: {<<: *image}\n",
		"prod/values.yaml": "image:\n  tag: |\n    latest\n",
	})
	code, out, errs := initialise(t, "--source", "acme/api")
	require.Equal(t, int(codeRefused), code)
	require.Empty(t, out)
	require.Contains(t, errs, "a promotion into prod would not succeed with the files as they are: prod/values.yaml: set "+
		"image.tag: it is a block of text (| or >); write it as a value on one line to have it set; this would happen:\n")
	require.NoFileExists(t, config.PipelinePath)
}

// TestInitAsksWhatItCannotKnow has a person answer.
func TestInitAsksWhatItCannotKnow(t *testing.T) {
	for _, c := range []struct {
		answers       string
		source, owner string
	}{
		{"acme/monorepo\n@acme/platform\n", "{repo: acme/monorepo}", "@acme/platform"},
		{"\n\n", "{repo: acme/api}", ""},
		{".\n", "{}", ""},
		{"", "{repo: acme/api}", ""},
	} {
		clone(t, without(aClone, ".git/config"))
		var out, errs bytes.Buffer
		i := initial{folder: ".", out: &out, errs: &errs, ask: asker{in: strings.NewReader(c.answers), out: &errs}}
		require.NoError(t, i.run(t.Context()))
		require.Contains(t, errs.String(),
			"In which repository do people merge changes of api, as owner/name (. is this one)? [acme/api] ")
		pipeline, err := os.ReadFile(config.PipelinePath)
		require.NoError(t, err)
		require.Contains(t, string(pipeline), "pull-requests: "+c.source)
		if c.owner != "" {
			owners, err := os.ReadFile(codeownersPath)
			require.NoError(t, err)
			require.Contains(t, string(owners), c.owner)
		} else {
			require.NoFileExists(t, codeownersPath)
		}
	}
}
