package say

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/internal/fixture"
)

// deed is the answer to a command of ann about promotion 7, api#142 to prod, which waits for sign-offs.
func deed(typed string) Deed {
	c, _ := command.ParseLine(typed)
	return Deed{
		Request: promotion.Request{Command: c, By: fixture.Ann}, Home: "acme/deploy",
		At: promotion.FreightStatus{
			Name: "api#142", Promotion: &promotion.Promotion{Number: 7, State: promotion.WaitingForMerge},
			Reason: promotion.Because(promotion.Unapproved, "1"), Until: fixture.Noon,
		},
		Expires: fixture.Noon,
	}
}

func TestEveryCommandThatActsSaysWhatItHasDoneToWhatUntilWhenAndHowToUndoIt(t *testing.T) {
	for typed, want := range map[string]string{
		"/promote prod/eu-1 api#142":        "api#142 goes to prod/eu-1, by promotion 7.",
		"/retry prod":                       "api#142 goes to prod once more, by promotion 7.",
		"/rollback prod":                    "prod goes back to api#142, by promotion 7.",
		"/approve prod":                     "ann has signed off promotion 7, api#142 to prod, until 2026-01-01 12:00 UTC.",
		"/deny prod":                        "ann denied promotion 7, api#142 to prod; it has ended.",
		"/cancel prod":                      "Promotion 7, api#142 to prod, is cancelled.",
		`/admit api#142 prod --because "x"`: "api#142 is available to prod, until 2026-01-01 12:00 UTC.",
		"/unhold prod":                      "The hold of prod is lifted.",
		"/unhold --all":                     "The hold of every stage of acme/deploy is lifted.",
		"/unreject api#142 prod":            "api#142 is rejected no more in prod.",
		"/fixes api#142":                    "api#142 repairs what was rejected: it and later freight are taken again.",
		"/pause prod":                       "The rollout of api#142 in prod is paused until somebody resumes it.",
		"/resume prod":                      "The rollout of api#142 in prod goes on.",
		"/skip prod/eu-1":                   "The rollout of api#142 leaves out prod/eu-1.",
		"/verify prod":                      "GitHub was asked again about api#142 in prod.",
		`/verdict prod pass --because "x"`:  "ann has decided that api#142 in prod is good.",
		`/verdict prod fail --because "x"`:  "ann has decided that api#142 in prod is bad.",
	} {
		report := deed(typed).Report()
		require.Equal(t, want, report.Title, typed)
		require.Contains(t, report.Notes, "Now: Waiting for its merge: 1 more sign-off is needed (`/approve`), next check "+
			"2026-01-01 12:00 UTC", typed)
	}
	for _, u := range command.Commands {
		if !command.IsQuestion(u.Verb) && u.Verb != promotion.CmdHold && u.Verb != promotion.CmdReject {
			require.NotContains(t, deed(u.Example).Report().Title, "is done", u.Example)
		}
	}

	hold := promotion.Hold{Stage: "prod", By: fixture.Ann, At: fixture.Noon, Until: fixture.Noon.Add(2 * time.Hour)}
	held := deed("/hold prod --for 2h")
	held.Hold = hold
	require.Equal(t, Report{
		Title: "prod is held, until 2026-01-01 14:00 UTC (for 2h).", Undo: "/unhold prod"}, held.Report())

	hold.Warehouse, held.Hold.Warehouse = "api", "api"
	require.Equal(t, Report{
		Title: "Freight of api in prod is held, until 2026-01-01 14:00 UTC (for 2h).", Undo: "/unhold prod api"},
		held.Report())
	require.Equal(t, "held for freight of api by ann since 2026-01-01 12:00 UTC (until 2026-01-01 14:00 UTC)",
		HoldSentence(hold))
	hold.Warehouse = ""
	let := deed("/unhold prod")
	let.Why = promotion.Because(promotion.Lifted, "api")
	require.Equal(t, "The hold of prod is lifted.", let.Report().Title)
	require.Contains(t, let.Report().Notes, "The hold of freight of api is lifted, too")
	require.Equal(t, "The hold of freight of api in prod is lifted.", deed("/unhold prod api").Report().Title)
	let.Holds = []promotion.Hold{{Stage: "prod", By: fixture.Ann}}
	require.Equal(t, "prod stays held; one hold is lifted.", let.Report().Title)
	let.Lifted = []promotion.Hold{{Stage: "prod", By: fixture.Ann}, {Stage: "prod", At: fixture.Noon,
		Reason: promotion.Because(promotion.Asked, "bob"), Promotion: 6}}
	require.Equal(t, "prod stays held; 2 holds are lifted.", let.Report().Title)
	require.Equal(t, []string{"The hold of freight of api is lifted, too", "prod was held by " +
		"Waybill since 2026-01-01 12:00 UTC, so that automation does not undo promotion 6, for which bob " +
		"asked"},
		let.Report().Notes[:2], "their own is not told")
	all := deed("/unhold --all")
	all.Holds = []promotion.Hold{{Stage: "prod", By: fixture.Ann}}
	require.Equal(t, "The hold of every stage is lifted; some stages have holds of their own.", all.Report().Title)

	free := deed(`/promote prod --because "release day"`)
	free.Holds = []promotion.Hold{hold}
	free.Undo = promotion.Command{Verb: promotion.CmdCancel, Stage: "prod", Freight: "p7"}
	report := free.Report()
	require.Equal(t, "/cancel prod p7", report.Undo)
	require.Contains(t, report.Notes, "The reason: release day")
	require.Contains(t, report.Notes, "prod is held by ann since 2026-01-01 12:00 UTC (until 2026-01-01 14:00 UTC)")
	require.Contains(t, report.Markdown(), "\nTo undo it:\n```\n/cancel prod p7\n```\n")
	require.Contains(t, report.Mrkdwn(), "To undo it: /waybill cancel prod p7")
}

func TestARefusalSaysWhatWasAskedForWhyNotAndWhoMay(t *testing.T) {
	of := promotion.Policy{May: map[promotion.CommandVerb][]promotion.Rule{
		promotion.CmdAdmit: {{Name: "f:1", Permission: promotion.Maintain, Teams: []string{"acme/sre"}}},
	}}
	for _, c := range []struct {
		typed string
		why   promotion.Reason
		want  string
	}{
		{"/promote prod api#142", promotion.Because(promotion.Forbidden, "write"),
			"Refused: that needs write permission. Asked for: /promote prod api#142. Who may: people with write " +
				"permission."},
		{"/approve prod", promotion.Because(promotion.Forbidden, "not", "author"),
			"Refused: the author may not do that. Asked for: /approve prod. Who may: people with write permission, but not " +
				"the promotion's author or requester."},
		{`/verdict prod pass --because "x"`, promotion.Because(promotion.Forbidden, "nobody"),
			"Refused: nobody may do that here. Asked for: /verdict prod pass. Who may: nobody, because no rule of the " +
				"policy file says who (add one " +
				"under `may`: docs/permissions.md)."},
		{"/unhold prod", promotion.Because(promotion.Held, "bob"),
			"Refused: bob holds the stage. Asked for: /unhold prod. Who may lift the hold: bob, and people with maintain " +
				"permission."},
		{"/promote prod", promotion.Because(promotion.Unverified, "qa"),
			"Refused: not verified in qa. Asked for: /promote prod. Who may let it in all the same, by /admit: people with " +
				"maintain permission in the teams acme/sre."},
		{"/promote prod api#142", promotion.Because(promotion.Soaking, "qa").With(promotion.MayWait),
			"Refused: soaking in qa. Asked for: /promote prod api#142. To have it " +
				"wait: /promote prod api#142 --when-available. Who may let it in all the same, by /admit: people with " +
				"maintain permission in the teams acme/sre."},
		{"/promote prod api#9", promotion.Because(promotion.Unknown, "api#9"),
			"Refused: there is no api#9 here. Asked for: /promote prod api#9."},
	} {
		asked, _ := command.ParseLine(c.typed)
		r := RefusalOf(promotion.Request{Command: asked}, "refused", c.why, of, "prod")
		require.Equal(t, c.want, r.Words())
	}
	asked, _ := command.ParseLine("/unhold prod")
	r := RefusalOf(promotion.Request{Command: asked}, "already", promotion.Reason{}, of, "prod")
	require.Equal(t, "Nothing to do: nobody holds prod. Asked for: `/unhold prod`.", r.Markdown())
	require.Equal(t, "Nothing to do: nobody holds prod. Asked for: /unhold prod.", r.Mrkdwn())
}

func TestARollbackSaysWhatItHolds(t *testing.T) {
	s := &promotion.Stage{Name: "prod", From: []promotion.Source{{Warehouse: "api"}}}
	p := &promotion.Promotion{Number: 7, Freight: promotion.FreightRef{Name: "api#1", Warehouse: "api"}}
	at := promotion.FreightStatus{Name: "api#1", Stage: s, Promotion: p}
	c := promotion.Command{Verb: promotion.CmdRollback, Stage: "prod"}
	require.Contains(t, RollbackReport(c, at).Notes[0], "Once it is there the stage is held")
	s.From = append(s.From, promotion.Source{Warehouse: "web"})
	require.Contains(t, RollbackReport(c, at).Notes[0], "Once it is there freight of api is held")
}

func TestAButtonInSlackNamesWhereItGoes(t *testing.T) {
	at := promotion.FreightStatus{
		Name: "api#144", Seen: "x", BackTo: "api#143", Hosted: true,
		Reason: promotion.Because(promotion.FailedCheck, "smoke"),
		Promotion: &promotion.Promotion{
			Number: 7, Stage: "prod", Freight: promotion.FreightRef{Name: "api#144"}, State: promotion.VerificationFailed,
		},
	}
	asks := func() (all []string) {
		for _, b := range CardOf(&promotion.Pipeline{}, at).Buttons {
			all = append(all, b.Ask)
		}
		return all
	}
	require.Equal(t, []string{
		"Take prod back from api#144 to api#143, and hold it then?", "Hold prod until somebody lifts the hold?"}, asks())
	at.BackTo = ""
	require.Equal(t, []string{"Hold prod until somebody lifts the hold?"}, asks())
}
