package handlers_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

// TestAnIdleDeliveryTellsNothing compares the deliveries that nothing handles with their events: of GitHub's examples,
// for each App that one of them names.
func TestAnIdleDeliveryTellsNothing(t *testing.T) {
	idle := map[string]int{}
	for _, e := range corpus(t) {
		var names struct {
			Run   struct{ App struct{ ID int64 } } `json:"check_run"`
			Suite struct{ App struct{ ID int64 } } `json:"check_suite"`
		}
		_ = json.Unmarshal([]byte(e.body), &names) // of another type: not ours
		us := handlers.Self{AppID: max(names.Run.App.ID, names.Suite.App.ID), Slug: "waybill"}
		if !handlers.IsIdle(us.AppID, e.event, []byte(e.body)) {
			continue
		}
		idle[e.event]++
		told, err := handlers.Decode(us, e.event, []byte(e.body))
		require.NoError(t, err, e.name())
		for _, event := range told.Events {
			require.IsType(t, &handlers.Comment{}, event, e.name())
			require.Empty(t, handlers.Lines(event.(*handlers.Comment).Text), e.name())
		}
	}
	require.Equal(t, map[string]int{"check_run": 3, "check_suite": 3, "issue_comment": 7}, idle)
}

func TestWhichDeliveriesAreIdle(t *testing.T) {
	const us = 7
	comment := func(action, text string) string {
		return fmt.Sprintf(`{"action":%q,"comment":{"user":{"id":1},"body":%q},"issue":{"number":1}}`, action, text)
	}
	edited := func(branch, by, what string) string {
		return fmt.Sprintf(`{"action":"edited","pull_request":{"number":1,"head":{"ref":%q}},"sender":{"type":%q},`+
			`"changes":{%q:{"from":"x"}}}`, branch, by, what)
	}
	check := func(kind, action, status string, app int) string {
		return fmt.Sprintf(`{"action":%q,%q:{"id":1,"check_suite":{"app":{"id":9}},"status":%q,"app":{"id":%d}}}`,
			action, kind, status, app)
	}
	for _, row := range []struct {
		idle        bool
		event, body string
	}{
		{true, "issue_comment", comment("created", "Looks good, see https://example.com/promote")},
		{true, "issue_comment", comment("edited", "/hold prod")},
		{true, "pull_request", edited("waybill/dev/api-1/1", "Bot", "body")},
		{false, "pull_request", edited("waybill/dev/api-1/1", "Bot", "base")},
		{false, "pull_request", edited("waybill/dev/api-1/1", "User", "body")},
		{false, "pull_request", edited("topic", "Bot", "body")},
		{true, "issue_comment", `{"action":"created","comment":{"body":null}}`},
		{false, "issue_comment", comment("created", "/hold prod")},
		{true, "issue_comment",
			`{"action":"created","comment":{"user":{"type":"Bot","id":1},"body":"/hold prod"},"issue":{"number":1}}`},
		{false, "issue_comment",
			`{"action":"created","comment":{"body":"/hold prod","user":{"type":"User","login":"Bot"}},"issue":{"number":1}}`},
		{false, "issue_comment", `{"action":"deleted","comment":{"user":{"type":"Bot"},"body":"ours, perhaps"}}`},
		{false, "issue_comment", comment("created", "Too early.\r\n\r\n  /hold prod")},
		{false, "issue_comment", comment("created", "@waybill hold prod")},
		{false, "issue_comment", comment("deleted", "ours, perhaps")},
		{false, "issue_comment", comment("pinned", "what GitHub may add")},
		{true, "check_run", check("check_run", "created", "in_progress", us)},
		{false, "check_run", check("check_run", "created", "completed", us)},
		{false, "check_run", check("check_run", "rerequested", "queued", us)},
		{false, "check_run", check("check_run", "requested_action", "queued", us)},
		{false, "check_run", check("check_run", "created", "in_progress", 9)},
		{true, "check_suite", check("check_suite", "requested", "queued", us)},
		{false, "check_suite", check("check_suite", "rerequested", "queued", us)},
		{false, "check_suite", check("check_suite", "requested", "queued", 9)},
		{true, "push", `{"ref":"refs/heads/change","deleted":true}`},
		{false, "push", `{"ref":"refs/heads/change","deleted":false}`},
		{false, "push", `{"ref":"refs/tags/v1","deleted":true}`},
		{false, "pull_request", check("check_run", "created", "in_progress", us)},
	} {
		require.Equal(t, row.idle, handlers.IsIdle(us, row.event, []byte(row.body)), "%s %s", row.event, row.body)
	}
	require.False(t, handlers.IsIdle(0, "check_run", []byte(check("check_run", "created", "queued", 0))),
		"no App is ours as long as we do not know which we are")
}
