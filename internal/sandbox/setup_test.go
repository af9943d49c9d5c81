package sandbox

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
)

// TestAServerIsSetUpInABrowser goes the way of the README's installation with the real program and a real browser:
// setup, the App's pages on GitHub, serve, a token, the doctor, who finds nothing wrong, and the sign-in on the page.
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
		".github/waybill.yml": oneStage, "dev.yaml": "tag: none\n", "src/x": "x\n",
	}))
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
	var said []byte
	require.Eventually(t, func() bool {
		doctor := exec.Command(binary, "doctor", "--server", public)
		doctor.Env = append(os.Environ(), "WAYBILL_API_TOKEN="+strings.TrimSpace(string(token)))
		said, err = doctor.CombinedOutput()
		return err == nil && strings.Contains(string(said), "1 stage in force")
	}, 30*time.Second, 200*time.Millisecond, "%s", &said)
	require.Regexp(t, `(?m)^ok +permission Actions \(write\): .*no pipeline has stages that start workflows`, string(said))
	require.NotContains(t, string(said), "FAIL")
	require.FileExists(t, filepath.Join(folder, "waybill.db"), "the ledger is beside the settings")

	b.do(chromedp.Navigate(public))
	b.press("Sign in with GitHub")
	b.sees("Sign out")
	b.sees("ann")
}
