package handlers

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/spent"
)

func TestWhatIsSaidInACommentT6(t *testing.T) {
	for text, want := range map[string][]string{
		"/promote prod":                                          {"/promote prod"},
		"@waybill promote prod":                                  {"@waybill promote prod"},
		"\n  /promote prod\nsince it is time":                    {"/promote prod", "since it is time"},
		"/promote prod\r\n":                                      {"/promote prod"},
		"It is time.\n\n/promote prod\n/hold dev\n":              {"It is time.", "/promote prod", "/hold dev"},
		"/promote prod  \n/hold dev":                             {"/promote prod", "/hold dev"},
		"/hold prod **now**":                                     {"/hold prod now"},
		"/promote **prod** **api#1**":                            {"/promote prod api#1"},
		"/hold *eu*":                                             {"/hold *eu*"},
		"/hold *-*-prod because *now*":                           {"/hold *-*-prod because *now*"},
		"/hold *-prod\n/status cart-*":                           {"/hold *-prod", "/status cart-*"},
		"/unhold **":                                             {"/unhold **"},
		"/hold prod _now_":                                       {"/hold prod now"},
		"/hold *-eu-*":                                           {"/hold *-eu-*"},
		"/hold *eu* because *now*":                               {"/hold *eu* because *now*"},
		"/hold *-prod\n/hold staging-*\nit burns":                {"/hold *-prod", "/hold staging-*", "it burns"},
		"as *he said\n/hold dev*\n/hold *eu*":                    {"as he said /hold dev", "/hold *eu*"},
		"/promote prod `api#142`":                                {"/promote prod api#142"},
		"/promote prod <!-- linear:isThreadRoot -->":             {"/promote prod "},
		"/promote prod\n\n<!-- linear:isThreadRoot -->":          {"/promote prod"},
		"/hold prod\n--\nAnn, on her telephone":                  {"/hold prod"},
		"/hold prod\n\n> On Monday bob wrote:\n> /promote prod":  {"/hold prod"},
		"<details>\n\n/promote prod\n\n</details>\n\n/hold prod": {"/hold prod"},
		"<img src=x>\n\n/hold prod":                              {"/hold prod"},
		"`/hold prod`":                                           {"/hold prod"},
		"`/hold`":                                                {"/hold"},
		"&#47;promote prod":                                      nil,
	} {
		require.Equal(t, want, Lines(text), "%q", text)
		require.Equal(t, want, Lines(strings.ReplaceAll(text, "\n", "\r\n")), "%q with CRLF", text)
	}
}

// quotes are comments that quote a command without giving it.
var quotes = []string{
	"`/promote prod`", "```\n/promote prod\n```", "~~~\n/promote prod\n~~~", "    /promote prod", "\t/promote prod",
	"\n\n    /promote prod", "`\n/promote prod\n`", "``/promote prod``", "`/holdall`", "`/hold` dev", "please `/hold dev`",
	"> /promote prod", ">/promote prod", "> said\n/promote prod", "- /promote prod", "- x\n/promote prod",
	"* /promote prod", "1. /promote prod", "# /promote prod", "/promote prod\n===", "/promote prod\n---",
	"[/promote prod](x)", "[\n/promote prod\n](x)", "![/promote prod](x)", "![\n/promote prod\n](x)",
	"<!-- /promote prod -->", "<!--\n/promote prod\n-->", "<!--\n\n/promote prod\n\n-->",
	"<details>\n/promote prod\n</details>", "<details>\n\n/promote prod\n</details>",
	"<details><summary>x</summary>\n\n/promote prod\n", "<blockquote>\n\n/promote prod\n\n</blockquote>",
	"<pre>\n/promote prod\n</pre>", "x <span>\n\n/promote prod\n\n</span>", "| /promote prod |",
	"a | b\n--- | ---\n/promote prod | x", `\/promote prod`, "*/promote prod*", "**/promote prod**",
	"_/promote prod_", "<b>/promote prod</b>",
	"```\n/promote prod", "[a]: /promote", "<https://x/promote prod>",
}

func TestWhatIsShownInACommentIsNotSaidT6(t *testing.T) {
	for _, text := range quotes {
		for _, ends := range []string{"\n", "\r\n"} {
			for _, line := range Lines(strings.ReplaceAll(text, "\n", ends)) {
				require.False(t, strings.HasPrefix(strings.TrimSpace(line), "/"), "%q says %q", text, line)
			}
		}
	}
}

// monsters are comments as large as they are read, made to keep a parser busy.
func monsters() map[string]string {
	const largest = maxComment - 100
	fill := func(s string) string { return strings.Repeat(s, largest/len(s)) }
	return map[string]string{
		"nested quotes":     fill("> ") + "\n\n/hold dev",
		"nested lists":      fill("- ") + "\n\n/hold dev",
		"lines":             strings.Repeat("a\n", 10000) + "/hold dev",
		"commands":          fill("/hold dev\n"),
		"quotation marks":   "/hold " + fill(`"`),
		"emphasis":          "/hold dev " + fill("*_"),
		"brackets":          "/hold dev " + fill("["),
		"links":             "/hold dev " + fill("[a]("),
		"images":            "/hold dev " + fill("!["),
		"code":              "/hold dev " + fill("`a``b"),
		"HTML":              "/hold dev " + fill("<a "),
		"tables":            "/hold dev\n\na|b\n-|-\n" + fill("a|b\n"),
		"references":        fill("[a]: b\n") + "\n/hold dev",
		"invisible letters": "/hold dev" + fill("\u200b"),
		"broken UTF-8":      "/hold dev " + fill("\xff"),
	}
}

func TestNoCommentIsTooLargeToBeReadT9(t *testing.T) {
	for name, text := range monsters() {
		require.LessOrEqual(t, len(strings.Join(Lines(text), "")), maxComment, name)
	}
}

// BenchmarkLines shows that the largest comments take a negligible time (T9).
func BenchmarkLines(b *testing.B) {
	all := monsters()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(all[name])))
			for b.Loop() {
				Lines(all[name])
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	for _, text := range quotes {
		f.Add(text)
	}
	for _, text := range []string{"/promote prod", "/hold\r\n", "a\n\n/hold dev", "<details>\n\n/x\n" +
		"</details>", "`/hold dev`", "/hold dev\n--\nx"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var lines []string
		spent.Bound{Base: 64 << 10, PerByte: 1 << 10}.Check(t, len(text), func() { lines = Lines(text) })
		for _, line := range lines {
			if strings.ContainsAny(line, "\n\r") {
				t.Fatalf("%q says %q", text, line)
			}
		}
		breaks := strings.NewReplacer("\r\n", "\n> ", "\r", "\n> ", "\n", "\n> ") // each ends a line
		for _, line := range Lines("> " + breaks.Replace(text)) {
			if strings.HasPrefix(line, "/") {
				t.Fatalf("%q, quoted, says %q", text, line)
			}
		}
	})
}
