package handlers

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

var us = Self{AppID: 9, Slug: "waybill"}

// decoded decodes a payload built by a test.
func decoded(t *testing.T, event string, payload map[string]any) Told {
	t.Helper()
	body, err := json.Marshal(payload)
	require.NoError(t, err)
	f, err := Decode(us, event, body)
	require.NoError(t, err)
	return f
}

func person() map[string]any { return map[string]any{"id": 5, "login": "ann", "type": "User"} }
func robot() map[string]any  { return map[string]any{"id": 6, "login": "other[bot]", "type": "Bot"} }

func TestAButtonCountsOnlyOnARunOfOursAndFromAPersonT18(t *testing.T) {
	press := func(app int, sender map[string]any, action, button string) *Press {
		return First[Press](decoded(t, "check_run", map[string]any{
			"action": action, "sender": sender, "requested_action": map[string]any{"identifier": button},
			"repository": map[string]any{"id": 1, "full_name": "acme/api"}, "installation": map[string]any{"id": 3},
			"check_run": map[string]any{
				"id": 8, "name": "waybill / dev", "head_sha": "c1", "external_id": "7", "status": "completed",
				"conclusion": "failure", "app": map[string]any{"id": app, "slug": "x"},
			},
		}))
	}
	run := OurRun{ID: 8, SHA: "c1", Name: "waybill / dev", ExternalID: "7"}
	want := Press{OurRun: run, Button: "retry", By: promotion.Actor{ID: 5, Login: "ann"}}
	require.Equal(t, &want, press(9, person(), "requested_action", "retry"))
	require.Nil(t, press(9, person(), "rerequested", "retry"))
	require.Nil(t, press(10, person(), "requested_action", "retry"), "another App's run")
	require.Nil(t, press(9, robot(), "requested_action", "retry"), "another App")
	require.Nil(t, press(9, person(), "completed", "retry"), "no button")
	require.Nil(t, press(9, person(), "requested_action", ""))
}

func TestARunOfOursThatIsAskedForAgainIsMadeAgainWhoeverAsksT18(t *testing.T) {
	again := func(event, action string, app int, sender map[string]any) *Rerun {
		return First[Rerun](decoded(t, event, map[string]any{
			"action": action, "sender": sender,
			"repository": map[string]any{"id": 1, "full_name": "acme/api"}, "installation": map[string]any{"id": 3},
			"check_run": map[string]any{
				"id": 8, "name": "waybill / dev", "head_sha": "c1", "external_id": "7", "status": "completed",
				"conclusion": "failure", "app": map[string]any{"id": app, "slug": "x"},
			},
			"check_suite": map[string]any{
				"id": 3, "head_sha": "c1", "status": "queued", "app": map[string]any{"id": app, "slug": "x"},
			},
		}))
	}
	ann := promotion.Actor{ID: 5, Login: "ann"}
	one := OurRun{ID: 8, SHA: "c1", Name: "waybill / dev", ExternalID: "7"}
	for _, row := range []struct {
		event  string
		sender map[string]any
		want   Rerun
	}{
		{"check_run", person(), Rerun{OurRun: one, By: ann}},
		{"check_run", robot(), Rerun{OurRun: one}},
		{"check_suite", person(), Rerun{OurRun: OurRun{SHA: "c1"}, By: ann}},
		{"check_suite", robot(), Rerun{OurRun: OurRun{SHA: "c1"}}},
	} {
		require.Equal(t, &row.want, again(row.event, "rerequested", 9, row.sender))
		require.Nil(t, again(row.event, "rerequested", 10, row.sender), "another App's")
		require.Nil(t, again(row.event, "completed", 9, row.sender))
		require.Nil(t, again(row.event, "rerequested", 9, map[string]any{"id": 9, "login": "waybill[bot]", "type": "Bot"}),
			"our own request would never end")
	}
}

func TestALabelIsARequestOnlyOfAPersonT17(t *testing.T) {
	labelled := func(sender map[string]any, action, head string) Told {
		repository := map[string]any{"id": 1, "full_name": "acme/api"}
		return decoded(t, "pull_request", map[string]any{
			"action": action, "sender": sender, "label": map[string]any{"name": "promote/dev"}, "repository": repository,
			"pull_request": map[string]any{
				"number": 7, "state": "open", "head": map[string]any{"sha": "c1", "ref": head, "repo": repository},
				"base": map[string]any{"repo": repository},
			},
		})
	}
	label := func(sender map[string]any, action, head string) *Label {
		return First[Label](labelled(sender, action, head))
	}
	want := Label{Number: 7, Name: "promote/dev", Head: "c1", By: promotion.Actor{ID: 5, Login: "ann"}}
	require.Equal(t, &want, label(person(), "labeled", "fix"))
	gone := want
	gone.Gone = true
	require.Equal(t, &gone, label(person(), "unlabeled", "fix"))
	ours := want
	ours.Ours = "waybill/dev/api-1/7"
	require.Equal(t, &ours, label(person(), "labeled", "waybill/dev/api-1/7"))
	require.Nil(t, label(robot(), "labeled", "fix"))
	require.Nil(t, label(person(), "edited", "fix"))
	require.Equal(t, &Removal{Number: 7, Label: "promote/dev"}, First[Removal](labelled(robot(), "unlabeled", "fix")),
		"it may be one of ours")
	require.Nil(t, First[Removal](labelled(robot(), "labeled", "fix")))
}
