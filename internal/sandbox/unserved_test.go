package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/githubsim"
	"waybill/promotion"
	"waybill/store"
)

// unserved is a repository with the App in it that no pipeline means.
const unserved = "globex/secret"

// kept lists the events of the handled deliveries of a repository whose bodies are kept, and how many there are in all.
// Those of installations have no repository.
func (s *site) kept(repo promotion.Repo) (events []string, all int) {
	s.t.Helper()
	require.Empty(s.t, s.deliveries(store.DeliveryWaiting))
	for _, d := range s.deliveries(store.DeliveryHandled) {
		if d.Repo != repo {
			continue
		}
		all++
		require.NoError(s.t, s.program.store.View(s.ctx, func(tx *store.Tx) (err error) {
			if d, err = tx.Inbox.Delivery(d.ID); len(d.Body) > 0 {
				events = append(events, d.Event)
			}
			return err
		}))
	}
	return events, all
}

// bystander installs the App in a repository that no pipeline means, where a person merges and writes.
func (s *site) bystander() {
	s.t.Helper()
	require.NoError(s.t, s.meet("ann"))
	require.NoError(s.t, s.github.CreateOrg("globex"))
	require.NoError(s.t, s.github.CreateRepo(unserved, map[string]string{"src/0": "x\n"}))
	_, err := s.github.InstallApp("globex", unserved)
	require.NoError(s.t, err)
	s.quiet()
	n := s.mergedIn(unserved)
	_, err = s.github.Comment(unserved, n, "ann", "/status the secret")
	require.NoError(s.t, err)
	s.quiet()
}

func TestWhatIsSaidWhereNoPipelineLivesIsNotKeptT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.bystander()
	events, all := s.kept(unserved)
	require.Empty(t, events)
	require.Greater(t, all, 3, "they are known if they come again")
	for _, d := range s.deliveries(store.DeliveryHandled) {
		if d.Repo == unserved && (d.Event == "pull_request" || d.Event == "issue_comment") {
			require.Zero(t, d.Attempts, "%s ended when it came", d.Event)
		}
	}
	s.do("merge #1 by ann")
	events, _ = s.kept(promotion.Repo(home))
	require.Contains(t, events, "pull_request")

	for _, d := range s.github.Deliveries() { // the same webhooks come again
		if d.Event == "issue_comment" {
			require.Equal(t, 202, s.postEvent(d.Event, d.GUID, d.Payload, signature256,
				signed(s.github.WebhookSecret(), d.Payload)))
		}
	}
	_, again := s.kept(unserved)
	require.Equal(t, all, again)

	// The push that brings a pipeline is kept, and so is what comes after it.
	_, err := s.github.PushFiles(unserved, "main", "ann", "Begin", map[string]*string{
		".github/waybill.yml": githubsim.Text(oneStage), "dev.yaml": githubsim.Text("tag: none\n"),
	})
	require.NoError(t, err)
	s.quiet()
	events, _ = s.kept(unserved)
	require.Contains(t, events, "push")
}

func TestWhatAnInstallationIsToldWithoutAPipelineIsNotKeptT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	before, _ := s.kept("")
	s.bystander()
	require.NoError(t, s.github.ReachRepo(unserved, false))
	require.NoError(t, s.github.ReachRepo(unserved, true))
	s.quiet()
	after, _ := s.kept("")
	require.Equal(t, before, after, "which repositories the other owner has is not kept")
}

// TestWhatAnOwnerSaysWhomTheServerDoesNotServeIsNotKeptT22 has a pipeline name a repository of theirs.
func TestWhatAnOwnerSaysWhomTheServerDoesNotServeIsNotKeptT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoOwners)
	s.do("merge globex/web#1 by ann")
	events, before := s.kept(globexWeb)
	require.NotEmpty(t, events)
	s.owners = []promotion.Actor{{Login: "acme"}}
	require.NoError(t, s.restart(s.ctx))
	s.quiet()
	s.do("merge globex/web#2 by ann")
	later, all := s.kept(globexWeb)
	require.Greater(t, all, before)
	require.Equal(t, events, later)
}

// TestWhatARepositorySaysThatTookANameIsNotKeptT22 has another repository take the name of one that a pipeline means.
func TestWhatARepositorySaysThatTookANameIsNotKeptT22(t *testing.T) {
	t.Parallel()
	s := newSite(t, fromAPI)
	s.pushConfig(fromAPI + "# one\n")
	s.takenOver("acme/api", map[string]string{"src/0": "x\n"})
	events, before := s.kept("acme/api")
	s.mergedIn("acme/api")
	later, all := s.kept("acme/api")
	require.Greater(t, all, before)
	for _, event := range later[len(events):] {
		require.Equal(t, "member", event, "who may do what is news of the owner")
	}
}
