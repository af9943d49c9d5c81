package handlers_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/promotion"
)

// TestADeliveryTellsNoMoreThanAGlanceSays compares GitHub's examples, and some that it has none of, with their events:
// for an App that each of them names, and for another one.
func TestADeliveryTellsNoMoreThanAGlanceSays(t *testing.T) {
	kinds := map[string]int{}
	const push = `{"ref":"refs/heads/change","before":"b","after":"a","repository":{"id":1,"full_name":"acme/api",` +
		`"default_branch":"main"},"commits":[{"id":"a","added":["x"]}]}`
	const labeled = `{"action":"labeled","label":{"name":"deploy"},"sender":{"type":"Bot","id":3},"pull_request":{` +
		`"number":1,"state":"open","updated_at":"2026-03-02T09:00:00Z","head":{"ref":"change","sha":"a"},` +
		`"base":{"repo":{"id":1}}},"repository":{"id":1,"full_name":"acme/api"}}`
	for _, e := range append(corpus(t), example{"push", 100, push}, example{"pull_request", 100, labeled}) {
		var names struct {
			Run   struct{ App struct{ ID int64 } } `json:"check_run"`
			Suite struct{ App struct{ ID int64 } } `json:"check_suite"`
		}
		_ = json.Unmarshal([]byte(e.body), &names) // of another type: not ours
		for _, id := range []int64{max(1, names.Run.App.ID, names.Suite.App.ID), 1} {
			us := handlers.Self{AppID: id, Slug: "waybill"}
			told, err := handlers.Decode(us, e.event, []byte(e.body))
			if errors.Is(err, handlers.ErrIgnored) {
				continue
			}
			require.NoError(t, err, e.name())
			kinds[says(t, e.name(), handlers.GlanceOf(id, e.event, []byte(e.body)), told.Events)]++
		}
	}
	for _, kind := range []string{"signal", "ours", "branch", "candidate", "files", "within", "nothing"} {
		require.Positive(t, kinds[kind], kind)
	}
}

// says requires that events are no more than what a glance says, and returns what kind of glance it is.
func says(t *testing.T, name string, g handlers.Glance, events []handlers.Event) (kind string) {
	kind = "nothing"
	switch {
	case g.Signal != nil && g.Signal.Kind == "":
		kind = "ours"
	case g.Signal != nil:
		kind = "signal"
	case g.Branch != "":
		kind = "branch"
	case g.Candidate:
		kind = "candidate"
	case g.Files:
		kind = "files"
	case g.Within != 0:
		kind = "within"
	}
	for _, event := range events {
		said := kind == "nothing" || kind == "files" || kind == "within"
		switch e := event.(type) {
		case *handlers.Bump:
			said = said || g.Signal != nil && e.SHA == g.Signal.SHA || kind == "branch" && e.Branch == g.Branch
		case *promotion.Signal:
			same := promotion.Signal{Repo: e.Repo, Kind: e.Kind, Name: e.Name, App: e.App, SHA: e.SHA}
			said = said || kind == "signal" && *g.Signal == same
		case *promotion.Suite:
			said = said || kind == "signal" && g.Signal.Kind == promotion.KindCheck && e.SHA == g.Signal.SHA
		case *handlers.CandidatePull:
			said = said || kind == "candidate"
		case *handlers.Push:
			said = said || kind == "branch" && e.Branch == g.Branch
			require.False(t, !g.Files && (e.ConfigTouched || len(e.OnDefault) > 0), name)
		case *handlers.Access, *handlers.RepositoryChange:
			require.True(t, g.Files, name)
		case *handlers.PeopleChanged, *handlers.Dispatched, *handlers.ProtectedJob, *promotion.Image:
			require.Zero(t, g.Within, name)
		}
		require.True(t, said, "%s tells of %T, a glance says: %s", name, event, kind)
	}
	return kind
}
