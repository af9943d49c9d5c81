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
		CheckRun: gh.CheckRun{Pipeline: 4711, ExternalID: "7", Actions: []gh.Action{{Identifier: "rollback"}}},
	}}
	for _, c := range []struct {
		name, about, button string
		verb                promotion.CommandVerb
		left, refused       bool
	}{
		{"offered", "4711/7", "rollback", promotion.CmdRollback, false, false},
		{"of an older promotion", "4711/6", "rollback", promotion.CmdRollback, false, true},
		{"of another pipeline", "4712/7", "rollback", promotion.CmdRollback, false, true},
		{"of another state", "4711/7", "approve", promotion.CmdApprove, false, true},
		{"unknown", "4711/7", "rm -rf /", "rm -rf /", false, true},
		{"of what is there no more", "4711/7", "rollback", promotion.CmdRollback, true, true},
	} {
		run.hosted = !c.left
		got := commandOf(&run, &handlers.Press{OurRun: handlers.OurRun{ExternalID: c.about}, Button: c.button})
		require.Equal(t, c.verb, got.Verb, c.name)
		require.Equal(t, promotion.StageName("dev"), got.Stage, c.name)
		require.Equal(t, c.refused, got.Trouble != "", c.name)
	}
}

func TestARunThatHasBeenReplacedIsStillKnownByItsNameAndPipeline(t *testing.T) {
	run := ourRun{CheckView: views.CheckView{CheckRun: gh.CheckRun{Pipeline: 4711, Name: "waybill / dev"}}}
	for _, c := range []struct {
		name, externalID string
		is               bool
	}{
		{"waybill / dev", "4711/7", true},
		{"waybill / dev", "4712/7", false},
		{"waybill / prod", "4711/7", false},
		{"waybill / dev", "", false},
	} {
		require.Equal(t, c.is, run.is(handlers.OurRun{Name: c.name, ExternalID: c.externalID}), c)
	}
}
