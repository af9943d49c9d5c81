package handlers

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// commented returns a delivery of a comment by ann on pull request #7, after changes.
func commented(t *testing.T, change func(payload map[string]any)) []byte {
	t.Helper()
	payload := map[string]any{
		"action": "created",
		"issue": map[string]any{
			"number": 7, "pull_request": map[string]any{"url": "https://api.github.com/repos/acme/api/pulls/7"},
		},
		"comment": map[string]any{"body": "/promote prod", "created_at": "2026-01-05T09:00:00Z",
			"user": map[string]any{"id": 5, "login": "ann", "type": "User"}},
		"repository":   map[string]any{"id": 1, "full_name": "acme/api"},
		"sender":       map[string]any{"id": 5, "login": "ann", "type": "User"},
		"installation": map[string]any{"id": 3},
	}
	change(payload)
	body, err := json.Marshal(payload)
	require.NoError(t, err)
	return body
}

// with sets a field of an object inside a payload.
func with(object, field string, value any) func(map[string]any) {
	return func(payload map[string]any) {
		changed := maps.Clone(payload[object].(map[string]any))
		changed[field] = value
		payload[object] = changed
	}
}

func TestANewCommentBelowAPullRequestIsRead(t *testing.T) {
	f, err := Decode(Self{AppID: 9, Slug: "waybill"}, "issue_comment", commented(t, func(map[string]any) {}))
	require.NoError(t, err)
	require.Equal(t, promotion.Repo("acme/api"), f.Repo)
	require.Len(t, All[Comment](f), 1)
	comment := First[Comment](f)
	require.Equal(t, 7, comment.Number)
	require.Equal(t, promotion.Actor{ID: 5, Login: "ann"}, comment.By)
	require.Equal(t, "/promote prod", comment.Text)
}

// T5, T7: comments that were edited or deleted, or written by bots or through an App, give no commands.
func TestACommentThatNobodyJustWroteIsNoWish(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"edited":         func(p map[string]any) { p["action"] = "edited" },
		"deleted":        func(p map[string]any) { p["action"] = "deleted" },
		"below an issue": func(p map[string]any) { p["issue"] = map[string]any{"number": 7} },
		"by a bot":       with("sender", "type", "Bot"),
		"by a bot's account": with("comment", "user",
			map[string]any{"id": 8, "login": "github-actions[bot]", "type": "Bot"}),
		"by our own App":          with("sender", "login", "waybill[bot]"),
		"by an App in ann's name": with("comment", "performed_via_github_app", map[string]any{"id": 4}),
	} {
		t.Run(name, func(t *testing.T) {
			body := commented(t, func(p map[string]any) {
				change(p)
				if name == "by our own App" {
					with("sender", "type", "Bot")(p)
				}
			})
			f, err := Decode(Self{AppID: 9, Slug: "waybill"}, "issue_comment", body)
			require.NoError(t, err)
			require.Nil(t, First[Comment](f))
		})
	}
}

func TestACommentOfOursThatSomebodyElseDeletesIsRemoved(t *testing.T) {
	ours := with("comment", "user", map[string]any{"id": 8, "login": "waybill[bot]", "type": "Bot"})
	deleted := func(change ...func(map[string]any)) *Removal {
		f, err := Decode(Self{AppID: 9, Slug: "waybill"}, "issue_comment", commented(t, func(p map[string]any) {
			with("comment", "id", 77)(p)
			p["action"] = "deleted"
			for _, one := range change {
				one(p)
			}
		}))
		require.NoError(t, err)
		return First[Removal](f)
	}
	require.Nil(t, deleted(), "it was ann's own")
	require.Equal(t, &Removal{Number: 7, Comment: 77}, deleted(ours))
	require.Equal(t, &Removal{Number: 7, Comment: 77}, deleted(ours, with("sender", "type", "Bot")), "whoever it is")
	require.Nil(t, deleted(ours, with("sender", "login", "waybill[bot]")))
}
