package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// dozen is a pipeline of twelve services, of which people with write permission may hold all but the last, and may not
// ask about it either.
var dozen = pipelineOf(12)

func pipelineOf(services int) string {
	var names []string
	for i := range services {
		names = append(names, fmt.Sprintf("s%02d", i))
	}
	return "version: 1\nfor-each: {service: [" + strings.Join(names, ", ") + "]}\n" +
		"warehouses:\n  api: {pull-requests: {branch: main, paths: [src/**]}}\n" +
		"stages:\n  \"${service}-prod\": {from: api, groups: [prod], merge: manual, " +
		"set: {\"${service}.yaml\": {tag: \"${api.short}\"}}}\n"
}

const dozenPolicy = `version: 1
automatic: ["*"]
may:
  hold: [{stages: [s11-prod], permission: maintain}, {permission: write}]
  status: [{stages: [s11-prod], permission: maintain}, {permission: read}]
  history: [{stages: [s11-prod], permission: maintain}, {permission: read}]
  why: [{stages: [s11-prod], permission: maintain}, {permission: read}]
`

func (s *site) underDozenPolicy() {
	s.push(map[string]*string{".github/waybill.policy.yml": githubsim.Text(dozenPolicy)})
	require.NoError(s.t, s.github.SetPermission(home, "ann", "write"))
	s.quiet()
}

// TestACommandToSeveralStagesHasOneAnswerThatTellsStageByStage holds a dozen stages, of which one refuses.
func TestACommandToSeveralStagesHasOneAnswerThatTellsStageByStage(t *testing.T) {
	t.Parallel()
	s := newSite(t, dozen)
	s.do("merge #1 by ann")
	s.underDozenPolicy()
	before := len(s.told(1))
	s.do("comment #1 by ann: /hold *-prod the database is slow")
	require.Len(t, s.told(1), before+2, "one answer")
	reactions, answer := s.answered(1)
	t.Log(answer)
	require.Equal(t, 1, reactions["rocket"], "some are held")
	require.Equal(t, 1, reactions["-1"], "and one is not")
	require.Contains(t, answer, "names 12 stages&#58;\u200b 11 held, 1 refused.")
	shown, folded, _ := strings.Cut(answer, "<details><summary>2 more</summary>")
	require.Contains(t, shown, "| s11&#45;\u200bprod | Refused")
	require.Contains(t, shown, "maintain permission")
	require.Equal(t, 9, strings.Count(shown, "is held until somebody lifts the hold"))
	require.Equal(t, 2, strings.Count(folded, "is held until somebody lifts the hold"))
	require.Contains(t, folded, "The reason&#58;\u200b the database is slow")
	require.Contains(t, folded, "/unhold *-prod")
	var held, audited []string
	s.view(func(tx *store.Tx, pipeline int64) error {
		all, err := tx.Ledger.Holds(pipeline)
		for _, h := range all {
			held = append(held, string(h.Stage))
		}
		trail, err2 := tx.Audit.Events(pipeline, 0, 1000)
		for _, e := range trail {
			if e.Kind == store.EventCommand && e.Word == "hold" {
				audited = append(audited, string(e.Stage)+" "+e.Outcome)
			}
		}
		require.NoError(t, err2)
		return err
	})
	require.Len(t, held, 11)
	require.NotContains(t, held, "s11-prod")
	require.Len(t, audited, 12)
	require.Contains(t, audited, "s11-prod refused")
	require.Contains(t, audited, "s10-prod done")

	for _, c := range []struct{ typed, says, lacks string }{
		{"/status GROUP:prod", "held by ann", "| s11"},
		{"/why s1*", "s10&#45;\u200bprod", "| s11"},
		{"/history *", "| 11 | s10&#45;\u200bprod |", "| s11"},
		{"/cancel s0*", "10 cancelled", ""},
	} {
		s.do("comment #1 by ann: " + c.typed)
		_, answer := s.answered(1)
		t.Log(answer)
		require.Contains(t, answer, c.says, c.typed)
		if c.lacks != "" {
			require.NotContains(t, answer, c.lacks, c.typed)
			require.Contains(t, answer, "you may not ask about them&#58;\u200b s11&#45;\u200bprod")
		}
	}
	s.do("comment #1 by ann: /status *s0*")
	_, answer = s.answered(1)
	require.Contains(t, answer, "s09&#45;\u200bprod", "the asterisks of a pattern are no emphasis")
	require.NotContains(t, answer, "s10")
	for range 12 { // answers to several stages count once each
		s.do("comment #1 by ann: /unhold group:prod")
	}
	require.Equal(t, "", func() string { _, text := s.answered(1); return text }(), "ten of an outcome in an hour")
}

// TestACommandToSeveralStagesOverTheAPIIsRefusedIfOneRefuses gives it as people with different rights.
func TestACommandToSeveralStagesOverTheAPIIsRefusedIfOneRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t, dozen)
	s.underDozenPolicy()
	require.NoError(t, s.github.SetPermission(home, "bob", "read"))
	s.quiet()
	tokens := s.withTokens(s.acting("ann"), s.acting("bob"))
	ann, bob := tokens[0], tokens[1]

	held := s.gives(ann, "", "hold *-prod for 2h")
	require.Equal(t, "refused", held.Outcome)
	require.Equal(t, "*-prod names 12 stages: 11 held, 1 refused.", held.Text)
	require.Len(t, held.Rows, 12)
	require.Equal(t, "s11-prod", held.Rows[0][0])
	require.Equal(t, "/unhold *-prod", held.Undo)
	again := s.gives(ann, "", "hold s00* for 1h")
	require.Equal(t, "already", again.Outcome, "one stage is answered as ever")

	none := s.gives(bob, "", "hold *-prod")
	require.Equal(t, "refused", none.Outcome)
	require.Contains(t, none.Text, "Asked for: /hold *-prod. Who may: people with write permission")
	require.Empty(t, none.Rows)
	var asked int
	s.view(func(tx *store.Tx, pipeline int64) error {
		trail, err := tx.Audit.Events(pipeline, 0, 1000)
		for _, e := range trail {
			if e.Kind == store.EventCommand && e.By.Login == promotion.Login("bob") {
				asked++
			}
		}
		return err
	})
	require.Equal(t, 1, asked, "who may in none of them costs one decision")
	require.Equal(t, http.StatusOK, s.command(bob, "", "status *").status)
}
