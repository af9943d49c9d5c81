package handlers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
)

// T21 and F34: an App that loses its access waits for the event that restores it.
func TestWhatTheAppMayReachIsTold(t *testing.T) {
	api, web := obj{"id": 21, "full_name": "acme/api"}, obj{"id": 22, "full_name": "acme/web"}
	theAPI, theWeb := handlers.Repository{ID: 21, Name: "acme/api"}, handlers.Repository{ID: 22, Name: "acme/web"}
	for _, row := range []struct {
		event, action string
		about         obj
		want          handlers.Event // nil: nothing
	}{
		{"installation", "created", obj{"repositories": []obj{api, web}},
			&handlers.Access{Change: handlers.Installed, Added: []handlers.Repository{theAPI, theWeb}}},
		{"installation", "deleted", obj{"repositories": []obj{api}},
			&handlers.Access{Change: handlers.Uninstalled}},
		{"installation", "suspend", nil, &handlers.Access{Change: handlers.Suspended}},
		{"installation", "unsuspend", nil, &handlers.Access{Change: handlers.Resumed}},
		{"installation", "new_permissions_accepted", nil, &handlers.Access{Change: handlers.Permitted}},
		{"installation", "something_new", nil, nil},
		{"installation_repositories", "added", obj{"repositories_added": []obj{api}},
			&handlers.Access{Change: handlers.Reselected, Added: []handlers.Repository{theAPI}}},
		{"installation_repositories", "removed", obj{"repositories_removed": []obj{web}},
			&handlers.Access{Change: handlers.Reselected}},
	} {
		t.Run(row.event+" "+row.action, func(t *testing.T) {
			about := obj{"action": row.action, "repository": nil,
				"installation": obj{"id": 3, "account": obj{"id": 8, "login": "acme"}}}
			from := handlers.From{Installation: 3, Account: acme, Sender: byMona}
			require.Equal(t, handlers.Told{From: from, Events: unlessNil(row.want)},
				decode(t, row.event, about.with(row.about)))
		})
	}
}

// T22: a repository with another name or owner is the same if it has the same id.
func TestWhatHappensToARepositoryIsTold(t *testing.T) {
	for _, row := range []struct {
		name, action string
		changes      obj
		want         handlers.Event // nil: nothing
	}{
		{"renamed", "renamed", obj{"repository": obj{"name": obj{"from": "old"}}},
			&handlers.RepositoryChange{Kind: handlers.Renamed}},
		{"transferred", "transferred", nil, &handlers.RepositoryChange{Kind: handlers.Transferred}},
		{"archived", "archived", nil, &handlers.RepositoryChange{Kind: handlers.Archived}},
		{"unarchived", "unarchived", nil, &handlers.RepositoryChange{Kind: handlers.Unarchived}},
		{"deleted", "deleted", nil, &handlers.RepositoryChange{Kind: handlers.Deleted}},
		{"another default branch", "edited", obj{"default_branch": obj{"from": "master"}},
			&handlers.RepositoryChange{Kind: handlers.Rebranched}},
		{"another description", "edited", obj{"description": obj{"from": "old"}}, nil},
		{"published", "publicized", nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := decode(t, "repository", obj{"action": row.action, "changes": row.changes})
			require.Equal(t, told(unlessNil(row.want)...), got)
		})
	}
}

// unlessNil returns the events of a delivery that yields one event, or none.
func unlessNil(e handlers.Event) []handlers.Event {
	if e == nil {
		return nil
	}
	return []handlers.Event{e}
}
