package say

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"waybill/internal/golden"
	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// allCodes reads the codes from the source, so that the tests miss none.
func allCodes(t *testing.T) []promotion.Code {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "../reason.go", nil, 0)
	require.NoError(t, err)
	var codes []promotion.Code
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		if typ, named := spec.Type.(*ast.Ident); named && typ.Name == "Code" {
			word, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			codes = append(codes, promotion.Code(word))
		}
		return true
	})
	require.Greater(t, len(codes), 20)
	return codes
}

// sampleArgs has the arguments of each code, in each form that they can have.
var sampleArgs = map[promotion.Code][][]string{
	promotion.Asked: {{"ann"}, {}}, promotion.Closed: {{"bob"}, {}}, promotion.Decided: {{"ann"}},
	promotion.Merged:       {{"7"}, {"7", "eu-1"}},
	promotion.Behind:       {{"7"}},
	promotion.BeforeFailed: {{"7", "smoke"}, {"7"}}, promotion.Newer: {{"api#143"}},
	promotion.Lapsed: {{"3f182b5"}}, promotion.Carried: {{"api#143", "prod"}}, promotion.Before: {{"api#143", "prod"}},
	promotion.Held: {{"ann"}, {"bot"}, {"ann", "api"}, {"bot", "api"}}, promotion.Frozen: {{}, {"weekend"}},
	promotion.Incomplete: {{"ghcr.io/acme/web", "ghcr.io/acme/worker"}}, promotion.Void: {{"ann"}, {}},
	promotion.Recovered:  {{"api#144", "9"}},
	promotion.Rejected:   {{"api#1", "ann"}},
	promotion.Unverified: {{"qa"}, {"qa", "staging"}}, promotion.FailedCheck: {{"smoke"}, {"qa", "smoke"}},
	promotion.Soaking: {{"qa", "staging"}}, promotion.Left: {{"qa"}},
	promotion.Unapproved: {{"2"}}, promotion.Missing: {{"smoke"}}, promotion.TimedOut: {{"smoke"}},
	promotion.Inconclusive: {{"smoke"}, {}}, promotion.Conflict: {{"dev.yaml", "b.yaml"}},
	promotion.Unreadable: {{"dev.yaml"}}, promotion.NotPlanned: {nil, {"dev.yaml", "ci.yaml"}},
	promotion.Rolling: {{"canary", "eu-1", "us-1"}},
	promotion.Resting: {{"canary"}}, promotion.Paused: {{"ann"}}, promotion.Skipped: {{"eu-1"}},
	promotion.Unready:     {{"eu-1", "us-1"}},
	promotion.PlanChanged: {{"pushed"}, {"retargeted", "main"}, {"elsewhere", "side"}, {}},
	promotion.NotReady:    {{"environment eu-1"}}, promotion.Refused: {{}, {"branch"}}, promotion.Removed: {{"dev"}},
	promotion.InTurn:  {{"7", "dev"}},
	promotion.Waiting: {{"smoke", "e2e / *"}, {}}, promotion.Unmergable: {{"a review is missing"}},
	promotion.Moved: {{"acme/eu@live"}}, promotion.Drifted: {{"dev.yaml image.tag"}}, promotion.Unknown: {{"api#9"}},
	promotion.Which:     {{"p3 api#2", "p4 api#3"}},
	promotion.Over:      {{"declined", "dev", "api#1"}, {"declined", "dev", "api#1", "why"}, {"declined", "dev"}},
	promotion.NoFreight: {{"acme/api#7", "unmerged"}, {"acme/api#7"}},
	promotion.Keeps:     {{"api#7", "prod"}},
	promotion.Hosts:     {{"api#7", "api#8"}},
	promotion.Several:   {{"api#7", "web#7"}},
	promotion.Lifted:    {{"api", "web"}},
	promotion.Forbidden: {{"nobody"}, {"not", "author"}, {"not", "author", "api#4"}, {"unknown", "author", "api#4"},
		{"more", "100"}, {"automatic"}, {"read"}, {"write"}, {"maintain"}, {"admin"},
		{"sre", "lead"}},
}

// TestEveryReasonHasASentence compares the sentences that people read with testdata/sentences.txt.
func TestEveryReasonHasASentence(t *testing.T) {
	var b strings.Builder
	for _, code := range allCodes(t) {
		samples := sampleArgs[code]
		if samples == nil {
			samples = [][]string{nil}
		}
		for _, args := range samples {
			r := promotion.Because(code, args...)
			require.NotEqual(t, string(code), Sentence(r), "%s has no sentence", code)
			require.NotContains(t, Sentence(r), "  ")
			fmt.Fprintf(&b, "%s\n\t%s\n", r, Sentence(r))
			if markdown(r) != Sentence(r) {
				fmt.Fprintf(&b, "\t%s\n", markdown(r))
			}
		}
	}
	fmt.Fprintf(&b, "\nWith a detail:\n\t%s\n",
		Sentence(promotion.Because(promotion.Unreadable, "dev.yaml").With("image.tag is not there")))
	golden.Check(t, "testdata/sentences.txt", b.String(), "go test ./promotion/say -update")
}

func TestACodeThatNobodyKnowsIsSaidAsItIs(t *testing.T) {
	require.Equal(t, "later", Sentence(promotion.Because("later")))
}

// attacks are texts with an effect in Markdown on GitHub (T11).
var attacks = []string{
	"@org/team", "@everyone", "mail a@b.example", "#1", "acme/api#1", "Fixes #1", "GH-1", "<!channel>", "<@U1>", "```",
	"`code`", "**bold**", "_em_", "~~no~~",
	"a | b", "-->", "<!-- x -->", "![](http://evil.example/x.png)", "[x](javascript:alert(1))", "https://evil.example",
	"www.evil.example", ":tada:",
	"$x$", "a\n\n# title", "\r\n- item", "<img src=x onerror=alert(1)>", "&lt;", "\u202egnp.exe", "a\u200bb",
	"\x1b[31m", "```mermaid\nclick A\n```", "\xff\xfe",
	"click s0 href \"javascript:alert(1)\"", "%%{init: {}}%%", "\"]; s1[\"x", "javascript:alert(1)", "/promote prod",
}

// formats is what must not stand in Markdown, and refers what must not stand in what is made of it.
var (
	formats = []string{"<", ">", "`", "*", "_", "~", "|", "[", "]", "(", ")", "!", "$", "\n", "\r", "\x1b", "\u202e"}
	refers  = []string{"@e", "@o", "@b", "#1", "GH-1", "://", "www.", ":t"}
)

func TestPlainTextPingsNobodyLinksNothingAndFormatsNothing(t *testing.T) { // T11
	for _, attack := range attacks {
		got := plain(attack)
		require.True(t, utf8.ValidString(got))
		for _, f := range formats {
			require.NotContains(t, got, f, attack)
		}
		for _, r := range refers {
			require.NotContains(t, html.UnescapeString(got), r, attack)
		}
	}
	require.Equal(t, "a text, as it was typed.", plain(" a text,\n as it was typed. "))
	require.Equal(t, "Fixes &#35;\u200b1 by &#64;\u200bann", plain("Fixes #1 by @ann"))
	require.Equal(t, "a&#124;b &#38;amp;", plain("a|b &amp;"))
	require.Equal(t, "é ∀ 水", plain("é ∀ 水"))
}

func TestCodePingsNobodyLinksNothingAndFormatsNothing(t *testing.T) { // T11
	for _, attack := range attacks {
		got := code(attack)
		if got == "" {
			continue
		}
		require.True(t, strings.HasPrefix(got, "`") && strings.HasSuffix(got, "`") && strings.Count(got, "`") == 2,
			"%q", got)
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
		r := promotion.Because(promotion.Unknown, attack).With(attack).At("javascript:alert('" + attack + "')")
		p := &promotion.Promotion{
			Number: 7, Freight: promotion.FreightRef{Name: "api#142"}, Stage: "dev", State: promotion.Failed,
		}
		for _, text := range []string{
			refused(r).Markdown(), Refusal{Outcome: "already", Reason: r}.Markdown(), TellText(p, "failed", r, nil),
			TellText(p, "verification-failed", r, nil), TellText(p, "missing", r, nil), TellText(p, "drifted", r, nil),
			PressText(promotion.Request{By: promotion.Actor{Login: promotion.Login(attack)}}, refused(r).Markdown()),
			Deed{Request: promotion.Request{
				Command: promotion.Command{Verb: promotion.CmdPromote, Stage: "dev", Freight: attack, Text: attack},
				By:      promotion.Actor{Login: promotion.Login(attack)}}}.Report().Markdown(),
			RefusalOf(promotion.Request{
				Command: promotion.Command{Verb: promotion.CmdPromote, Stage: "dev", Freight: attack}},
				"refused", promotion.Because(promotion.Held, attack), promotion.Policy{}, "dev").Markdown(),
			Summary(promotion.FreightStatus{Name: "api#142", Promotion: p, Reason: r, Drift: r}, "dev"), ClosedText(r),
		} {
			bare := text
			for result := range strings.SplitSeq(text, "`") { // the text between two back ticks is code
				if strings.Contains(result, attack) {
					bare = strings.Replace(bare, "`"+result+"`", "", 1)
				}
			}
			require.NotContains(t, bare, attack, text)
			require.NotContains(t, text, "javascript")
		}
	}
}

func TestFreightIsHarmlessInEachSentenceThatNamesIt(t *testing.T) { // T11: a tag may be called anything
	const typed = "p3 @org/team"
	for _, code := range []promotion.Code{promotion.Newer, promotion.Rejected, promotion.Carried, promotion.Before,
		promotion.Keeps, promotion.Hosts, promotion.Several, promotion.Which, promotion.Unknown} {
		text := ClosedText(promotion.Because(code, typed, typed, typed))
		for i, outside := range strings.Split(text, "`") {
			if i%2 == 0 { // between two back ticks is code
				require.NotContains(t, outside, "@org/team", text)
			}
		}
	}
}

func TestOnlyAddressesOfTheWebAreLinked(t *testing.T) {
	for url, want := range map[string]bool{
		"https://github.com/acme/api/runs/1?x=y#z": true, "http://ci.example/1": true, "": false,
		"javascript:alert(1)": false, "ftp://x": false,
		"https://x y": false, "https://x\n@org": false, "https://x<script>": false, "https://x](y": false,
		"https://" + strings.Repeat("x", 1000): false,
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
	p := &promotion.Promotion{
		Number: 7, Freight: promotion.FreightRef{Name: long}, Stage: promotion.StageName(strings.Repeat("s", 50)),
		State: promotion.Failed,
	}
	r := promotion.Because(promotion.Conflict, paths...).With(long)
	require.LessOrEqual(t, len(PullTitle(p)), 250)
	require.True(t, utf8.ValidString(PullTitle(p)))
	require.LessOrEqual(t, len(Title(promotion.FreightStatus{Promotion: p, Reason: r})), 200)
	require.Less(t, len(TellText(p, "failed", r, nil)), 65_536)
	require.Less(t, len(refused(r).Markdown()), 65_536)
	require.Less(t, len(ConfigTrouble(long)), 65_536)
	require.Contains(t, markdown(promotion.Because(promotion.Conflict, paths...)), "480 more")
	require.NotContains(t, markdown(promotion.Because(promotion.Conflict, paths[:20]...)), "more")
	require.Equal(t, "abcde", promotion.Clip("abcde", 5))
	require.Equal(t, "ab...", promotion.Clip("abcdef", 5))
	require.Equal(t, "é...", promotion.Clip("éééé", 6))
}

func TestATitleIsOneLine(t *testing.T) {
	at := promotion.FreightStatus{Promotion: &promotion.Promotion{State: promotion.Failed},
		Reason: promotion.Because(promotion.Refused).With("no\nway\r\nout")}
	require.Equal(t, "Failed: GitHub does not allow it: no way out", Title(at))
	require.Equal(t, "Not available yet: not verified in qa",
		Title(promotion.FreightStatus{Place: promotion.PlaceUnavailable,
			Reason: promotion.Because(promotion.Unverified, "qa")}))
	require.Equal(t, "Available", Title(promotion.FreightStatus{Place: promotion.PlaceAvailable}))
}

func TestEveryStateAndPlaceHasWords(t *testing.T) {
	for _, state := range promotion.States {
		require.NotEmpty(t, Title(promotion.FreightStatus{Promotion: &promotion.Promotion{State: state}}), state)
	}
	for _, place := range []promotion.Place{promotion.PlaceAvailable, promotion.PlaceUnavailable,
		promotion.PlaceSkipped} {
		require.NotEmpty(t, Title(promotion.FreightStatus{Place: place}), place)
	}
}

func TestWhatIsPostedReadsLikeThis(t *testing.T) {
	p := &promotion.Promotion{
		Number: 7, Freight: promotion.FreightRef{Name: "api#142"}, Stage: "dev", Class: promotion.Manual, By: fixture.Ann,
		State: promotion.WaitingForMerge,
	}
	f := promotion.Freight{Number: 142, Pull: 142, Repo: "acme/api", SHA: "abc"}
	body := func(f promotion.Freight, paths ...string) string {
		return PullBody(promotion.FreightStatus{Promotion: p}, f, paths)
	}
	require.Equal(t, "**`dev`** gets **`api#142`**.\n\n"+
		"**What happens:** Waybill merges it as soon as GitHub lets it.  \nAsked for by `ann`.\n\n"+
		"<details><summary>More about it, and how to stop it</summary>\n\n"+
		"| promotion | class | freight | files |\n|---|---|---|---|\n"+
		"| 7 | manual | acme/api#142 (abc) | `a.yaml`, `b.yaml` |\n\n"+
		"Before the merge: close this pull request, or comment `/cancel dev`. `/hold dev` stops what comes after, too.\n"+
		"</details>\n",
		body(f, "a.yaml", "b.yaml"))
	require.Contains(t, body(
		promotion.Freight{Number: 9, Repo: "acme/api", SHA: "abc", Contents: promotion.Contents{Tag: "v1"}}),
		"| `v1` of acme/api (abc) |")
	require.Contains(t, body(promotion.Freight{Number: 9, Repo: "acme/api", SHA: "abc"}), "| acme/api@abc |")
	require.Contains(t, body(promotion.Freight{}), "| manual | `api#142` |", "nobody knows")
	require.Equal(t, "Promote api#142 to dev", PullTitle(p))
	require.Equal(t, "Promote api#142 to dev\n\nWaybill-Promotion: 7\n", CommitMessage(p, "Waybill-Promotion: 7"))
	require.Equal(t, "Nothing to do: it is so already.", Refusal{Outcome: "already"}.Markdown())
	require.Equal(t, "Nothing to do: `ann` holds the stage.",
		Refusal{Outcome: "already", Reason: promotion.Because(promotion.Held, "ann")}.Markdown())
	require.Equal(t, "Refused: it is not allowed.", refused(promotion.Reason{}).Markdown())
	require.Equal(t, "Refused: there is no `api#9` here.",
		refused(promotion.Because(promotion.Unknown, "api#9")).Markdown())
	require.Equal(t, "**`api#142`** could not be promoted to **`dev`**: GitHub does not allow it.\n\nNext: `/retry dev`\n",
		TellText(p, "failed", promotion.Because(promotion.Refused), offers(promotion.CmdRetry)))
	require.Equal(t, "❌ **`api#142`** failed in **`dev`**: `smoke` failed.\n\n"+
		"Next: `/rollback dev`, or merge a fix\n\nSee: https://x\n",
		TellText(p, "verification-failed", promotion.Because(promotion.FailedCheck, "smoke").At("https://x"),
			offers(promotion.CmdRollback)))
	bob := *p
	bob.By = fixture.Bob
	require.Equal(t, "Promotion 7 of **`api#142`** to **`dev`** is cancelled: `bob`, who asked for it, has no right to "+
		"any more.\n\nNext: `/why dev api#142`\n",
		TellText(&bob, "cancelled", promotion.Because(promotion.Forbidden, "write"), nil))
	require.Equal(t, "Promotion 7 of **`api#142`** to **`dev`**, for which `bob` asked, has ended: newer freight took "+
		"its place: `api#143`.\n\nNext: `/why dev api#142`, or `/promote dev`, which asks for it again\n",
		TellText(&bob, "superseded", promotion.Because(promotion.Newer, "api#143"), offers(promotion.CmdPromote)))
	lets := promotion.Command{Verb: promotion.CmdUnhold, Stage: "dev"}
	require.Equal(t, "❌ **`api#142`** failed in **`dev`**: `smoke` failed. Waybill holds the stage.\n\n"+
		"Next: `/rollback dev`, or merge a fix, which waits for `/unhold dev`\n",
		TellText(p, "verification-failed", promotion.Because(promotion.FailedCheck, "smoke"),
			append(offers(promotion.CmdRollback), lets)))
	require.Equal(t, "**`api#142`** could not be promoted to **`dev`**: GitHub does not allow it. "+
		"Waybill holds the stage.\n\nNext: `/unhold dev`, then `/retry dev`\n",
		TellText(p, "failed", promotion.Because(promotion.Refused), append(offers(promotion.CmdRetry), lets)))
	lets.Rest = "api"
	require.Equal(t, "**`api#142`** could not be promoted to **`dev`**: GitHub does not allow it. "+
		"Waybill holds freight of `api` there.\n\nNext: `/unhold dev api`\n",
		TellText(p, "failed", promotion.Because(promotion.Refused), []promotion.Command{lets}))
	require.Equal(t, "❓ No verdict on **`api#142`** in **`dev`**: `smoke` has not reported on the merge. "+
		"Waybill holds the stage.\n\nNext: `/verify dev` asks GitHub again, `/verdict dev pass "+
		"--because \"...\"` decides\n",
		TellText(p, "missing", promotion.Because(promotion.Missing, "smoke"), []promotion.Command{
			{Verb: promotion.CmdVerify, Stage: "dev"},
			{Verb: promotion.CmdVerdict, Stage: "dev", Pass: true, Text: "..."}}))
	require.Equal(t, "**`api#142`** in **`dev`**: Waiting for its merge: `bob` holds the stage.\n\n"+
		"Promotion 7, manual, asked for by ann.\n\nPull request: https://y\n\nSee: https://x\n\n"+
		"Until 2026-01-01 12:00 UTC.\n\nNext: `/cancel dev`\n",
		Summary(promotion.FreightStatus{Name: "api#142", Promotion: p,
			Reason: promotion.Because(promotion.Held, "bob").At("https://x"), Until: fixture.Noon,
			Next: promotion.Command{Verb: promotion.CmdCancel, Stage: "dev"},
			Link: promotion.Link{What: promotion.OnPull, URL: "https://y"}}, "dev"))
	require.Equal(t, "**`api#142`** in **`dev`**: Not available yet: not verified in `qa`.\n",
		Summary(promotion.FreightStatus{Name: "api#142", Place: promotion.PlaceUnavailable,
			Reason: promotion.Because(promotion.Unverified, "qa")}, "dev"))
}

func TestAPlanOfWhatIsOnItsWayOffersNoSecondPromotion(t *testing.T) {
	plan := promotion.Plan{Values: []promotion.Value{{Path: "dev.yaml", Key: "tag", Text: "2"}}}
	s := fixture.InState(promotion.Queued)
	r := planReport(s, s.Freight[0].ID, nil, plan)
	require.Contains(t, r.Notes, "It is on its way: promotion 1 of api#1, queued")
	require.Empty(t, r.Next)
	s = fixture.InState(promotion.Succeeded)
	require.Equal(t, "/promote dev api#1", planReport(s, s.Freight[0].ID, nil, plan).Next)
}

// refused is the answer to a command that nobody remembers.
func refused(why promotion.Reason) Refusal { return Refusal{Outcome: "refused", Reason: why} }

// offers is a command about dev that would be carried out.
func offers(verb promotion.CommandVerb) []promotion.Command {
	return []promotion.Command{{Verb: verb, Stage: "dev"}}
}

func TestAPlanOfWhatCannotBeReadWaits(t *testing.T) { // Q8
	at := promotion.FreightStatus{Name: "api#1"}
	said := func(problem promotion.Reason) string {
		return PlanReport(at, promotion.Status{Stage: &promotion.Stage{Name: "dev"}}, nil,
			promotion.Plan{Problem: problem}).Markdown()
	}
	require.Contains(t, said(promotion.Because(promotion.Unreadable, "dev.yaml")),
		"It would wait until a push mends the file")
	require.Contains(t, said(promotion.Because(promotion.Refused)), "It cannot be promoted")
}
