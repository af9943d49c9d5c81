package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// TestTheExitCodeSaysWhetherOtherWordsATokenOrALaterTimeWouldHelp gives a script what it needs to decide what to do.
func TestTheExitCodeSaysWhetherOtherWordsATokenOrALaterTimeWouldHelp(t *testing.T) {
	says := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(api.Problem{Status: status, Detail: "because"})
		}
	}
	for _, c := range []struct {
		status int
		args   string
		code   exitCode
		text   string
	}{
		{http.StatusConflict, "promotion 7 --repo a/b", codeRefused, "because"},
		{http.StatusConflict, "promotion p7 --repo a/b", codeRefused, "because"},
		{http.StatusBadRequest, "promotion 7 --repo a/b", codeMisused, "because"},
		{http.StatusUnauthorized, "status", codeNotAllowed, "because: set WAYBILL_API_TOKEN, or use --token-file"},
		{http.StatusForbidden, "resync a/b", codeNotAllowed, "because"},
		{http.StatusTooManyRequests, "events --repo a/b", codeUnreachable, "because"},
		{http.StatusServiceUnavailable, "wait prod --repo a/b", codeUnreachable, "because"},
		{http.StatusInternalServerError, "freight --repo a/b", codeUnreachable, "because"},
		{0, "watch a/b", codeMisused, "watch needs a terminal"},
		{0, "wait a b c", codeMisused,
			`"c" is one word too many: waybill wait STAGES [FREIGHT] (see waybill wait --help)`},
		{0, "promotion", codeMisused, "something is missing: waybill promotion NUMBER"},
		{0, "promotion x", codeMisused, `"x" is not the number of a promotion`},
		{0, "promotions --limit 0", codeMisused, "--limit must be from 1 to 100, not 0"},
		{0, "status --colour", codeMisused, "there is no flag --colour (waybill status --help lists the flags)"},
		{0, "statsu", codeMisused, "there is no command waybill statsu; did you mean waybill status?"},
		{0, "why prod --server http://x", codeMisused,
			"there is no command waybill why; give it to the server by waybill do \"why prod\" (waybill --help lists all)"},
		{0, "hold", codeMisused, "there is no command waybill hold; give it to the server by waybill do \"hold\""},
		{0, "policy explan --json", codeMisused,
			"there is no command waybill policy explan; did you mean waybill policy explain?"},
		{0, "deliveries lits", codeMisused,
			"there is no command waybill deliveries lits; did you mean waybill deliveries list?"},
		{0, "freight --repo nowhere", codeMisused, `"nowhere" is not a repository`},
	} {
		args := strings.Fields(c.args)
		if strings.HasPrefix(c.text, "there is no command") {
			var out, errs bytes.Buffer
			code := run(t.Context(), args, func(string) string { return "" }, &out, &errs)
			require.Equal(t, int(c.code), code, c.args)
			require.Contains(t, errs.String(), c.text)
			continue
		}
		code, out, errs := runs(t, nil, says(c.status), append(args, "--json")...)
		require.Equal(t, int(c.code), code, "%s: %s", c.args, errs)
		require.Contains(t, errs, c.text)
		var f failure
		require.NoError(t, json.Unmarshal([]byte(out), &f), "%s: %s", c.args, out)
		require.Contains(t, f.Error, c.text)
		require.Equal(t, c.code, f.Exit)
	}
	var out, errs bytes.Buffer
	nowhere := []string{"freight", "--server", "http://127.0.0.1:1"}
	code := run(t.Context(), nowhere, func(string) string { return "" }, &out, &errs)
	require.Equal(t, int(codeUnreachable), code)
	require.Contains(t, errs.String(), "cannot be reached")
}

// aStage is an answer of the API.
func aStage(hosts []api.Hosted, freight ...api.Standing) api.StageDetail {
	return api.StageDetail{Stage: api.Stage{Name: "prod", Hosts: hosts}, At: noon, Freight: freight}
}

func standing(name, place, state, why string) api.Standing {
	return api.Standing{
		FreightRef: api.FreightRef{Freight: name, FreightID: name, Warehouse: "api"}, Place: place, State: state,
		Why: api.Why{Sentence: why},
	}
}

func hosted(name, verdict string) api.Hosted {
	h := api.Hosted{FreightRef: api.FreightRef{Freight: name, FreightID: name, Warehouse: "api"}, Verdict: verdict}
	if verdict == failed {
		h.Cause = &api.Why{Sentence: "e2e failed", URL: "https://ci.example/1"}
	}
	return h
}

func TestWaitEndsWhenFreightHasPassedOrWillNot(t *testing.T) {
	for _, c := range []struct {
		freight, outcome, text string
		stage                  api.StageDetail
	}{
		{"", waiting, "prod hosts nothing yet", aStage(nil)},
		{"", passed, "prod has api#1, verified", aStage([]api.Hosted{hosted("api#1", passed)})},
		{"", failed, "prod has api#1, FAILED: e2e failed; see https://ci.example/1",
			aStage([]api.Hosted{hosted("api#1", failed)})},
		{"", waiting, "prod has api#1, not verified yet", aStage([]api.Hosted{hosted("api#1", "pending")})},
		{"api#1", passed, "prod has api#1, verified",
			aStage([]api.Hosted{hosted("api#1", passed)}, standing("api#1", "ended", "succeeded", ""))},
		{"#1", passed, "prod has api#2, which came after api#1 and is verified", aStage([]api.Hosted{hosted("api#2", passed)},
			standing("api#2", "ended", "succeeded", ""), standing("api#1", "skipped", "", "skipped"))},
		{"api#2", waiting, "api#2: soaking", aStage([]api.Hosted{hosted("api#1", passed)},
			standing("api#2", "unavailable", "", "soaking"), standing("api#1", "ended", "succeeded", ""))},
		{"api#1", passed, "api#1: Verified", aStage([]api.Hosted{hosted("api#2", failed)},
			standing("api#2", "ended", "verification-failed", ""), standing("api#1", "ended", "succeeded", "Verified"))},
		{"api#1", failed, "api#1: Cancelled by ann",
			aStage(nil, standing("api#1", "ended", "cancelled", "Cancelled by ann"))},
		{"api#1", failed, "prod has api#1, inconclusive", aStage([]api.Hosted{hosted("api#1", "inconclusive")},
			standing("api#1", "ended", "verification-failed", ""))},
		{"api#9", waiting, "api#9 is not among the newest freight of prod", aStage(nil)},
	} {
		w := wait{freight: c.freight}
		got := w.judge(c.stage)
		require.Equal(t, c.outcome, got.Outcome, c.text)
		require.Equal(t, c.text, got.Text)
	}
	busy := aStage([]api.Hosted{hosted("api#1", passed)})
	busy.Queue = []api.Promotion{{Number: 4, Freight: "api#2", Why: api.Why{Sentence: "Held"}}}
	require.Equal(t, waited{waiting, "promotion 4 of api#2: Held", busy}, (&wait{}).judge(busy))
	busy.Active = &api.Promotion{Number: 3, Freight: "api#3", Why: api.Why{Sentence: "Merged, verifying"}}
	require.Equal(t, "promotion 3 of api#3: Merged, verifying", (&wait{}).judge(busy).Text)
}

// TestWaitPrintsEachReasonOnceAndOutlastsAServerThatRestarts plays four answers of the server.
func TestWaitPrintsEachReasonOnceAndOutlastsAServerThatRestarts(t *testing.T) {
	verifying := aStage([]api.Hosted{hosted("api#1", "pending")}, standing("api#1", "open", "verifying", ""))
	answers := []api.StageDetail{verifying, {}, verifying, aStage([]api.Hosted{hosted("api#1", passed)},
		standing("api#1", "ended", "succeeded", ""))}
	asked := 0
	server := func(w http.ResponseWriter, r *http.Request) {
		answer := answers[min(asked, len(answers)-1)]
		asked++
		if answer.Name == "" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(answer)
	}
	look := func(most time.Duration, as bool) (string, error) {
		s := serves(t, server)
		var out bytes.Buffer
		w := wait{remote: remote{repo: "a/b", json: as}, stages: "prod", freight: "api#1", most: most,
			every: time.Millisecond}
		err := w.run(t.Context(), s, &page{out: &out})
		return out.String(), err
	}
	text, err := look(time.Minute, false)
	require.NoError(t, err)
	require.Equal(t, "12:00:00 UTC prod has api#1, not verified yet\n12:00:00 UTC prod has api#1, verified\n", text)
	require.Equal(t, 4, asked)

	answers, asked = answers[:1], 0
	text, err = look(20*time.Millisecond, true)
	require.Equal(t, codeTimeOver, codeOf(err))
	var last waited
	require.NoError(t, json.Unmarshal([]byte(text), &last))
	require.Equal(t, waited{waiting, "prod has api#1, not verified yet", verifying}, last)
}

func TestACommandThatASignalEndsSaysSo(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"wait", "prod", "--repo", "a/b", "--server", server.URL, "--json"},
		func(string) string { return "" }, &out, &errs)
	require.Equal(t, int(codeInterrupted), code)
	require.Equal(t, "waybill: interrupted\n", errs.String())
	require.JSONEq(t, `{"error": "interrupted", "exit": 130}`, out.String())
}

func TestTheHelpHasEveryCommandUnderATitle(t *testing.T) {
	var out bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"help"}, func(string) string { return "" }, &out, &out))
	require.NotContains(t, out.String(), "Additional Commands")
	require.Contains(t, out.String(), "See what is so:")
	out.Reset()
	require.Zero(t, run(t.Context(), []string{"help", "token", "new"}, func(string) string { return "" }, &out, &out))
	require.Contains(t, out.String(), "waybill token new")
	require.Equal(t, int(codeMisused),
		run(t.Context(), []string{"help", "statsu"}, func(string) string { return "" }, &out, &out))
	require.Contains(t, out.String(), "did you mean waybill status?")
	for says, args := range map[string][]string{
		`"x" is one word too many: waybill token new NAME`: {"token", "new", "x"},
		`"prod" is one word too many: waybill status`:      {"status", "prod"},
		`"x" is one word too many: waybill completion`:     {"completion", "x"},
	} {
		out.Reset()
		require.Equal(t, int(codeMisused),
			run(t.Context(), append([]string{"help"}, args...), func(string) string { return "" }, &out, &out))
		require.Contains(t, out.String(), says)
		require.NotContains(t, out.String(), "wb_", "it is asked for, not run")
	}
}

func TestWatchPrintsWhatHasChanged(t *testing.T) {
	var out bytes.Buffer
	texts := []string{"one", "one", "away", "two"}
	asked := 0
	over := errors.New("over")
	err := watch(t.Context(), &page{out: &out}, time.Millisecond, func(p *page) error {
		if asked == len(texts) {
			return over
		}
		asked++
		if texts[asked-1] == "away" {
			return unreachable{errors.New("the server is away")}
		}
		p.line(0, plain, texts[asked-1])
		return p.err
	})
	require.ErrorIs(t, err, over)
	require.Equal(t, fromTheTop+"one\n"+fromTheTop+"the server is away\n"+fromTheTop+"two\n", out.String())
}

// TestACommandThatOneOfSeveralStagesRefusesIsShownAndFails has a script learn of what was not done.
func TestACommandThatOneOfSeveralStagesRefusesIsShownAndFails(t *testing.T) {
	code, out, errs := runs(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(api.Answer{Outcome: "refused", Text: "*-prod names 2 stages: 1 held, 1 refused.",
			Head: []string{"Stage", "Answer"}, Rows: [][]string{{"us-prod", "Refused"}, {"eu-prod", "eu-prod is held"}}})
	}, "do", "hold *-prod", "--repo", "a/b")
	require.Equal(t, int(codeRefused), code, errs)
	require.Contains(t, out, "1 held, 1 refused.\n")
	require.Regexp(t, `us-prod +Refused\neu-prod +eu-prod is held`, out)
}
