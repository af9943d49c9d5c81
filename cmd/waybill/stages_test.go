package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
)

// fleet answers as a server with one pipeline of three stages: the words that it knows name some of them.
func fleet(t *testing.T, look func(stage string) api.StageDetail) http.HandlerFunc {
	names := map[string][]string{
		"*-prod": {"eu-prod", "us-prod"}, "dev,*-prod": {"dev", "eu-prod", "us-prod"}, "eu*": {"eu-prod"},
		"DEV": {"dev"}, "dev": {"dev"}, "eu-prod": {"eu-prod"}, "us-prod": {"us-prod"},
	}
	of := func(word string) (all []api.Stage) {
		for _, name := range names[word] {
			all = append(all, look(name).Stage)
		}
		return all
	}
	return func(w http.ResponseWriter, r *http.Request) {
		const root = "/api/v1/pipelines"
		head := api.PipelineHead{Repo: "acme/deploy", StageNames: []string{"dev", "eu-prod", "us-prod"},
			Groups: []string{"group:live"}}
		var answer any
		word, one := strings.CutPrefix(r.URL.Path, root+"/acme/deploy/stages/")
		query := r.URL.Query()
		if asked := query.Get("stages"); asked != "" && len(names[asked]) == 0 {
			word = asked
		}
		switch {
		case r.URL.Path == root:
			answer = api.Pipelines{Pipelines: []api.PipelineHead{head}}
		case r.URL.Path == root+"/acme/deploy" && len(names[query.Get("stages")]) > 0:
			answer = api.Pipeline{PipelineHead: head, Stages: of(query.Get("stages"))}
		case r.URL.Path == root+"/acme/deploy/promotions":
			var all api.Promotions
			for _, s := range of(query.Get("stage")) {
				all.Promotions = append(all.Promotions, api.Promotion{Number: 7, Stage: s.Name, Freight: "api#1"})
			}
			answer = all
		case r.URL.Path == root+"/acme/deploy/numbers" && len(names[query.Get("stages")]) > 0:
			var all api.Numbers
			for _, s := range of(query.Get("stages")) {
				all.Stages = append(all.Stages, api.StageNumbers{Stage: s.Name})
			}
			answer = all
		case one && len(names[word]) == 1:
			answer = look(names[word][0])
		default:
			w.WriteHeader(http.StatusNotFound)
			answer = api.Problem{Status: http.StatusNotFound, Detail: "there is no " + word + " here: the groups are live"}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}
}

// rests is a stage at rest.
func rests(name string) api.StageDetail {
	s := aStage([]api.Hosted{hosted("api#1", passed)}, standing("api#1", "ended", "succeeded", ""))
	s.Name = name
	return s
}

// TestCommandsThatAskTakeTheNamesOfStagesThatCommandsTake gives them what /status takes.
func TestCommandsThatAskTakeTheNamesOfStagesThatCommandsTake(t *testing.T) { // semantics 4.15
	server := fleet(t, rests)
	for args, want := range map[string]struct {
		code  int
		text  string
		names string // the stages that the answer is about
	}{
		"status dev":                    {0, "", "dev"},
		"status DEV":                    {0, "", "dev"},
		"status *-prod":                 {0, "", "eu-prod us-prod"},
		"status acme/deploy *-prod":     {0, "", "eu-prod us-prod"},
		"status acme/deploy dev *-prod": {0, "", "dev eu-prod us-prod"},
		"status dev *-prod":             {0, "", "dev eu-prod us-prod"},
		"status group:x":                {1, "there is no group:x here: the groups are live", ""},
		"status usprod":                 {1, "acme/deploy has no stage usprod; did you mean us-prod?", ""},
		"promotions *-prod":             {0, "", "eu-prod us-prod"},
		"promotions dev *-prod":         {0, "", "dev eu-prod us-prod"},
		"promotions group:x":            {1, "there is no group:x here: the groups are live", ""},
		"dora *-prod":                   {0, "", "eu-prod us-prod"},
		"dora DEV":                      {0, "", "dev"},
		"dora group:x":                  {1, "there is no group:x here: the groups are live", ""},
		"wait *-prod":                   {0, "all 2 stages have passed", "eu-prod us-prod"},
		"wait dev,*-prod #1":            {0, "all 3 stages have passed", "dev eu-prod us-prod"},
		"wait DEV":                      {0, "dev has api#1, verified", "dev"},
		"wait eu*":                      {0, "eu-prod has api#1, verified", "eu-prod"},
		"wait group:x":                  {1, "there is no group:x here: the groups are live", ""},
		"wait usprod":                   {1, "acme/deploy has no stage usprod; did you mean us-prod?", ""},
		"policy explain group:x ann":    {1, "there is no group:x", ""},
	} {
		code, out, errs := runs(t, nil, server, append(strings.Fields(args), "--json")...)
		require.Equal(t, want.code, code, "%s: %s", args, errs)
		require.Contains(t, out, want.text, args)
		names := []string{}
		for _, name := range []string{"dev", "eu-prod", "us-prod"} {
			if strings.Contains(out, `"name": "`+name) || strings.Contains(out, `"stage": "`+name) {
				names = append(names, name)
			}
		}
		require.Equal(t, want.names, strings.Join(names, " "), "%s: %s", args, out)
	}
	code, out, errs := runs(t, nil, server, "dora", "*-prod")
	require.Zero(t, code, errs)
	require.NotContains(t, out, "all")
	require.Contains(t, out, "us-prod")
}

// TestAShellIsOfferedStagesAndGroupsWhereSeveralMayBeNamed asks for the next word of commands that take one stage, and
// of others.
func TestAShellIsOfferedStagesAndGroupsWhereSeveralMayBeNamed(t *testing.T) { // semantics 4.15
	at := httptest.NewServer(fleet(t, rests))
	defer at.Close()
	for words, group := range map[string]bool{
		"status": true, "status acme/deploy": true, "watch": true, "promotions dev": true, "dora": true, "wait": true,
		"do hold": true, "do status": true, "do promote": false, "do rollback": false, "policy explain": false,
	} {
		var out bytes.Buffer
		args := append(append([]string{"__complete"}, strings.Fields(words)...), "--server", at.URL, "")
		require.Zero(t, run(t.Context(), args, func(string) string { return "" }, &out, io.Discard))
		require.Contains(t, out.String(), "dev\neu-prod\nus-prod\n", words)
		require.Equal(t, group, strings.Contains(out.String(), "us-prod\ngroup:live\n"), "%s: %s", words, &out)
	}
}

// TestWaitOfSeveralStagesEndsWhenAllHavePassedOrOneHasNot plays what three stages go through.
func TestWaitOfSeveralStagesEndsWhenAllHavePassedOrOneHasNot(t *testing.T) {
	looks := map[string]int{}
	verdicts := map[string][]string{"eu-prod": {"pending", passed}, "us-prod": {passed, passed}}
	server := func(stage string) api.StageDetail {
		s := rests(stage)
		s.Hosts[0] = hosted("api#1", verdicts[stage][min(looks[stage], len(verdicts[stage])-1)])
		looks[stage]++
		return s
	}
	wait := func(most time.Duration, freight string) (string, error) {
		clear(looks)
		s := serves(t, fleet(t, server))
		var out bytes.Buffer
		w := wait{remote: remote{repo: "acme/deploy"}, stages: "*-prod", freight: freight, most: most,
			every: time.Millisecond}
		err := w.run(t.Context(), s, &page{out: &out})
		return out.String(), err
	}
	verdicts["eu-prod"] = []string{passed, "pending", passed} // the first look only asks which stages there are
	text, err := wait(time.Minute, "api#1")
	require.NoError(t, err)
	require.Equal(t, "12:00:00 UTC eu-prod has api#1, not verified yet\n12:00:00 UTC us-prod has api#1, verified\n"+
		"12:00:00 UTC eu-prod has api#1, verified\n", text)
	require.Equal(t, 2, looks["us-prod"], "it is not asked again")

	verdicts["us-prod"] = []string{passed, passed, "pending", passed}
	text, err = wait(time.Minute, "")
	require.NoError(t, err)
	require.Equal(t, 4, looks["us-prod"], "all are at rest at the same time")
	require.Contains(t, text, "us-prod has api#1, not verified yet")

	verdicts["us-prod"] = []string{"pending", failed}
	text, err = wait(time.Minute, "")
	require.Equal(t, codeRefused, codeOf(err))
	require.Contains(t, text, "us-prod has api#1, FAILED: e2e failed")

	verdicts["us-prod"] = []string{"pending"}
	_, err = wait(20*time.Millisecond, "")
	require.Equal(t, codeTimeOver, codeOf(err))
}

// TestALineOfSeveralStagesNamesItsStage: the reason of a promotion does not.
func TestALineOfSeveralStagesNamesItsStage(t *testing.T) {
	code, out, _ := runs(t, nil, fleet(t, func(stage string) api.StageDetail {
		s := rests(stage)
		s.Active = &api.Promotion{Number: 3, Freight: "api#3", Why: api.Why{Sentence: "Merged, verifying"}}
		return s
	}), "wait", "*-prod", "--for", "1ms")
	require.Equal(t, int(codeTimeOver), code)
	require.Contains(t, out, "eu-prod: promotion 3 of api#3: Merged, verifying\n")
	require.Contains(t, out, "us-prod: promotion 3 of api#3: Merged, verifying\n")
}
