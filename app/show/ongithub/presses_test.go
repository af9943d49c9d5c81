package ongithub

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/gh"
	"waybill/app/views"
	"waybill/handlers"
	"waybill/promotion"
)

func TestOnlyWhatACheckRunOffersNowIsCarriedOutT18(t *testing.T) {
	run := views.CheckView{
		CheckRun: gh.CheckRun{Pipeline: 4711, ExternalID: "7", Actions: []gh.Action{{Identifier: "rollback"}}},
	}
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
		{"made again, there no more", "4711/7", "", promotion.CmdRefresh, true, false},
		{"made again", "4711/7", "", promotion.CmdVerify, false, false},
	} {
		got := commandOf(&run, &handlers.Press{ExternalID: c.about, Button: c.button}, "dev", !c.left)
		require.Equal(t, c.verb, got.Verb, c.name)
		require.Equal(t, promotion.StageName("dev"), got.Stage, c.name)
		require.Equal(t, c.refused, got.Trouble != "", c.name)
	}
}
