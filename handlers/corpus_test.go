package handlers_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/promotion"
)

// example is one of GitHub's published payloads.
type example struct {
	event string
	n     int // its place among those of the event
	body  string
}

func (e example) name() string { return fmt.Sprintf("%s/%d", e.event, e.n) }

// corpus returns all of GitHub's published examples: 329 payloads of 58 events.
func corpus(t testing.TB) []example {
	t.Helper()
	file, err := os.Open("testdata/webhooks-examples.json.gz")
	require.NoError(t, err)
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	var events []struct {
		Name     string
		Examples []json.RawMessage
	}
	require.NoError(t, json.NewDecoder(unzipped).Decode(&events))
	var all []example
	for _, e := range events {
		for i, body := range e.Examples {
			all = append(all, example{e.Name, i, string(body)})
		}
	}
	require.Len(t, all, 329)
	return all
}

func TestEveryPublishedExampleIsAcknowledgedAndOnlyOursAreStored(t *testing.T) {
	inbox := newInbox()
	hook := start(t, handlers.Options{Inbox: inbox})
	want := map[string]int{}
	for _, e := range corpus(t) {
		answer := hook.post(t, delivery{event: e.event, guid: e.name(), body: e.body})
		require.Equal(t, http.StatusAccepted, answer.status, "%s: %s", e.name(), answer.text)
		if slices.Contains(handlers.Events(), e.event) {
			want[e.event]++
			require.Equal(t, e.body, string(inbox.kept[e.name()].Body), e.name())
		}
	}
	got := map[string]int{}
	for _, d := range inbox.kept {
		got[d.Event]++
	}
	require.Equal(t, want, got)
	const without = 2 // deployment_protection_rule, registry_package
	require.Equal(t, len(handlers.Events())-without, len(want), "there is an example of each of our other events")
}

// unparseable are the published examples that go-github v60 cannot parse. Two of check_run have times in a format other
// than GitHub's own; Waybill does not use the other events.
var unparseable = []string{
	"check_run/7", "check_run/8",
	"deployment_review/0",
	"discussion/1",
	"package/0", "package/1", "package/2",
	"sponsorship/0", "sponsorship/1", "sponsorship/2", "sponsorship/3",
}

func TestExamplesThatCannotBeParsedAreIgnored(t *testing.T) {
	var unparsed []string
	for _, e := range corpus(t) {
		_, unparsable := github.ParseWebHook(e.event, []byte(e.body))
		if unparsable != nil {
			unparsed = append(unparsed, e.name())
		}
		got, err := handlers.Decode(self, e.event, []byte(e.body))
		ofPackages := e.event == "package" || e.event == "registry_package" // package handlers parses these itself
		if (unparsable == nil || ofPackages) && slices.Contains(handlers.Events(), e.event) {
			require.NoError(t, err, e.name())
			continue
		}
		require.ErrorIs(t, err, handlers.ErrIgnored, e.name())
		require.Zero(t, got, e.name())
	}
	require.Equal(t, unparseable, unparsed)
}

func TestPublishedExamplesBecomeEvents(t *testing.T) {
	examples := map[string]example{}
	for _, e := range corpus(t) {
		examples[e.name()] = e
	}
	codertocat := promotion.Actor{ID: 21031067, Login: "Codertocat"}
	hello := handlers.From{
		Repo: "Codertocat/Hello-World", RepoID: 186853002, Account: codertocat, DefaultBranch: "master", Sender: codertocat,
	}
	tells := func(events ...handlers.Event) handlers.Told { return handlers.Told{From: hello, Events: events} }
	installed := func(t handlers.Told) handlers.Told {
		t.Installation = 1
		return t
	}
	renamed := installed(tells(&handlers.RepositoryChange{Kind: handlers.Renamed}))
	renamed.Repo, renamed.RepoID, renamed.Account = "Octocoders/Hello-World", 186853261,
		promotion.Actor{ID: 38302899, Login: "Octocoders"}
	at := func(minute, second int) time.Time { return time.Date(2019, 5, 15, 15, minute, second, 0, time.UTC) }
	const head, base = promotion.SHA("ec26c3e57ca3a959ca5aad62de7213c562f8c821"), promotion.SHA(
		"6113728f27ae82c7b1a177c8d03f9e96e0adf246",
	)
	suite := promotion.Suite{
		Repo: hello.Repo, ID: 118578147, SHA: head, Branch: "changes", Completed: true, Conclusion: "success",
	}

	for name, want := range map[string]handlers.Told{
		"pull_request/3": installed(tells( // closed, not merged
			&handlers.CandidatePull{Number: 2, Head: head, Base: "master", Updated: at(21, 18), By: codertocat},
		)),
		"check_suite/0": tells(&handlers.Bump{SHA: head}, &suite),
		"status/0": tells(&handlers.Bump{SHA: base}, &promotion.Signal{
			Repo: hello.Repo, Kind: promotion.KindStatus, ID: 6805126730, SHA: base, Name: "default", State: "success",
			Started: at(20, 55), Ended: at(20, 55), Observed: at(20, 55),
		}),
		"push/0":       tells(&handlers.TagPushed{Tag: "simple-tag"}),
		"push/1":       tells(), // a deleted tag
		"release/0":    tells(&handlers.Released{Tag: "0.0.1"}),
		"release/4":    installed(tells()), // a deleted release
		"release/6":    tells(&handlers.Released{Tag: "0.0.1"}),
		"release/8":    tells(), // prereleased: GitHub sends published, too
		"repository/9": renamed,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := handlers.Decode(self, examples[name].event, []byte(examples[name].body))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}
