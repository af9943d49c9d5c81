package main

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/layout"
)

// atGitHub is a GitHub with the repository acme/deploy, which ann may write to.
type atGitHub struct {
	*githubsim.Server
	t   *testing.T
	env map[string]string
}

// onGitHub begins a GitHub, every exchange with which is checked against its description.
func onGitHub(t *testing.T, files map[string]string) *atGitHub {
	t.Helper()
	t.Chdir(t.TempDir())
	server, err := githubsim.Start(githubsim.Options{Report: func(err error) { t.Errorf("violation: %v", err) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	require.NoError(t, server.CreateOrg("acme"))
	require.NoError(t, server.CreateUser("ann", "acme"))
	require.NoError(t, server.CreateRepo("acme/deploy", files))
	return &atGitHub{server, t, map[string]string{"GH_ENTERPRISE_TOKEN": server.UserToken("ann")}}
}

// aRepo is aClone as GitHub has it.
func aRepo() map[string]string {
	files := maps.Clone(aClone)
	delete(files, ".git/config")
	files["app/main.go"] = "package main\n"
	files["node_modules/x/dev/values.yaml"] = "image: {repository: ghcr.io/acme/x, tag: 1.0.0}\n"
	return files
}

// init runs a command line without a terminal.
func (g *atGitHub) init(args ...string) (code int, out, errs string) {
	g.t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(g.t.Context(), append([]string{"init", "--github", g.URL(), "--repo", "acme/deploy"}, args...),
		func(name string) string { return g.env[name] }, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// asked runs a command line at a terminal, at which somebody answers.
func (g *atGitHub) asked(answers string, change func(*initial)) (out, questions string, err error) {
	g.t.Helper()
	var stdout, stderr bytes.Buffer
	i := initial{home: "acme/deploy", github: g.URL(), out: &stdout, errs: &stderr, story: &stdout,
		getenv: func(name string) string { return g.env[name] },
		ask:    asker{in: strings.NewReader(answers), out: &stderr}}
	if change != nil {
		change(&i)
	}
	err = i.run(g.t.Context())
	return stdout.String(), stderr.String(), err
}

// reports has checks and statuses reported on the last commits of main.
func (g *atGitHub) reports(names ...string) {
	g.t.Helper()
	sha := g.Head("acme/deploy", "main")
	for _, name := range names {
		status, is := strings.CutPrefix(name, "status:")
		if is {
			require.NoError(g.t, g.CreateStatus("acme/deploy", sha, "ann", status, "success", ""))
			continue
		}
		_, err := g.CreateCheckRun("acme/deploy", githubsim.CheckSpec{Name: name, SHA: sha, Conclusion: "success"})
		require.NoError(g.t, err)
	}
	_, err := g.PushFiles("acme/deploy", "main", "ann", "later", map[string]*string{"README.md": githubsim.Text("#")})
	require.NoError(g.t, err)
}

func TestInitOpensAPullRequestWithWhatItHasDrafted(t *testing.T) {
	g := onGitHub(t, aRepo())
	g.reports("test (ubuntu, 1.26)", "deploy-dev", "waybill / dev", "status:argocd/staging")
	head := g.Head("acme/deploy", "main")
	code, out, errs := g.init("--pull-request", "--owner", "@acme/platform")
	require.Zero(t, code, errs)
	require.Empty(t, errs)
	require.Equal(t, `Found in acme/deploy: Helm values, of api
  dev          deploy/dev/values.yaml  image.tag: 0a1b2c3
  staging      deploy/staging/values.yaml  image.tag: 0a1b2c3
  prod         deploy/prod/values.yaml  image.tag: 0a1b2c3
Order: dev -> staging -> prod, by their names; --stages sets another
Checked, as waybill validate and waybill simulate do
ok   .github/waybill.yml
ok   .github/waybill.story.txtar
  .github/waybill.yml                          the stages, and what a promotion changes in each
  .github/waybill.policy.yml                   which stages promote by themselves, and who may do what
  .github/waybill.story.txtar                  one version on its way, as it would go
  .github/CODEOWNERS                           who reviews changes of these files
Opened `+g.URL()+`/acme/deploy/pull/1
Next
  1. Check that people merge changes of api in acme/api: init guessed it from the name of the image.
     --source names another.
  2. Name the check that verifies prod: `+"`verify: [NAME]`"+` in the pipeline file. Until then freight counts
     as verified there once it is merged, and no later stage promotes by itself. Seen on the last
     commits of main, or in workflows: deploy-dev, test (ubuntu, 1.26), status:argocd/staging, lint.
     Argo CD and Flux can report by a commit status, as in docs/recipes: --verify STAGE=status:NAME.
  3. Commit a .github/waybill.yml to acme/api, with which it agrees:
       version: 1
       allow: [acme/deploy]
  4. Let the rules of the default branch require a review from code owners: the file alone does not.
  5. Read the files, and change what you want otherwise: docs/pipeline-file.md has every key. Then, in a
     clone with the branch waybill-init
       waybill validate .github/waybill.yml .github/waybill.policy.yml
  6. The story has copies of them, and of the files that promotions change: check that everybody may see
     them. With your changes there, this writes what happens then:
       waybill simulate --update .github/waybill.story.txtar
  7. Install the App on acme/deploy and acme/api, and merge the pull request: the check `+"`waybill /"+`
     config`+"`"+` on it says what they would do.
`, out)

	pulls := g.Pulls("acme/deploy")
	require.Len(t, pulls, 1)
	require.Equal(t, "ann", pulls[0].Author, "it is the person's, not an App's")
	require.Equal(t, "Promote api with Waybill", pulls[0].Title)
	require.Equal(t, "waybill-init", pulls[0].HeadBranch)
	require.Equal(t, "main", pulls[0].BaseBranch)
	require.Len(t, g.PullCommits("acme/deploy", 1), 1)
	changes, err := g.PullChanges("acme/deploy", 1)
	require.NoError(t, err)
	require.Len(t, changes, 4)
	require.Equal(t, head, g.Head("acme/deploy", "main"))
	text := shownAs(pulls[0].Body)
	for _, part := range []string{
		"`waybill init` has drafted these files for `api`.", "- `.github/waybill.policy.yml`: which stages promote by",
		"  dev          deploy/dev/values.yaml  image.tag: 0a1b2c3\n", "### Decided without you",
		"- People merge changes of api in acme/api: the image is called so.",
		"- dev is verified by deploy-dev, which is named for it.",
		"- staging is verified by argocd/staging, which is named for it.",
		"- Merged pull requests are promoted", "- Automatic: dev and staging, which", "### What is left to do",
		"2. Name the check that verifies prod:", "   version: 1\n   allow: [acme/deploy]\n",
	} {
		require.Contains(t, text, part)
	}
	pipeline, _ := g.File("acme/deploy", "waybill-init", config.PipelinePath)
	require.Contains(t, pipeline, "verify: [deploy-dev]")
	require.Contains(t, pipeline, "verify: [{status: argocd/staging}]")
	owners, _ := g.File("acme/deploy", "waybill-init", codeownersPath)
	require.Contains(t, owners, "@acme/platform")
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, left, "nothing is on the disk")

	code, _, errs = g.init("--pull-request")
	require.Equal(t, int(codeRefused), code)
	require.Contains(t, errs, "there is a branch waybill-init already, perhaps of an earlier init: merge or close its")
	require.Len(t, g.Pulls("acme/deploy"), 1)
}

// shownAs is a text of GitHub as people read it.
func shownAs(text string) string {
	return strings.NewReplacer("\u200b", "", "&#58;", ":", "&#45;", "-", "&#96;", "`", "&#40;", "(", "&#41;", ")",
		"&#62;", ">", "&#91;", "[", "&#93;", "]", "&#95;", "_").Replace(text)
}

// TestInitOffersTheChecksThatItSaw has a person choose among them, and agree.
func TestInitOffersTheChecksThatItSaw(t *testing.T) {
	g := onGitHub(t, aRepo())
	g.reports("test", "deploy-dev", "status:argocd/prod")
	out, questions, err := g.asked(".\n\n2,3\nmy check\n\nyes\n", nil)
	require.NoError(t, err)
	require.Equal(t, `In which repository do people merge changes of api, as owner/name (. is this one)? [acme/api] `+
		`Checks and statuses of the last commits of main:
   1  deploy-dev
   2  test
   3  status:argocd/prod
   4  lint  (a job of a workflow, which has not reported yet)
What verifies dev? Numbers with commas, another name, or nothing [1] `+
		`What verifies staging? Numbers with commas, another name, or nothing [nothing] `+
		`What verifies prod? Numbers with commas, another name, or nothing [3] `+
		`Who reviews changes of Waybill's files, as @owner/team (nothing: nobody has to)? `+
		`Open a pull request in acme/deploy with these files (yes or no)? [no] `, questions)
	require.Contains(t, out, "Opened "+g.URL()+"/acme/deploy/pull/1\n")
	require.Contains(t, out, "Check the name of my check: nothing of that name has reported on the last commits of main.")
	pipeline, _ := g.File("acme/deploy", "waybill-init", config.PipelinePath)
	for _, verify := range []string{
		"verify: [deploy-dev]", "verify: [test, {status: argocd/prod}]", `verify: ["my check"]`,
	} {
		require.Contains(t, pipeline, verify)
	}
	require.NotContains(t, g.Pulls("acme/deploy")[0].Body, "which is named for it", "a person has chosen")
}

func TestInitOpensNoPullRequestUnlessAPersonAgrees(t *testing.T) {
	g := onGitHub(t, aRepo())
	for _, answers := range []string{"", ".\n\n\n\n\nno\n", ".\n\n\n\n\n\n"} {
		_, questions, err := g.asked(answers, nil)
		require.EqualError(t, err, "no pull request was opened; --print shows what would be in it", questions)
	}
	for _, args := range []string{"", "--yes"} {
		code, out, errs := g.init(strings.Fields(args)...)
		require.Equal(t, int(codeMisused), code)
		require.Empty(t, out)
		require.Contains(t, errs, "nobody can be asked whether to open a pull request: say --pull-request, or --print")
	}
	code, out, errs := g.init("--print")
	require.Zero(t, code, errs)
	require.Contains(t, errs, "Run init with --pull-request in the place of --print to propose the files.")
	simulated, _, stderr, _ := simulate(t, out)
	require.Zero(t, simulated, stderr)
	require.Empty(t, g.Pulls("acme/deploy"))
	require.Equal(t, []string{"main"}, g.Branches("acme/deploy"))
	for _, r := range g.Requests() {
		require.True(t, r.Method == http.MethodGet || len(r.Fields) == 1 && r.Fields[0] == "repository", "%+v", r)
	}
}

func TestInitOverwritesNothingOnGitHub(t *testing.T) {
	for _, name := range []string{config.PipelinePath, config.PolicyPath, layout.StoryPath} {
		files := aRepo()
		files[name] = "ours"
		g := onGitHub(t, files)
		code, _, errs := g.init("--pull-request")
		require.Equal(t, int(codeRefused), code)
		require.Contains(t, errs, name+" of acme/deploy exists already, and init overwrites nothing")
		require.Equal(t, []string{"main"}, g.Branches("acme/deploy"))
	}
	files := aRepo()
	files["docs/CODEOWNERS"] = "* @ann\n"
	g := onGitHub(t, files)
	code, out, errs := g.init("--pull-request", "--owner", "@bob")
	require.Zero(t, code, errs)
	require.Contains(t, out, "Add to docs/CODEOWNERS, and let the rules")
	_, found := g.File("acme/deploy", "waybill-init", codeownersPath)
	require.False(t, found)
}

func TestInitSaysWhatIsWrongWithTheTokenOrTheRepository(t *testing.T) {
	g := onGitHub(t, aRepo())
	require.NoError(t, g.CreateUser("eve"))
	stranger := g.UserToken("eve")
	require.NoError(t, g.CreateUser("rob"))
	require.NoError(t, g.SetPermission("acme/deploy", "rob", "read"))
	for says, c := range map[string]struct {
		env  map[string]string
		code exitCode
	}{
		"GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN must have a token of yours for " + g.URL(): {
			map[string]string{"GH_TOKEN": g.UserToken("ann"), "GITHUB_TOKEN": g.UserToken("ann")}, codeMisused},
		"GitHub does not take the token: it is wrong, or has expired": {
			map[string]string{"GITHUB_ENTERPRISE_TOKEN": "ghp_wrong"}, codeRefused},
		"is the name right, and may your token read it?": {
			map[string]string{"GH_ENTERPRISE_TOKEN": stranger}, codeRefused},
		"Your token must be allowed to write there: contents and pull requests.": {
			map[string]string{"GH_ENTERPRISE_TOKEN": g.UserToken("rob")}, codeRefused},
	} {
		g.env = c.env
		code, _, errs := g.init("--pull-request")
		require.Equal(t, int(c.code), code, says)
		require.Contains(t, errs, says)
		for _, token := range c.env {
			require.NotContains(t, errs, token)
		}
	}
	require.Equal(t, []string{"main"}, g.Branches("acme/deploy"))

	g.env = map[string]string{"GH_ENTERPRISE_TOKEN": g.UserToken("ann")}
	for _, c := range []struct {
		fault githubsim.Fault
		route githubsim.Route
		code  exitCode
		says  string
	}{
		{githubsim.Fault{Status: 503, Times: -1}, githubsim.Route{}, codeUnreachable, "try again"},
		{githubsim.Fault{Status: 503}, githubsim.Route{Path: "/repos/{owner}/{repo}/git/commits"}, codeUnreachable,
			"look there before you try again"},
	} {
		g.Faults().FailNext(c.route, c.fault)
		code, _, errs := g.init("--pull-request")
		require.Equal(t, int(c.code), code, errs)
		require.Contains(t, errs, c.says)
		g.Faults().Clear()
	}
	for says, args := range map[string][]string{
		"--pull-request is for a repository on GitHub: name it": {"init", ".", "--pull-request"},
		"--github: \"git\" is no address such as": {
			"init", "--repo=acme/deploy", "--github=git", "--pull-request"},
		"\"deploy\" is not a repository": {"init", "--repo=deploy", "--pull-request"},
		"GH_TOKEN or GITHUB_TOKEN must have a token of yours for https://github.com": {
			"init", "--repo=acme/deploy", "--pull-request"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), args, func(name string) string { return g.env[name] }, &out, &errs)
		require.Equal(t, int(codeMisused), code)
		require.Contains(t, errs.String(), says)
	}
}

// TestInitGoesOnWhereGitHubDoesNotShowTheChecks has a token that may not read them.
func TestInitGoesOnWhereGitHubDoesNotShowTheChecks(t *testing.T) {
	g := onGitHub(t, aRepo())
	g.reports("deploy-dev", "status:argocd/staging")
	g.Faults().FailNext(githubsim.Route{Method: http.MethodPost, Path: "/graphql"},
		githubsim.Fault{Status: 403, Nth: 3, Body: `{"message": "Resource not accessible by personal access token"}`})
	code, out, errs := g.init("--pull-request")
	require.Zero(t, code, errs)
	require.Contains(t, out, "Not seen: read the names of checks on main of acme/deploy: Resource not accessible by")
	pipeline, _ := g.File("acme/deploy", "waybill-init", config.PipelinePath)
	require.Contains(t, pipeline, "argocd/staging")
	require.Contains(t, pipeline, "verify: [deploy-dev]", "a job of a workflow")
}

// TestInitReadsWhatIsInFilesOnly has a link, whose text is that of a file, and a file that is no text.
func TestInitReadsWhatIsInFilesOnly(t *testing.T) {
	files := without(aRepo(), "deploy/staging/values.yaml")
	files["deploy/qa/values.yaml"] = "image: {repository: \xff, tag: 0a1b2c3}\n"
	g := onGitHub(t, files)
	_, err := g.PushEntry("acme/deploy", "main", "ann", "deploy/staging/values.yaml", "120000",
		aClone["deploy/staging/values.yaml"])
	require.NoError(t, err)
	code, out, errs := g.init("--print")
	require.Zero(t, code, errs)
	require.NotContains(t, out+errs, "deploy/staging")
	require.NotContains(t, out+errs, "deploy/qa")
	require.NotContains(t, out+errs, "node_modules")
	require.Contains(t, out, "deploy/prod/values.yaml")
}
