package sandbox

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestAServerIsSetUpInABrowser goes the way of the README's installation with the real program and a real browser:
// setup, the App's pages on GitHub, serve, a token, init, the doctor, who first finds a permission missing and then
// nothing wrong, the first promotion, and the sign-in on the page.
func TestAServerIsSetUpInABrowser(t *testing.T) {
	browser := chromium(t)
	binary, err := build()
	require.NoError(t, err)
	github, err := githubsim.Start(githubsim.Options{
		App: githubsim.App{WebhookSecret: "0a1b2c3d"}, Report: func(violation error) { t.Error(violation) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { github.Close() })
	require.NoError(t, github.CreateOrg("acme"))
	require.NoError(t, github.CreateUser("ann", "acme"))
	github.SignInAs("ann")
	require.NoError(t, github.CreateRepo("acme/deploy", map[string]string{
		"Dockerfile": "FROM scratch\n", "main.go": "package main\n",
		"deploy/dev/values.yaml":        "image: {repository: ghcr.io/acme/deploy, tag: 0a1b2c3}\n",
		"deploy/prod/values.yaml":       "image: {repository: ghcr.io/acme/deploy, tag: 0a1b2c3}\n",
		".github/workflows/deploy.yaml": "on: push\njobs: {deploy-dev: {steps: []}}\n",
	}))
	require.NoError(t, github.SetPermission("acme/deploy", "ann", "write"))
	folder, address := t.TempDir(), freeAddress(t)
	public := "http://" + address

	set := exec.Command(binary, "setup", "--url", public, "--github", github.URL(), "--org", "acme", "--folder", folder,
		"--without", "workflows")
	shown, err := set.StderrPipe()
	require.NoError(t, err)
	var out strings.Builder
	set.Stdout = &out
	require.NoError(t, set.Start())
	lines := bufio.NewScanner(shown)
	page := ""
	for page == "" && lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, "http://127.0.0.1:") {
			page = line
		}
	}
	require.NotEmpty(t, page, "setup shows no address")
	b := &tab{t: t, ctx: browser}
	b.do(chromedp.Navigate(page))
	b.sees("Make the GitHub App waybill-acme")
	b.sees("contents: write")
	require.Empty(t, b.barriers())
	b.press("Make it on " + github.URL())
	b.sees("Create GitHub App for acme")
	b.press("Create GitHub App for acme")
	b.sees("waybill exists")
	b.press("Install it")
	b.press("Install on acme")
	b.sees("waybill is installed on acme")
	require.NoError(t, set.Wait())
	require.NoError(t, github.Permit("checks", "")) // somebody has unticked it
	require.Contains(t, out.String(), "waybill serve --config "+filepath.Join(folder, "waybill.env"))

	// The server has no settings but those that were written, wherever it is started.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	serve := exec.CommandContext(ctx, binary, "serve", "--config", filepath.Join(folder, "waybill.env"))
	serve.Env, serve.Dir = []string{"WAYBILL_LISTEN=" + address}, t.TempDir()
	require.NoError(t, serve.Start())
	t.Cleanup(func() { _ = serve.Process.Kill(); _ = serve.Wait() })
	require.Eventually(t, func() bool {
		answer, err := http.Get(public + "/readyz")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusOK
	}, 30*time.Second, 50*time.Millisecond, "the server is not ready")

	token, err := exec.Command(binary, "token", "new", "me", "--file", filepath.Join(folder, "waybill.tokens")).Output()
	require.NoError(t, err)
	tool := func(env string, args ...string) (string, error) {
		command := exec.CommandContext(ctx, binary, args...)
		command.Env = append(os.Environ(), env)
		said, err := command.CombinedOutput()
		return string(said), err
	}
	doctor := func() (string, error) {
		return tool("WAYBILL_API_TOKEN="+strings.TrimSpace(string(token)), "doctor", "--server", public)
	}
	said, err := tool("GH_ENTERPRISE_TOKEN="+github.UserToken("ann"), "init", "--github", github.URL(), "--repo",
		"acme/deploy", "--pull-request", "--yes")
	require.NoError(t, err, said)
	_, err = github.MergePull("acme/deploy", 1, "ann", "squash")
	require.NoError(t, err, said)
	become := func(what string, so func(said string, err error) bool) {
		require.Eventually(t, func() bool { return so(doctor()) }, 30*time.Second, 200*time.Millisecond, what)
	}
	become("the doctor names the permission that is missing, and fails", func(said string, err error) bool {
		return err != nil && strings.Contains(said, "2 stages in force") &&
			regexp.MustCompile(`(?m)^FAIL +permission Checks \(write\)`).MatchString(said)
	})
	require.NoError(t, github.Permit("checks", "write"))
	become("nothing is wrong any more", func(said string, err error) bool {
		return err == nil && !strings.Contains(said, "FAIL") && regexp.MustCompile(
			`(?m)^ok +permission Actions \(write\): .*no pipeline has stages that start workflows`).MatchString(said)
	})
	number, err := github.OpenPull("acme/deploy", githubsim.PullSpec{Title: "Greet", Head: "greet", Author: "ann",
		Files: map[string]*string{"main.go": githubsim.Text("package main // greets\n")}})
	require.NoError(t, err)
	merged, err := github.MergePull("acme/deploy", number, "ann", "squash")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		head := github.Head("acme/deploy", "main")
		values, _ := github.File("acme/deploy", head, "deploy/dev/values.yaml")
		// The job runs on each push. What init has proposed may be freight, too, and goes first.
		_, err := github.CreateCheckRun("acme/deploy", githubsim.CheckSpec{
			Name: "deploy-dev", SHA: head, Suite: "ci", Branch: "main", Conclusion: "success"})
		return err == nil && strings.Contains(values, merged[:7])
	}, 30*time.Second, 200*time.Millisecond, "the freight is promoted into dev")
	require.FileExists(t, filepath.Join(folder, "waybill.db"), "the ledger is beside the settings")

	b.do(chromedp.Navigate(public))
	b.press("Sign in with GitHub")
	b.sees("Sign out")
	b.sees("ann")
}
