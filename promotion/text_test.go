package promotion

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// allCodes reads the codes from the source, so that none can be forgotten here.
func allCodes(t *testing.T) []Code {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "reason.go", nil, 0)
	require.NoError(t, err)
	var codes []Code
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		if typ, named := spec.Type.(*ast.Ident); named && typ.Name == "Code" {
			word, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			codes = append(codes, Code(word))
		}
		return true
	})
	require.Greater(t, len(codes), 20)
	return codes
}

// sampleArgs are the arguments that a code has, in each way that it may have them.
var sampleArgs = map[Code][][]string{
	Asked: {{"ann"}, {}}, Closed: {{"bob"}, {}}, Behind: {{"7"}}, BeforeFailed: {{"7", "smoke"}, {"7"}}, Newer: {{"api#143"}},
	Held: {{"ann"}, {"bot"}}, Frozen: {{}, {"weekend"}}, Incomplete: {{"ghcr.io/acme/web", "ghcr.io/acme/worker"}}, Void: {{"ann"}, {}}, Unverified: {{"qa"}, {"qa", "staging"}}, FailedCheck: {{"smoke"}, {"qa", "smoke"}}, Soaking: {{"qa", "staging"}},
	Unapproved: {{"2"}}, Missing: {{"smoke"}}, TimedOut: {{"smoke"}}, Inconclusive: {{"smoke"}, {}}, Conflict: {{"dev.yaml", "b.yaml"}},
	Unreadable: {{"dev.yaml"}}, Rolling: {{"canary", "eu-1", "us-1"}}, Resting: {{"canary"}}, Paused: {{"ann"}}, Skipped: {{"eu-1"}}, Unready: {{"eu-1", "us-1"}}, Refused: {{}, {"branch"}}, Removed: {{"dev"}}, Waiting: {{"smoke", "e2e / *"}, {}}, Unmergable: {{"a review is missing"}},
	Moved: {{"acme/eu@live"}}, Drifted: {{"dev.yaml image.tag"}}, Unknown: {{"api#9"}},
	Forbidden: {{"nobody"}, {"not", "author"}, {"automatic"}, {"read"}, {"write"}, {"maintain"}, {"admin"}, {"sre", "lead"}},
}

// TestEveryReasonHasASentence keeps testdata/sentences.txt: what people read.
func TestEveryReasonHasASentence(t *testing.T) {
	var b strings.Builder
	for _, code := range allCodes(t) {
		samples := sampleArgs[code]
		if samples == nil {
			samples = [][]string{nil}
		}
		for _, args := range samples {
			r := Because(code, args...)
			require.NotEqual(t, string(code), r.Sentence(), "%s has no sentence", code)
			require.NotContains(t, r.Sentence(), "  ")
			fmt.Fprintf(&b, "%s\n\t%s\n", r, r.Sentence())
			if r.Markdown() != r.Sentence() {
				fmt.Fprintf(&b, "\t%s\n", r.Markdown())
			}
		}
	}
	fmt.Fprintf(&b, "\nWith a detail:\n\t%s\n", Because(Unreadable, "dev.yaml").With("image.tag is not there").Sentence())
	const file = "testdata/sentences.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Empty(t, difference(string(want), b.String()), "read the difference, then run go test ./promotion -update")
}

func TestACodeThatNobodyKnowsIsSaidAsItIs(t *testing.T) {
	require.Equal(t, "later", Because("later").Sentence())
}

// attacks are texts that would do something in Markdown on GitHub (T11).
var attacks = []string{
	"@org/team", "@everyone", "mail a@b.example", "#1", "acme/api#1", "Fixes #1", "GH-1", "<!channel>", "<@U1>", "```", "`code`", "**bold**", "_em_", "~~no~~",
	"a | b", "-->", "<!-- x -->", "![](http://evil.example/x.png)", "[x](javascript:alert(1))", "https://evil.example", "www.evil.example", ":tada:",
	"$x$", "a\n\n# title", "\r\n- item", "<img src=x onerror=alert(1)>", "&lt;", "\u202egnp.exe", "a\u200bb", "\x1b[31m", "```mermaid\nclick A\n```", "\xff\xfe",
	"click s0 href \"javascript:alert(1)\"", "%%{init: {}}%%", "\"]; s1[\"x", "javascript:alert(1)", "/promote prod",
}

// formats is what must not stand in Markdown, and refers what must not stand in what is made of it.
var (
	formats = []string{"<", ">", "`", "*", "_", "~", "|", "[", "]", "(", ")", "!", "$", "\n", "\r", "\x1b", "\u202e"}
	refers  = []string{"@e", "@o", "@b", "#1", "GH-1", "://", "www.", ":t"}
)

func TestPlainTextPingsNobodyLinksNothingAndFormatsNothing(t *testing.T) { // T11
	for _, attack := range attacks {
		got := Plain(attack)
		require.True(t, utf8.ValidString(got))
		for _, f := range formats {
			require.NotContains(t, got, f, attack)
		}
		for _, r := range refers {
			require.NotContains(t, html.UnescapeString(got), r, attack)
		}
	}
	require.Equal(t, "a text, as it was typed.", Plain(" a text,\n as it was typed. "))
	require.Equal(t, "Fixes &#35;\u200b1 by &#64;\u200bann", Plain("Fixes #1 by @ann"))
	require.Equal(t, "a&#124;b &#38;amp;", Plain("a|b &amp;"))
	require.Equal(t, "é ∀ 水", Plain("é ∀ 水"))
}

func TestCodePingsNobodyLinksNothingAndFormatsNothing(t *testing.T) { // T11
	for _, attack := range attacks {
		got := code(attack)
		if got == "" {
			continue
		}
		require.True(t, strings.HasPrefix(got, "`") && strings.HasSuffix(got, "`") && strings.Count(got, "`") == 2, "%q", got)
		require.NotContains(t, got, "\n")
		require.NotContains(t, got, "\u202e")
	}
	require.Equal(t, "", code(" ` \n"))
	require.Equal(t, "`e2e / *`", code("e2e / *"))
	require.Equal(t, "`a|b`", code("a|b"))
	require.Equal(t, "`a\\|b`, `c`", cells([]string{"a|b", "c"}))
	require.Len(t, code(strings.Repeat("x", 1000)), 202)
}

func TestWhatPeopleTypeIsHarmlessInEverythingThatIsPosted(t *testing.T) { // T11
	for _, attack := range []string{"@org/team", "Fixes #1", "<!-- waybill:status -->", "![x](http://evil.example)"} {
		r := Because(Unknown, attack).With(attack).At("javascript:alert('" + attack + "')")
		p := &Promotion{Number: 7, FreightName: "api#142", Stage: "dev", State: Failed}
		for _, text := range []string{
			ReplyText("refused", r), ReplyText("already", r), TellText(p, "failed", r), TellText(p, "verification-failed", r), TellText(p, "missing", r), TellText(p, "drifted", r),
			Standing{Name: "api#142", Promotion: p, Reason: r, Drift: r}.Summary("dev", Link{}),
		} {
			bare := text
			for part := range strings.SplitSeq(text, "`") { // what stands between two back ticks is code
				if strings.Contains(part, attack) {
					bare = strings.Replace(bare, "`"+part+"`", "", 1)
				}
			}
			require.NotContains(t, bare, attack, text)
			require.NotContains(t, text, "javascript")
		}
	}
}

func TestOnlyAddressesOfTheWebAreLinked(t *testing.T) {
	for url, want := range map[string]bool{
		"https://github.com/acme/api/runs/1?x=y#z": true, "http://ci.example/1": true, "": false, "javascript:alert(1)": false, "ftp://x": false,
		"https://x y": false, "https://x\n@org": false, "https://x<script>": false, "https://x](y": false, "https://" + strings.Repeat("x", 1000): false,
	} {
		require.Equal(t, want, address(url) == url && url != "", url)
	}
}

func TestTextsStayWithinWhatGitHubTakes(t *testing.T) { // F41
	long := strings.Repeat("é", 40_000)
	paths := make([]string, 500)
	for i := range paths {
		paths[i] = long
	}
	p := &Promotion{Number: 7, FreightName: long, Stage: StageName(strings.Repeat("s", 50)), State: Failed}
	r := Because(Conflict, paths...).With(long)
	require.LessOrEqual(t, len(PullTitle(p)), 250)
	require.True(t, utf8.ValidString(PullTitle(p)))
	require.LessOrEqual(t, len(Standing{Promotion: p, Reason: r}.Title()), 200)
	require.Less(t, len(TellText(p, "failed", r)), 65_536)
	require.Less(t, len(ReplyText("refused", r)), 65_536)
	require.Less(t, len(ConfigTrouble(long)), 65_536)
	require.Contains(t, Because(Conflict, paths...).Markdown(), "480 more")
	require.NotContains(t, Because(Conflict, paths[:20]...).Markdown(), "more")
	require.Equal(t, "abcde", clip("abcde", 5))
	require.Equal(t, "ab...", clip("abcdef", 5))
	require.Equal(t, "é...", clip("éééé", 6))
}

func TestATitleIsOneLine(t *testing.T) {
	at := Standing{Promotion: &Promotion{State: Failed}, Reason: Because(Refused).With("no\nway\r\nout")}
	require.Equal(t, "Failed: GitHub does not allow it: no way out", at.Title())
	require.Equal(t, "Not available yet: not verified in qa", Standing{Place: PlaceUnavailable, Reason: Because(Unverified, "qa")}.Title())
	require.Equal(t, "Available", Standing{Place: PlaceAvailable}.Title())
}

func TestEveryStateAndPlaceHasWords(t *testing.T) {
	for _, state := range States {
		require.NotEmpty(t, Standing{Promotion: &Promotion{State: state}}.Title(), state)
	}
	for _, place := range []Place{PlaceAvailable, PlaceUnavailable, PlaceSkipped} {
		require.NotEmpty(t, Standing{Place: place}.Title(), place)
	}
}

func TestWhatAPersonCanDoNext(t *testing.T) {
	next := func(state State, r Reason) string {
		return Standing{Promotion: &Promotion{State: state}, Reason: r}.Next("dev")
	}
	for state, want := range map[State]string{
		Queued: "/cancel dev", Running: "/cancel dev", WaitingForMerge: "/cancel dev", Verifying: "", Succeeded: "", Failed: "/retry dev",
		Declined: "/retry dev", VerificationFailed: "/rollback dev", Cancelled: "", Superseded: "",
	} {
		require.Equal(t, want, next(state, Reason{}), state)
	}
	require.Equal(t, "/verify dev", next(Verifying, Because(Inconclusive)))
	require.Equal(t, "/verify dev", next(Verifying, Because(Missing)))
	for place, want := range map[Place]string{PlaceAvailable: "/promote dev api#1", PlaceSkipped: "/promote dev api#1", PlaceUnavailable: ""} {
		require.Equal(t, want, Standing{Name: "api#1", Place: place}.Next("dev"), place)
	}
	require.Equal(t, "/approve dev", Standing{
		Promotion: &Promotion{State: WaitingForMerge}, Place: PlaceOpen, Reason: Because(Unapproved, "1"),
	}.Next("dev"))
}

func TestWhatIsPostedReadsLikeThis(t *testing.T) {
	p := &Promotion{Number: 7, FreightName: "api#142", Stage: "dev", Class: Manual, By: ann, State: WaitingForMerge}
	f := Freight{Number: 142, Pull: 142, Repo: "acme/api", SHA: "abc"}
	require.Equal(t, "Brings **`api#142`** to **`dev`**, from acme/api#142 (abc).\n\n"+
		"| promotion | class | files |\n|---|---|---|\n| 7 | manual | `a.yaml`, `b.yaml` |\n\n"+
		"To stop it, close this pull request, or comment `/cancel dev` on it; `/hold dev` stops what comes after, too.\n",
		PullBody(p, f, []string{"a.yaml", "b.yaml"}))
	require.Contains(t, PullBody(p, Freight{Number: 9, Repo: "acme/api", SHA: "abc", Contents: Contents{Tag: "v1"}}, nil), "**`dev`**, from `v1` of acme/api (abc).")
	require.Contains(t, PullBody(p, Freight{Number: 9, Repo: "acme/api", SHA: "abc"}, nil), "**`dev`**, from acme/api@abc.")
	require.NotContains(t, PullBody(p, Freight{}, nil), "from", "nobody knows")
	require.Equal(t, "Promote api#142 to dev", PullTitle(p))
	require.Equal(t, "Promote api#142 to dev\n\nWaybill-Promotion: 7\n", CommitMessage(p, "Waybill-Promotion: 7"))
	require.Equal(t, "Done.", ReplyText("done", Reason{}))
	require.Equal(t, "Nothing to do: it is so already.", ReplyText("already", Reason{}))
	require.Equal(t, "Nothing to do: `ann` holds it.", ReplyText("already", Because(Held, "ann")))
	require.Equal(t, "Refused: it is not allowed.", ReplyText("refused", Reason{}))
	require.Equal(t, "Refused: there is no `api#9` here.", ReplyText("refused", Because(Unknown, "api#9")))
	require.Equal(t, "**`api#142`** could not be promoted to **`dev`**: GitHub does not allow it.\n\nNext: `/retry dev`\n", TellText(p, "failed", Because(Refused)))
	require.Equal(t, "**`api#142`** is in **`dev`**, but it is not good: `smoke` failed.\n\nNext: `/rollback dev`, or merge a fix\n\nSee: https://x\n",
		TellText(p, "verification-failed", Because(FailedCheck, "smoke").At("https://x")))
	require.Equal(t, "**`api#142`** is in **`dev`**, and nobody can tell whether it is good: no signal of `smoke` appeared. The stage is held.\n\n"+
		"Next: `/verify dev` asks GitHub again, `/verdict dev pass --because \"...\"` decides\n", TellText(p, "missing", Because(Missing, "smoke")))
	require.Equal(t, "**`api#142`** in **`dev`**: Waiting for its merge: `bob` holds it.\n\nPromotion 7, manual, asked for by ann.\n\nPull request: https://y\n\n"+
		"See: https://x\n\nLooked at again at 2026-01-01 12:00 UTC.\n\nNext: `/cancel dev`\n",
		Standing{Name: "api#142", Promotion: p, Reason: Because(Held, "bob").At("https://x"), Until: noon}.Summary("dev", Link{OnPull, "https://y"}))
	require.Equal(t, "**`api#142`** in **`dev`**: Not available yet: not verified in `qa`.\n",
		Standing{Name: "api#142", Place: PlaceUnavailable, Reason: Because(Unverified, "qa")}.Summary("dev", Link{}))
}

func TestAPlanOfWhatIsOnItsWayOffersNoSecondPromotion(t *testing.T) {
	plan := Plan{Values: []Value{{Path: "dev.yaml", Key: "tag", Text: "2"}}}
	s := inState(Queued)
	r := planReport(s, s.Freight[0].ID, nil, plan)
	require.Contains(t, r.Notes, "It is on its way: promotion 1 of api#1, queued")
	require.Empty(t, r.Next)
	s = inState(Succeeded)
	require.Equal(t, "/promote dev api#1", planReport(s, s.Freight[0].ID, nil, plan).Next)
}
