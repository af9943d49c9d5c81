package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/setup"
	"waybill/internal/githubsim"
	"waybill/internal/private"
)

// setUp runs a command line without a terminal.
func setUp(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"setup"}, args...), func(string) string { return "" }, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestSetupRefusesBadInputWithPlaceAndRemedy(t *testing.T) {
	t.Chdir(t.TempDir())
	const url = "--url=https://waybill.example.com"
	for says, args := range map[string][]string{
		"--url is missing: say the address":                       nil,
		"--url: it must begin with https://":                      {"--url=http://waybill.example.com"},
		"--url: GitHub cannot reach localhost":                    {"--url=https://localhost"},
		"--url: \"https://x.example/y\" must end behind the host": {"--url=https://x.example/y"},
		"--github: \"git\" is no address such as":                 {url, "--github=git"},
		"--org: \"acme/deploy\" is no name of an organization":    {url, "--org=acme/deploy"},
		"--others: \"@beta\" is no name of an organization":       {url, "--others=@beta"},
		"--name: \"a name that is longer than Git":                {url, "--name=a name that is longer than GitHub takes"},
		"did you mean images?":                                    {url, "--without=image"},
		"--listen must be a host and a port of this machine":      {url, "--listen=0.0.0.0:8484"},
		"--print-manifest is the first step and --code the last":  {url, "--print-manifest", "--code=x"},
	} {
		code, out, errs := setUp(t, args...)
		require.Equal(t, int(codeMisused), code, "%s %s", args, errs)
		require.Contains(t, errs, says)
		require.Empty(t, out)
	}
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSetupOverwritesNothingUnlessToldTo(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, f := range settingsFiles {
		require.NoError(t, os.WriteFile(f.name, []byte("mine"), 0o644))
		code, _, errs := setUp(t, "--url=https://waybill.example.com", "--code=x")
		require.Equal(t, int(codeRefused), code)
		require.Contains(t, errs, f.name+" exists already, and setup overwrites nothing: move it away, say another")
		require.NoError(t, os.Remove(f.name))
	}
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	code, _, errs := setUp(t, "--url=https://waybill.example.com", "--code=x", "--folder=file")
	require.Equal(t, int(codeRefused), code)
	require.Contains(t, errs, "--folder: ")
}

// TestASetupWithoutAPageEndsWithTheCode goes the way of somebody without a browser on the machine, twice.
func TestASetupWithoutAPageEndsWithTheCode(t *testing.T) {
	github, err := githubsim.Start(githubsim.Options{App: githubsim.App{WebhookSecret: "0a1b2c"}, Unchecked: true})
	require.NoError(t, err)
	t.Cleanup(func() { github.Close() })
	folder := filepath.Join(t.TempDir(), "settings")
	args := []string{"--url=http://127.0.0.1:8080", "--github=" + github.URL(), "--folder=" + folder, "--without=images"}

	code, manifest, errs := setUp(t, append(args, "--print-manifest")...)
	require.Zero(t, code, errs)
	require.NoDirExists(t, folder)
	require.Contains(t, errs, "waybill setup --url http://127.0.0.1:8080 --github "+github.URL()+" --folder "+folder+
		" --code CODE")
	var m setup.Manifest
	require.NoError(t, json.Unmarshal([]byte(manifest), &m))
	require.NotContains(t, m.Permissions, "packages")

	code, _, errs = setUp(t, append(args, "--code=00000000")...)
	require.Equal(t, int(codeRefused), code)
	require.Contains(t, errs, "GitHub does not know this code")

	for _, more := range [][]string{nil, {"--force"}} {
		if more != nil {
			require.NoError(t, os.WriteFile(filepath.Join(folder, tokensName), []byte("# mine\n"), 0o600))
		}
		code, out, errs := setUp(t, append(append(args, more...), "--code="+created(t, github, manifest))...)
		require.Zero(t, code, errs)
		require.Contains(t, out, github.URL()+"/apps/waybill/installations/new")
		require.Contains(t, out, "Left out: images.")
		require.NotContains(t, out, "0a1b2c")
		for _, file := range settingsFiles {
			f, err := os.Open(filepath.Join(folder, file.name))
			require.NoError(t, err)
			require.NoError(t, private.Check(f))
			info, err := f.Stat()
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode(), file.name)
			require.NoError(t, f.Close())
			require.Contains(t, out, file.name)
		}
	}
	tokens, err := os.ReadFile(filepath.Join(folder, tokensName))
	require.NoError(t, err)
	require.Equal(t, "# mine\n", string(tokens), "people have the tokens that are there")
	settings, err := os.ReadFile(filepath.Join(folder, settingsName))
	require.NoError(t, err)
	require.Contains(t, string(settings), "GITHUB_APP_PRIVATE_KEY_FILE="+filepath.Join(folder, keyName)+"\n")
	require.Contains(t, string(settings), "GITHUB_WEB_URL="+github.URL()+"\n")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, len(settingsFiles))
}

// created has GitHub make the App of a manifest, and returns the code.
func created(t *testing.T, github *githubsim.Server, manifest string) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.PostForm(github.URL()+"/settings/apps", url.Values{"manifest": {manifest}})
	require.NoError(t, err)
	defer answer.Body.Close()
	to, err := answer.Location()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(to.String(), "http://127.0.0.1:8080"), to)
	return to.Query().Get("code")
}
