package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// makesToken runs `waybill token new`.
func makesToken(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"token", "new"}, args...), func(string) string { return "" }, &out, &errs)
	return code, out.String(), errs.String()
}

func TestATokensLineGoesToTheFileAndTheTokenToThePerson(t *testing.T) {
	code, line, secret := makesToken(t, "ci", "--scope", "operate", "--repo", "acme/deploy", "--until", "2027-01-31")
	require.Zero(t, code)
	require.Regexp(t, `^ci scope=operate sha256=[0-9a-f]{64} repos=acme/deploy until=2027-01-31\n$`, line)
	require.Regexp(t, `^wb_[A-Z2-7]{26}\n$`, secret)
	require.NotContains(t, line, strings.TrimSpace(secret))
	_, err := api.ParseTokens([]byte(line))
	require.NoError(t, err)

	file := filepath.Join(t.TempDir(), "tokens")
	for _, name := range []string{"a", "b"} {
		code, secret, stderr := makesToken(t, name, "--file", file)
		require.Zero(t, code, stderr)
		require.Regexp(t, `^wb_`, secret)
	}
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	tokens, err := api.OpenTokens(file)
	require.NoError(t, err)
	require.NotNil(t, tokens)
}

func TestATokenThatCannotBeIsNotMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	code, _, _ := makesToken(t, "a", "--file", file)
	require.Zero(t, code)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"a", "--file", file}, 1, "a stands there twice: give each token a name of its own"},
		{[]string{"a b"}, 2, "a line begins with the name of a token"},
		{[]string{"x", "--scope", "root"}, 2, `--scope must be read or operate, not "root"`},
		{[]string{"x", "--until", "tomorrow"}, 2, `--until must be a day such as 2027-01-31, not "tomorrow"`},
		{[]string{"x", "--repo", "acme"}, 2, "repos= must list home repositories as owner/name"},
	} {
		before, err := os.ReadFile(file)
		require.NoError(t, err)
		code, stdout, stderr := makesToken(t, c.args...)
		require.Equal(t, c.code, code)
		require.Empty(t, stdout)
		require.Contains(t, stderr, c.want)
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
}
