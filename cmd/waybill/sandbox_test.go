//go:build !nosandbox

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTheCommandsThatAskFindTheSandbox runs the sandbox and, as in a second terminal, commands that query it.
func TestTheCommandsThatAskFindTheSandbox(t *testing.T) {
	connect := filepath.Join(t.TempDir(), "connect.json")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		var out, errs bytes.Buffer
		ended <- run(ctx, []string{"sandbox", "--connect", connect}, os.Getenv, &out, &errs)
	}()
	defer func() { stop(); require.Zero(t, <-ended) }()
	require.Eventually(t, func() bool { _, err := os.Stat(connect); return err == nil }, time.Minute, 10*time.Millisecond)
	text, err := os.ReadFile(connect)
	require.NoError(t, err)
	var to struct{ Waybill, Token string }
	require.NoError(t, json.Unmarshal(text, &to))

	asks := func(token string, args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		env := map[string]string{"WAYBILL_PUBLIC_URL": to.Waybill, "WAYBILL_API_TOKEN": token}
		code := run(t.Context(), args, func(name string) string { return env[name] }, &out, &errs)
		return code, out.String(), errs.String()
	}
	code, out, errs := asks("", "status")
	require.Zero(t, code, errs)
	require.Regexp(t,
		`(?s)^acme/deploy\n  by the pipeline file of main at [0-9a-f]{7}\n  compared with GitHub .*\ndev  .*\nprod  `, out)
	code, out, _ = asks("", "status", "acme/deploy", "prod", "--json")
	require.Zero(t, code)
	require.Contains(t, out, `"name": "prod"`)
	code, out, errs = asks("", "status", "p*", "DEV", "--json")
	require.Zero(t, code, errs)
	require.Regexp(t, `(?s)"stages": \[\n\s+\{\n\s+"name": "dev".*\n\s+"name": "prod"`, out)
	require.NotContains(t, out, `"name": "staging-a"`)
	for _, args := range [][]string{{"status", "group:x"}, {"wait", "dev,group:x"}, {"promotions", "group:x"}} {
		code, _, errs = asks("", args...)
		require.Equal(t, 1, code)
		require.Equal(t, "waybill: there is no group:x here: the pipeline file puts no stage into a group: `groups`\n", errs)
	}
	code, out, errs = asks("", "wait", "dev,p*", "--for", "1ms", "--json")
	require.Equal(t, 3, code, errs)
	require.Contains(t, out, `"text": "0 of 2 stages have passed"`)
	code, out, _ = asks(to.Token, "resync", "acme/deploy")
	require.Zero(t, code)
	require.Contains(t, out, "acme/deploy has been compared with GitHub")
	code, out, errs = asks(to.Token, "doctor")
	require.Zero(t, code, "%s\n%s", out, errs)
	require.Contains(t, out, "ok   permission: all of 12 are granted\n")
	require.NotContains(t, out, "FAIL")
	code, _, _ = asks("", "doctor")
	require.Zero(t, code, "everybody reads everything in the sandbox")
	code, _, _ = asks("", "resync", "acme/deploy")
	require.Equal(t, int(codeNotAllowed), code)
	code, out, errs = asks(to.Token, "do", "hold prod until the demo is over")
	require.Zero(t, code, errs)
	require.Contains(t, out, "prod is held until somebody lifts the hold.\n")
	require.Contains(t, out, "To undo it: waybill do \"unhold prod\"\n")
	code, out, _ = asks(to.Token, "do", "/status prod", "--repo", "acme/deploy")
	require.Zero(t, code)
	require.Regexp(t, `(?s)^acme/deploy\nprod +hosts: nothing; .*waits for: held by ann since .*: until\s+the\s+demo is `,
		out)
	code, out, errs = asks(to.Token, "do", "why", "prod")
	require.Zero(t, code, errs)
	require.Contains(t, out, "prod")
	code, _, errs = asks(to.Token, "do", "hold", "prod", "--for", "2h")
	require.Equal(t, 2, code)
	require.Contains(t, errs, "stands in quotes")
	for words, offered := range map[string]string{
		"": "rollback\tGoes back", "hold": "prod\n", "admit api#1": "prod\n", "help": "rollback\tGoes back",
	} {
		_, out, _ = asks(to.Token, append(append([]string{"__complete", "do"}, strings.Fields(words)...), "")...)
		require.Contains(t, out, offered, words)
	}
	_, out, _ = asks(to.Token, "__complete", "do", "promote", "prod", "")
	require.NotContains(t, out, "prod")
	code, out, errs = asks(to.Token, "do", "promote nowhere", "--json")
	require.Equal(t, 1, code)
	require.Contains(t, out, `"outcome": "refused"`)
	require.Empty(t, errs, "a program reads the answer")
	require.Contains(t, out, "there is no nowhere here: the stages are dev")
	code, _, errs = asks(to.Token, "do", "promoet prod")
	require.Equal(t, 2, code)
	require.Contains(t, errs, "promote")
	code, _, errs = asks("", "do", "unhold prod")
	require.Equal(t, 4, code)
	require.Contains(t, errs, "set WAYBILL_API_TOKEN")
	code, out, errs = asks(to.Token, "freight")
	require.Zero(t, code, errs)
	require.Regexp(t, `(?s)^api#142  "Greet by name" by ann, .* ago\n +dev: .* \(promotion 1\)\n`, out)
	code, out, errs = asks(to.Token, "promotions", "dev")
	require.Zero(t, code, errs)
	require.Regexp(t, `(?s)^promotion 1 +api#142 to dev: .*asked for by automation`, out)
	code, out, errs = asks(to.Token, "promotion", "1")
	require.Zero(t, code, errs)
	require.Regexp(t, `(?s)^promotion 1 +api#142 to dev: .*\n  http.*/pull/\d+\n.*  changes deploy/dev/.*\n.* open: `+
		`done\n.* merge: done`, out)
	code, _, errs = asks(to.Token, "promotions", "dve")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "acme/deploy has no stage dve; did you mean dev?")
	code, _, errs = asks(to.Token, "promotion", "7")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "acme/deploy has no promotion 7")
	code, out, errs = asks(to.Token, "wait", "dev", "--for", "1ms")
	require.Equal(t, 3, code, errs)
	require.Contains(t, out, "promotion 1 of api#142: Merged, verifying")
	heard := follows(t, to.Waybill, to.Token)
	require.Contains(t, <-heard, `"seq":1,`, "from the beginning")
	code, _, errs = asks(to.Token, "do", "unhold prod")
	require.Zero(t, code, errs)
	unheld := func() bool { return strings.Contains(<-heard, `"word":"unhold"`) }
	require.Eventually(t, unheld, time.Minute, time.Millisecond)
	code, out, errs = asks(to.Token, "policy", "explain", "prod", "ann")
	require.Zero(t, code, errs)
	require.Regexp(t, `(?s)^ann in prod of acme/deploy: \w+ permission\n.*/promote   yes .*\n/admit     no: nobody may `+
		`do that here \(no rule\)`, out)
	code, _, errs = asks(to.Token, "policy", "explain", "prod", "nobody-at-all")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "nobody on GitHub is called nobody-at-all")
	code, out, errs = asks(to.Token, "deliveries", "list")
	require.Zero(t, code, errs)
	require.Equal(t, "Nothing is parked.\n", out)
	code, _, errs = asks(to.Token, "deliveries", "replay", "none")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "github:none: not found")
	code, _, errs = asks("", "resync", "acme/deploy")
	require.Equal(t, 4, code)
	require.Contains(t, errs, "set WAYBILL_API_TOKEN, or use --token-file")
}

// follows runs `waybill events` from the beginning, and returns its lines.
func follows(t *testing.T, server, token string) <-chan string {
	t.Helper()
	lines := make(chan string, 100)
	ended := make(chan int, 1)
	ctx, stop := context.WithCancel(t.Context())
	in, out := io.Pipe()
	go func() {
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	go func() {
		env := map[string]string{"WAYBILL_PUBLIC_URL": server, "WAYBILL_API_TOKEN": token}
		args := []string{"events", "--after", "0", "--json"}
		ended <- run(ctx, args, func(name string) string { return env[name] }, out, io.Discard)
	}()
	t.Cleanup(func() {
		stop()
		require.Zero(t, <-ended)
		require.NoError(t, out.Close())
	})
	return lines
}

// TestAStoryIsPlayedOnAGitHubOfABadDay: what is no profile is refused with those that there are.
func TestAStoryIsPlayedOnAGitHubOfABadDay(t *testing.T) {
	const file = "../../promotion/testdata/stories/the-whole-way-to-prod.txtar"
	play := func(profiles string) (code int, out, errs bytes.Buffer) {
		code = run(t.Context(), []string{"sandbox", "--github", profiles, "--seed", "7", "--script", file}, os.Getenv, &out,
			&errs)
		return code, out, errs
	}
	code, out, errs := play("noisy,strict")
	require.Zero(t, code, errs.String())
	require.Contains(t, out.String(), "as written, 7 steps")
	code, _, errs = play("noisy,mad")
	require.Equal(t, 2, code)
	require.Equal(t, "waybill: --github mad: there is lagging, limiting, noisy, strict, failing\n", errs.String())
}
