package command_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"waybill/internal/spent"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"
)

// written prints the parsed command on one line.
func written(c promotion.Command) string {
	results := []string{string(c.Verb), string(c.Stage)}
	if c.All {
		results = append(results, "(all)")
	}
	if c.Pass {
		results = append(results, "(pass)")
	}
	if c.Early {
		results = append(results, "(early)")
	}
	if c.Freight != "" {
		results = append(results, fmt.Sprintf("freight=%q", c.Freight))
	}
	if c.Rest != "" {
		results = append(results, fmt.Sprintf("rest=%q", c.Rest))
	}
	if c.Text != "" {
		results = append(results, fmt.Sprintf("text=%q", c.Text))
	}
	if c.For != 0 {
		results = append(results, "for="+c.For.String())
	}
	return strings.Join(strings.Fields(strings.Join(results, " ")), " ")
}

func TestWhatACommandSays(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/promote prod", "promote prod"},
		{"/promote prod api#142", `promote prod freight="api#142"`},
		{"/promote prod --when-available api#142", `promote prod (early) freight="api#142"`},
		{"/promote prod —when-available", `promote prod (early)`},
		{"promote prod", "promote prod"},
		{"@waybill promote prod", "promote prod"},
		{"@Waybill /promote prod", "promote prod"},
		{"/PROMOTE prod", "promote prod"},
		{"  \t/promote   prod  ", "promote prod"},
		{"/promote prod\r\nbecause it is time\n", "promote prod"},
		{"\n\n/promote prod", "promote prod"},
		{"/promote Prod", "promote Prod"},
		{"/promote prod\u00a0api#1", `promote prod freight="api#1"`}, // T8: a no-break space is a space

		{"/rollback prod", "rollback prod"},
		{"/rollback prod api#1", `rollback prod freight="api#1"`},
		{"/rollback prod to api#1", `rollback prod freight="api#1"`},
		{`/rollback prod to api#1 --because "it burns"`, `rollback prod freight="api#1" text="it burns"`},
		{"/rollback prod to", `rollback prod freight="to"`},

		{"/hold prod", "hold prod"},
		{"/hold prod until we know", `hold prod rest="until we know"`},
		{"/hold prod --for 2h the database is slow", `hold prod rest="the database is slow" for=2h0m0s`},
		{`/hold prod --because "it burns"`, `hold prod text="it burns"`},
		{"/hold --all", "hold (all)"},
		{"/hold --all everything burns", `hold (all) rest="everything burns"`},
		// T32: an invalid duration means no end, and the answer says so
		{"/hold prod --for -1h", `hold prod text="(without end: -1h is no time up to 720h)"`},
		{"/hold prod --for 9999d it burns", `hold prod rest="it burns" text="(without end: 9999d is no time up to 720h)"`},
		{"/hold prod --for 721h", `hold prod text="(without end: 721h is no time up to 720h)"`},
		{"/hold prod --for 3d", "hold prod for=72h0m0s"},
		{"/hold prod for 2h", `hold prod rest="for 2h"`},
		{"/hold prod FOR 1d12h --because lunch", `hold prod rest="FOR 1d12h" text="lunch"`},
		{"/hold prod for the weekend", `hold prod rest="for the weekend"`},
		{"/hold prod for 2h or so", `hold prod rest="for 2h or so"`},
		{"/hold prod for 31d", `hold prod rest="for 31d"`},
		{"/hold prod for 1h --for 2h", `hold prod rest="for 1h" for=2h0m0s`},
		{"/unhold prod for 2h", `unhold prod rest="for 2h"`},
		{"/hold prod --for", "hold prod"},
		{"/unhold prod", "unhold prod"},
		{"/unhold --all", "unhold (all)"},

		{"/verdict prod pass", "verdict prod (pass)"},
		{"/verdict prod fail", "verdict prod"},
		{`/verdict prod pass --because "seen it work"`, `verdict prod (pass) text="seen it work"`},
		{`/verdict prod --because "seen it work" pass`, `verdict prod (pass) text="seen it work"`},
		{`/admit api#1 prod --because "hot fix"`, `admit prod freight="api#1" text="hot fix"`},
		// T8: characters that telephones substitute
		{"/admit api#1 prod —because “hot fix”", `admit prod freight="api#1" text="hot fix"`},
		{"/promote pr\u200bod", "promote prod"}, {"\ufeff/promote prod", "promote prod"},
		{"/lock prod it burns", `hold prod rest="it burns"`}, {"/unlock prod", "unhold prod"},
		{"/remove-hold prod", "unhold prod"},
		{"/status", "status"}, {"/why prod api#1", `why prod freight="api#1"`},
		{"/where api#1", `where freight="api#1"`},
		{"/history prod", "history prod"}, {"/help rollback", `help freight="rollback"`}, {"/refresh", "refresh"},
		{"/plan prod", "plan prod"},
		{"/deny prod not on a Friday", `deny prod text="not on a Friday"`},
		{"/cancel prod please", `cancel prod text="please"`},
		{"/cancel prod p4", `cancel prod freight="p4"`},
		{"/cancel prod api#142 looks bad", `cancel prod freight="api#142" text="looks bad"`},
		{"/cancel prod problems", `cancel prod text="problems"`}, {"/cancel prod p", `cancel prod text="p"`},
		{"/approve prod", "approve prod"}, {"/retry prod", "retry prod"}, {"/verify prod", "verify prod"},
		{"/promote", "promote"}, {"/hold", "hold"}, {"/admit", "admit"},
	} {
		got, is := command.ParseCommand(c.text)
		require.True(t, is, c.text)
		require.Equal(t, c.want, written(got), c.text)
	}
}

func TestWhatIsLeftOverNamesNoFreight(t *testing.T) { // starting is strict: left-over words are read as freight
	for _, c := range []struct{ text, want string }{
		{"/promote prod api#1 now", `promote prod freight="api#1 now"`},
		{"/promote prod api#1 --dry-run", `promote prod freight="api#1 --dry-run"`},
		{"/promote prod —force", `promote prod freight="--force"`}, // T8
		{"/rollback prod to api#1 or api#2", `rollback prod freight="api#1 or api#2"`},
		{"/approve prod looks good", `approve prod freight="looks good"`},
		{"/unhold prod or qa", `unhold prod rest="or qa"`},
		{"/retry prod -x", `retry prod freight="-x"`},
		{"/verdict prod", `verdict prod freight="pass or fail"`},
		{"/verdict prod passed", `verdict prod freight="passed"`},
		{"/verdict prod pass fail", `verdict prod (pass) freight="fail"`},
		{"/admit api#1 prod qa", `admit prod freight="api#1 qa"`},
	} {
		got, is := command.ParseCommand(c.text)
		require.True(t, is, c.text)
		require.Equal(t, c.want, written(got), c.text)
	}
}

func TestProseIsNoCommand(t *testing.T) {
	for _, text := range []string{
		"", " ", "\n", "/", "//promote prod", "/ promote prod", "@waybill", "@waybill thanks", "/merge prod", "lgtm",
		"please /promote prod",
		"> /promote prod", "`/promote prod`", "@bob promote prod", "-promote prod", "waybill promote prod",
		// T8: a full-width slash, a Cyrillic letter, a change of direction
		"／promote prod", "/рromote prod", "/\u202epromote prod",
		"/rollbac\u212a prod", // the Kelvin sign, whose lower case is k
		`"/hold" is what he said`, `"/promote prod"`,
		"/promote-all prod", "/promoteprod", "\"\"", "\"/promote\"prod",
	} {
		c, is := command.ParseCommand(text)
		require.False(t, is, "%q was taken for %v", text, c)
	}
}

func TestInACommentAVerbAloneIsProse(t *testing.T) {
	for text, want := range map[string]bool{
		"/hold dev": true, "@waybill hold dev": true, "  /hold": true, "@WAYBILL /hold dev": true,
		"hold on, this is wrong": false, "verify this please": false, "approve": false, "": false,
		"@bob hold dev": false, "@waybill": false,
	} {
		_, is := command.ParseLine(text)
		require.Equal(t, want, is, text)
	}
}

func TestASlipIsAnsweredAndOtherBotsAreLeftAlone(t *testing.T) {
	for text, want := range map[string]string{
		"/promot prod": "/promote", "/aprove prod": "/approve", "/rolback prod": "/rollback", "/hodl prod": "",
		"/hol prod": "/hold", "/statsu": "/status",
		"/retest": "", "/lgtm": "", "/merge": "", "/assign @bob": "", "/wip": "", "/label bug": "", "/rebase": "",
		"/close": "", "/test all": "", "/ok-to-test": "",
		"/deploy prod": "", "/shipit": "", "/review": "",
	} {
		c, is := command.ParseLine(text)
		require.Equal(t, want != "", is, text)
		if want != "" {
			require.Contains(t, c.Trouble, "did you mean "+want+"?", text)
		}
	}
}

func TestAQuotationMarkWithoutItsSecondStopsWhatGoes(t *testing.T) {
	c, is := command.ParseLine(`/rollback prod --because "it burns`)
	require.True(t, is)
	require.NotEmpty(t, c.Trouble)
	c, is = command.ParseLine(`/hold prod "it burns`)
	require.True(t, is)
	require.Equal(t, promotion.Command{Verb: promotion.CmdHold, Stage: "prod", Rest: "it burns"}, c)
}

func TestWhoAnswersACommand(t *testing.T) {
	p := fixture.DevPipeline()
	for _, c := range []struct{ text, stage, want string }{
		{"/promote prod", "prod", "promote prod"},
		{"/promote staging", "dev", "promote staging"},
		{"/hold prod it burns", "prod", `hold prod rest="it burns"`},
		{"/hold the horses", "dev", `hold (all) text="the horses"`}, // T32
		{"/hold", "dev", "hold (all)"},
		{"/hold prdo --for 2h", "dev", `hold (all) text="prdo" for=2h0m0s`},
		{"/hold --all", "dev", "hold (all)"},
		{"/unhold", "dev", "unhold"},
		{"/unhold --all", "dev", "unhold (all)"},
	} {
		typed, _ := command.ParseCommand(c.text)
		stage, typed := command.Address(p, typed)
		require.Equal(t, c.stage, string(stage), c.text)
		require.Equal(t, c.want, written(typed), c.text)
	}
}

func TestAPipelineWithoutStagesHasNobodyToAnswer(t *testing.T) {
	for _, verb := range []promotion.CommandVerb{promotion.CmdPromote, promotion.CmdHold} {
		stage, _ := command.Address((&promotion.Pipeline{}), promotion.Command{Verb: verb, Stage: "prod"})
		require.Empty(t, stage)
	}
}

func TestAFlagCountsOnce(t *testing.T) {
	c, _ := command.ParseCommand("/promote prod --because a --because b")
	require.Equal(t, "--because is given twice", c.Trouble)
	c, _ = command.ParseCommand("/hold prod --for 1h --for 2h")
	require.Empty(t, c.Trouble, "what stops is not refused")
	require.Equal(t, 2*time.Hour, c.For, "the last one counts")
	require.Equal(t, promotion.StageName("prod"), c.Stage)
	require.Empty(t, c.Rest, "its value is no reason")
}

// spelled prints a command so that it parses to the same command.
func spelled(c promotion.Command) string {
	words := []string{"/" + string(c.Verb)}
	add := func(word string) {
		if word != "" {
			words = append(words, `"`+word+`"`)
		}
	}
	freight := c.Freight
	if c.Verb == promotion.CmdAdmit {
		add(freight)
		freight = ""
	}
	place := string(c.Stage)
	if c.Target != "" {
		place += "/" + string(c.Target)
	}
	add(place)
	add(c.Plan)
	if c.Verb == promotion.CmdVerdict && (c.Stage != "" || c.All) {
		words = append(words, map[bool]string{true: "pass", false: "fail"}[c.Pass])
	} else if c.Verb == promotion.CmdVerdict {
		freight = "" // without a stage the parser finds no verdict and sets the freight itself
	}
	add(freight)
	add(c.Rest)
	return strings.Join(append(words, flags(c)...), " ")
}

func flags(c promotion.Command) []string {
	var words []string
	if c.All {
		words = append(words, "--all")
	}
	if c.Text != "" {
		words = append(words, `--because "`+c.Text+`"`)
	}
	if c.For != 0 {
		words = append(words, "--for "+c.For.String())
	}
	return words
}

func FuzzParseCommand(f *testing.F) {
	for _, seed := range []string{
		"/promote prod api#142", "@waybill rollback prod to api#1 --because \"x\"", "/hold --all --for 2h", "hold \"",
		"/verdict prod pass",
		"/admit api#1 prod --because", "/pro\u200bmote", "\xff/hold\x00", "/hold " + strings.Repeat("x ", 1000),
		"/rollbac\u212a", "\"\"\"\"", "/hold *", "/unhold *o* api", "/cancel group:x/y", "/status d*", "/deny *",
		"/hold " + strings.Repeat("*", 1000) + "v",
	} {
		f.Add(seed)
	}
	p := fixture.DevPipeline()
	f.Fuzz(func(t *testing.T, text string) {
		var c promotion.Command
		var is bool
		spent.Bound{Base: 64 << 10, PerByte: 1 << 10}.Check(t, len(text), func() { c, is = command.ParseCommand(text) })
		if _, comment := command.ParseLine(text); comment && !is {
			t.Fatalf("%q is a command in a comment only", text)
		}
		if !is {
			return
		}
		if c.Trouble != "" {
			return
		}
		if command.UsageOf(c.Verb) == nil {
			t.Fatalf("%q has the verb %q", text, c.Verb)
		}
		if c.For < 0 || c.All && c.Stage != "" {
			t.Fatalf("%q: %+v", text, c)
		}
		if strings.IndexFunc(string(c.Stage), func(r rune) bool { return r == '"' }) >= 0 {
			t.Fatalf("%q names the stage %q", text, c.Stage)
		}
		if !slices.ContainsFunc(namesOf(c.Verb), func(name string) bool {
			return strings.HasPrefix(strings.TrimPrefix(letters(text), "waybill"), letters(name))
		}) {
			t.Fatalf("%q begins with no command", text)
		}
		if again, is := command.ParseCommand(spelled(c)); !is || again != c {
			t.Fatalf("%q is printed as %q, which is read as %+v and not %+v", text, spelled(c), again, c)
		}
		var all []promotion.Command
		spent.Bound{Base: 64 << 10, PerByte: 1 << 10}.Check(t, len(text), func() {
			all = command.Each(p, c, promotion.Admin, nil)
		})
		answering := map[promotion.StageName]bool{}
		for _, one := range all {
			stage, _ := command.Address(p, one)
			if p.Stage(stage) == nil || answering[stage] {
				t.Fatalf("%q is answered by %q, which is no stage, or twice", text, stage)
			}
			answering[stage] = true
			if len(all) > 1 && (one.Stages == "" || one.Stage != stage || !command.UsageOf(c.Verb).Several) {
				t.Fatalf("%q is given to several stages as %+v", text, one)
			}
		}
	})
}

func TestALineOfACommandIsBoundedByItsCommentT9(t *testing.T) {
	c, is := command.ParseLine("/hold dev " + strings.Repeat("because ", 8000))
	require.True(t, is)
	require.Equal(t, promotion.StageName("dev"), c.Stage)
}

// namesOf returns the words that mean a verb.
func namesOf(v promotion.CommandVerb) []string {
	return append([]string{string(v)}, command.UsageOf(v).Aliases...)
}

// letters returns the letters of a text, which is what people see of it and what commands are known by.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

func TestACancelNeedsNoStageToNameAPromotion(t *testing.T) { // semantics 3.3
	p := &promotion.Pipeline{Stages: []*promotion.Stage{{Name: "dev"}, {Name: "p7"}}}
	for typed, want := range map[string]promotion.Number{
		"/cancel p4": 4, "/cancel P4": 4, "/cancel p4 it is late": 4, "/cancel p7": 0, "/cancel dev": 0, "/cancel dev p4": 0,
		"/cancel p0": 0, "/cancel p": 0, "/cancel p4 p5": 0, "/cancel api#4": 0, "/hold p4": 0, "/promote p4": 0,
		"/cancel p99999999999999999999": 0, "/cancel": 0,
	} {
		c, is := command.ParseLine(typed)
		require.True(t, is, typed)
		n, named := command.PromotionInPlace(p, c)
		require.Equal(t, want != 0, named, typed)
		if named {
			require.Equal(t, want, n, typed)
			c = command.OfPromotion(c, n, "dev")
			require.Equal(t, "/cancel dev p4", command.Write(c))
		}
	}
}
