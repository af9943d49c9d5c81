package ongithub

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/app/views"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/store"
)

func TestOnlyWhatACheckRunOffersNowIsCarriedOutT18(t *testing.T) {
	run := ourRun{view: store.View{Stage: "dev"}, CheckView: views.CheckView{
		CheckRun: gh.CheckRun{Pipeline: 4711, Subject: "api#1/dev", Present: "p7", Turns: 1,
			Actions: []gh.Action{{Identifier: "rollback"}}},
	}}
	for _, c := range []struct {
		name, about, button string
		verb                promotion.CommandVerb
		left, refused       bool
	}{
		{"offered", "4711/api#1/dev p7 #1", "rollback", promotion.CmdRollback, false, false},
		{"before another button was answered", "4711/api#1/dev p7", "rollback", promotion.CmdRollback, false, false},
		{"of an older promotion", "4711/api#1/dev p6", "rollback", promotion.CmdRollback, false, true},
		{"before there was a promotion", "4711/api#1/dev", "rollback", promotion.CmdRollback, false, true},
		{"of another state", "4711/api#1/dev p7", "approve", promotion.CmdApprove, false, true},
		{"unknown", "4711/api#1/dev p7", "rm -rf /", "rm -rf /", false, true},
		{"of what is there no more", "4711/api#1/dev p7", "rollback", promotion.CmdRollback, true, true},
	} {
		run.hosted = !c.left
		got := commandOf(&run, &handlers.Press{OurRun: handlers.OurRun{ExternalID: c.about}, Button: c.button})
		require.Equal(t, c.verb, got.Verb, c.name)
		require.Equal(t, promotion.StageName("dev"), got.Stage, c.name)
		require.Equal(t, c.refused, got.Trouble != "", c.name)
	}
}

func TestAButtonThatCountsNoMoreSaysWhatToDo(t *testing.T) {
	run := ourRun{view: store.View{Stage: "dev"}, CheckView: views.CheckView{Freight: "api#1", CheckRun: gh.CheckRun{
		Pipeline: 4711, Subject: "api#1/dev", Present: "p7", Actions: []gh.Action{{Identifier: "rollback"}},
	}}}
	press := func(about, button string) string {
		return commandOf(&run, &handlers.Press{OurRun: handlers.OurRun{ExternalID: about}, Button: button}).Trouble
	}
	require.Equal(t, "the check shows promotion 7 now, this button was for promotion 6; reload the page",
		press("4711/api#1/dev p6 #2", "rollback"))
	require.Equal(t, "the check shows promotion 7 now, this button was for no promotion; reload the page",
		press("4711/api#1/dev", "rollback"))
	require.Equal(t, "this button is gone; reload the page", press("4711/api#1/dev p7", "approve"))
	require.Equal(t, "dev has moved on from api#1; use the buttons of what it hosts, or /rollback dev to FREIGHT",
		press("4711/api#1/dev p7", "rollback"))
}

func TestARunThatHasBeenReplacedIsStillKnownByItsNameAndSubject(t *testing.T) {
	run := ourRun{CheckView: views.CheckView{CheckRun: gh.CheckRun{
		Pipeline: 4711, Name: "waybill / dev", Subject: "api#1/dev", Present: "p7",
	}}}
	for _, c := range []struct {
		name, externalID string
		is               bool
	}{
		{"waybill / dev", "4711/api#1/dev p7", true},
		{"waybill / dev", "4711/api#1/dev p6 #2", true},
		{"waybill / dev", "4711/api#1/dev", true},
		{"waybill / dev", "4711/api#1/dev2", false},
		{"waybill / dev", "4711/web#1/dev p7", false},
		{"waybill / dev", "4712/api#1/dev p7", false},
		{"waybill / prod", "4711/api#1/dev p7", false},
		{"waybill / dev", "", false},
	} {
		require.Equal(t, c.is, run.is(handlers.OurRun{Name: c.name, ExternalID: c.externalID}), c)
	}
}
