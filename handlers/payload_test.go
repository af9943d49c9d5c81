package handlers_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/promotion"
)

// The people and repositories in the payloads of the tests.
var (
	mona    = obj{"id": 11, "login": "mona", "type": "User"}
	hubot   = obj{"id": 12, "login": "hubot", "type": "User"}
	waybill = obj{"id": 13, "login": "waybill[bot]", "type": "Bot"}
	actions = obj{"id": 15368, "slug": "github-actions"}
	deploy  = obj{
		"id": 1, "full_name": "acme/deploy", "owner": obj{"id": 8, "login": "acme"}, "default_branch": "main",
		"pushed_at": 1772366400,
	}
	fork = obj{"id": 2, "full_name": "mona/deploy", "default_branch": "main"}
)

var (
	byMona  = promotion.Actor{ID: 11, Login: "mona"}
	byHubot = promotion.Actor{ID: 12, Login: "hubot"}
	acme    = promotion.Actor{ID: 8, Login: "acme"}
)

// obj is a JSON object.
type obj map[string]any

// with returns the object with other values for some of its members.
func (o obj) with(changes obj) obj {
	changed := maps.Clone(o)
	maps.Copy(changed, changes)
	return changed
}

// payload returns a webhook of acme/deploy, with the fields of the repository and its installation.
func payload(about obj) []byte {
	body, err := json.Marshal(obj{"repository": deploy, "installation": obj{"id": 3}, "sender": mona}.with(about))
	if err != nil {
		panic(err)
	}
	return body
}

// told returns the result for a delivery with payload's repository and installation.
func told(events ...handlers.Event) handlers.Told {
	return handlers.Told{
		From: handlers.From{
			Repo: "acme/deploy", RepoID: 1, Installation: 3, Account: acme, DefaultBranch: "main", Sender: byMona,
		},
		Events: events,
	}
}

func decode(t *testing.T, event string, about obj) handlers.Told {
	t.Helper()
	f, err := handlers.Decode(self, event, payload(about))
	require.NoError(t, err)
	return f
}
