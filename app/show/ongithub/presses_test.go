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
