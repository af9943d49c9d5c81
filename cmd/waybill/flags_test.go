package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// says runs a command line that is wrong, and returns what it says.
func says(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, func(string) string { return "" }, &out, &errs)
	require.Equal(t, int(codeMisused), code, "%s: %s", args, errs.String())
	return strings.TrimPrefix(errs.String(), "waybill: ")
}

// TestAWrongFlagIsToldInWordsOfOurs gives flags what they do not take.
func TestAWrongFlagIsToldInWordsOfOurs(t *testing.T) {
	for args, want := range map[string]string{
		"wait x --for 2x":                "--for takes a duration such as 30m or 2h, not \"2x\"",
		"wait x --for -5m":               "--for takes a duration such as 30m or 2h, not \"-5m0s\"",
		"wait x --for":                   "--for lacks its DURATION",
		"events --after x":               "--after takes a whole number such as 20, not \"x\"",
		"events --after -7":              "--after takes the number of a line, such as 20, or 0 for the beginning, not -7",
		"promotions --limit 2.5":         "--limit takes a whole number such as 20, not \"2.5\"",
		"sandbox --port x":               "--port takes a whole number such as 20, not \"x\"",
		"sandbox --port 99999":           "--port takes a number from 1 to 65534, such as 8080, not 99999",
		"sandbox --seed -1":              "--seed takes a whole number such as 20, not \"-1\"",
		"status --json=maybe":            "--json takes no value: leave \"maybe\" out",
		"status --jsn":                   "there is no flag --jsn; did you mean --json?",
		"status --colour":                "there is no flag --colour",
		"status -x":                      "there is no flag -x",
		"status --=x":                    "there is no flag --=x",
		"do hold prod --for 2h":          "there is no flag --for; a command with flags of its own stands in quotes",
		"validate --repo nowhere x":      "\"nowhere\" is not a repository: name it as owner/name",
		"migrate":                        "--to is missing: name the new database, such as --to postgres://",
		"export --verify --pipeline a/b": "--verify and --pipeline do not go together: leave one of them out",
		"sandbox --script x --port 80":   "--script and --port do not go together: leave one of them out",
	} {
		require.Contains(t, says(t, strings.Fields(args)...), want, args)
	}
}

// TestNoFlagShowsTheWordsOfAParser gives each flag of each command what it can hardly take.
func TestNoFlagShowsTheWordsOfAParser(t *testing.T) {
	tried := 0
	parser := regexp.MustCompile(`strconv|invalid|parsing|syntax|argument`)
	var each func(c *cobra.Command, words []string)
	each = func(c *cobra.Command, words []string) {
		for _, inner := range c.Commands() {
			each(inner, append(words[:len(words):len(words)], inner.Name()))
		}
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			switch f.Value.Type() {
			case "string", "stringSlice", "stringArray":
				return
			}
			tried++
			text := says(t, append(words, "--"+f.Name+"=\x00?")...)
			require.NotRegexp(t, parser, text, c.CommandPath())
			require.Regexp(t, "--"+f.Name+" takes (no value|.* such as )", text)
		})
	}
	each(commands(func(string) string { return "" }), nil)
	require.Greater(t, tried, 40)
}
