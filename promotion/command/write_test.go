package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/command"
)

func TestACommandThatIsWrittenIsReadAsItself(t *testing.T) {
	for _, typed := range []string{
		"/promote prod", "/promote prod/eu-1 api#142", "/approve prod 3f182b5", "/deny prod", "/rollback prod to api#141",
		"/hold prod/eu-1 --for 2h", "/hold --all", "/unhold --all", "/unhold prod", "/cancel prod", "/cancel prod p4",
		"/retry prod", "/retry prod api#142", "/skip prod/eu-1", "/status", "/where api#142", "/refresh",
	} {
		c, is := command.ParseLine(typed)
		require.True(t, is, typed)
		require.Equal(t, typed, command.Write(c))
	}
	for _, u := range command.Commands {
		c, _ := command.ParseLine(u.Example)
		again, is := command.ParseLine(command.Write(c))
		require.True(t, is)
		c.Text = ""
		require.Equal(t, c, again, "all but the reason")
	}
	require.Equal(t, "/promot", command.Write(promotion.Command{Verb: "promot"}))
}

func TestWhatACommandHasDoneCanBeUndone(t *testing.T) {
	p := &promotion.Promotion{Number: 7, Freight: promotion.FreightRef{Name: "api#142"}}
	undone := func(typed string) (all []string) {
		c, _ := command.ParseLine(typed)
		for _, undo := range command.Undo(c, p) {
			all = append(all, command.Write(undo))
		}
		return all
	}
	for typed, want := range map[string][]string{
		"/promote prod":                     {"/cancel prod p7", "/rollback prod"},
		"/retry prod":                       {"/cancel prod p7", "/rollback prod"},
		"/rollback prod":                    {"/cancel prod p7"},
		"/approve prod":                     {"/rollback prod"},
		"/deny prod":                        {"/promote prod api#142"},
		"/cancel prod":                      {"/promote prod api#142"},
		"/hold prod/eu-1":                   {"/unhold prod/eu-1"},
		"/hold --all":                       {"/unhold --all"},
		"/unhold prod":                      {"/hold prod"},
		"/pause prod":                       {"/resume prod"},
		"/resume prod":                      {"/pause prod"},
		"/skip prod/eu-1":                   {"/promote prod/eu-1 api#142"},
		`/verdict prod pass --because "ok"`: {"/verify prod"},
		"/verify prod":                      nil,
		"/status":                           nil,
	} {
		require.Equal(t, want, undone(typed), typed)
	}
	require.Empty(t, command.Undo(promotion.Command{Verb: promotion.CmdCancel}, nil))
	p.Class = promotion.Rollback
	require.Equal(t, []string{"/rollback prod to api#142"}, undone("/cancel prod"), "older freight is not available again")
}
