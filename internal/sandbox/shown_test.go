package sandbox

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/api"
	"waybill/internal/shown"
)

// TestWhatIsShownFollowsTheVerdictNow fails and mends freight that dev hosts, and reads back what GitHub, the API and
// the page show of it each time.
func TestWhatIsShownFollowsTheVerdictNow(t *testing.T) { // semantics 4.14
	t.Parallel()
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("merge #1 by ann")
	ann := s.signedIn("ann", "read")
	for _, result := range []string{"failure", "success", "failure", "success"} {
		s.do("check smoke "+result+" on dev", "wait 1m")
		good := result == "success"
		is := shown.Is{Here: true, Ended: true, Good: good, Bad: !good}
		label := ""
		if i := slices.IndexFunc(s.labels(1), func(l string) bool { return strings.HasPrefix(l, "stage/dev:") }); i >= 0 {
			label = strings.TrimPrefix(s.labels(1)[i], "stage/dev:")
		}
		run := s.run(1, "dev")
		line := shown.OfComment(s.sticky(1).Body)["dev"]
		var stage api.StageDetail
		s.get(token, pipelinePath+"/stages/dev", &stage)
		page := s.page(ann, "/pipelines/"+home+"/stages/dev").body
		for view, claim := range map[string]shown.Claim{
			"label " + label: shown.OfLabel(label), "check run " + run.Title: shown.OfCheck(run.Conclusion, run.Title),
			"comment": line.Word, "picture": line.Picture,
			"API":  {Good: stage.Hosts[0].Verdict == "passed", Bad: stage.Hosts[0].Verdict == "failed"},
			"API ": shown.OfTitle(stage.Freight[0].Why.Sentence),
		} {
			require.Empty(t, claim.Contradiction(is), "%s: %s", result, view)
			require.Empty(t, claim.Silence(is), "%s: %s", result, view)
		}
		require.True(t, stage.Freight[0].Hosted)
		require.Equal(t, stage.Hosts[0].Verdict, stage.Freight[0].Verdict)
		require.Contains(t, page, stage.Freight[0].Why.Sentence)
	}
}

// TestTheAPIShowsWhatIsIncomplete has the pipeline file gain a value behind the back of what dev hosts.
func TestTheAPIShowsWhatIsIncomplete(t *testing.T) { // semantics 5.15
	t.Parallel()
	s := newSite(t, oneStage)
	token := s.withTokens(api.Token{Name: "reader"})[0]
	s.do("merge #1 by ann", "check smoke success on dev")
	s.pushConfig(strings.Replace(oneStage, `dev.yaml: {tag: "${api.short}"}`,
		`dev.yaml: {tag: "${api.short}"}, more.yaml: {tag: "${api.short}"}`, 1))
	var stage api.StageDetail
	s.get(token, pipelinePath+"/stages/dev", &stage)
	require.Len(t, stage.Hosts[0].Incomplete, 1, stage)
	require.Contains(t, stage.Hosts[0].Incomplete[0], "more.yaml")
	data, err := json.Marshal(stage.Hosts[0])
	require.NoError(t, err)
	require.Contains(t, string(data), `"incomplete":["more.yaml`)
}
