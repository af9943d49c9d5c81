package handlers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/handlers"
	"waybill/promotion"
)

// smoke is a check run that has succeeded, the last of its suite.
var smoke = obj{
	"id": 501, "name": "smoke", "head_sha": "s1", "status": "completed", "conclusion": "success",
	"html_url": "https://github.com/acme/deploy/runs/501", "started_at": "2026-03-01T12:00:00Z",
	"completed_at": "2026-03-01T12:05:00Z", "app": actions, "check_suite": suite,
}

var suite = obj{
	"id": 77, "head_branch": "main", "head_sha": "s1", "status": "completed", "conclusion": "success", "app": actions,
}

var (
	smoked = promotion.Signal{
		Repo: "acme/deploy", Kind: promotion.KindCheck, ID: 501, SHA: "s1", App: "github-actions", Suite: 77, Name: "smoke",
		State: "success", URL: "https://github.com/acme/deploy/runs/501", Started: noon, Ended: noon.Add(5 * time.Minute),
		Observed: noon.Add(5 * time.Minute),
	}
	complete = promotion.Suite{
		Repo: "acme/deploy", ID: 77, SHA: "s1", App: "github-actions", Branch: "main", Completed: true, Conclusion: "success",
	}
	bumped = &handlers.Bump{SHA: "s1"}
	ourApp = obj{"id": self.AppID, "slug": self.Slug}
)

// F5: a signal counts before any stage waits for its commit.
func TestACheckRunIsASignal(t *testing.T) {
	running := smoked
	running.State, running.Ended, running.Observed = "in_progress", time.Time{}, noon
	begun := complete
	begun.Completed, begun.Conclusion = false, ""
	for _, row := range []struct {
		name string
		run  obj
		want []handlers.Event
	}{
		{"completed with its suite", smoke, []handlers.Event{bumped, &smoked, &complete}},
		{
			"completed before its suite",
			smoke.with(obj{"check_suite": suite.with(obj{"status": "in_progress", "conclusion": nil})}),
			[]handlers.Event{bumped, &smoked, &begun},
		},
		{"running", smoke.with(obj{
			"status": "in_progress", "conclusion": nil, "completed_at": nil,
			"check_suite": suite.with(obj{"status": "queued", "conclusion": nil}),
		}), []handlers.Event{&running, &begun}},
		{"of its suite only the id is known", smoke.with(obj{"check_suite": obj{"id": 77}}),
			[]handlers.Event{bumped, &smoked}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := decode(t, "check_run", obj{"action": "created", "check_run": row.run})
			require.Equal(t, told(row.want...), got)
		})
	}
}

func TestACheckSuiteIsKnownWithItsBranch(t *testing.T) {
	got := decode(t, "check_suite", obj{"action": "completed", "check_suite": suite})
	require.Equal(t, told(bumped, &complete), got)

	got = decode(t, "check_suite",
		obj{"action": "completed", "check_suite": suite.with(obj{"head_branch": nil, "conclusion": "failure"})})
	known := handlers.First[promotion.Suite](got)
	require.Equal(t, "failure", known.Conclusion)
	require.Empty(t, known.Branch)
}

// semantics 7.2. Branch protection may still require them.
func TestOurOwnSignalsNeverCount(t *testing.T) {
	deployment, status := production, succeeded
	for _, row := range []struct {
		name, event string
		about       obj
	}{
		{"check run", "check_run", obj{"check_run": smoke.with(obj{"app": ourApp})}},
		{"check suite", "check_suite", obj{"check_suite": suite.with(obj{"app": ourApp})}},
		{"status", "status", argo.with(obj{"sender": waybill})},
		{"deployment", "deployment_status",
			obj{"deployment": deployment.with(obj{"creator": waybill}), "deployment_status": status}},
		{"status of somebody's deployment", "deployment_status",
			obj{"deployment": deployment, "deployment_status": status.with(obj{"creator": waybill})}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := decode(t, row.event, row.about)
			require.Equal(t, []handlers.Event{bumped}, got.Events, "no signal and no suite")
		})
	}
}

// argo is a commit status.
var argo = obj{
	"id": 601, "sha": "s1", "name": "acme/deploy", "context": "argocd/dev", "state": "success",
	"target_url": "https://argo.acme.example/dev", "created_at": "2026-03-01T12:00:00+00:00",
	"updated_at": "2026-03-01T12:00:00+00:00",
}

func TestAStatusIsASignal(t *testing.T) {
	synced := promotion.Signal{
		Repo: "acme/deploy", Kind: promotion.KindStatus, ID: 601, SHA: "s1", Name: "argocd/dev", State: "success",
		URL: "https://argo.acme.example/dev", Started: noon, Ended: noon, Observed: noon,
	}
	require.Equal(t, told(bumped, &synced), decode(t, "status", argo))

	synced.State, synced.Ended = "pending", time.Time{}
	require.Equal(t, told(&synced), decode(t, "status", argo.with(obj{"state": "pending"})))
}

// production is a deployment by a person, and succeeded is its status.
var (
	production = obj{"id": 701, "sha": "s1", "ref": "main", "environment": "prod-eu-1", "creator": mona,
		"created_at": "2026-03-01T12:00:00Z"}
	succeeded = obj{
		"id": 801, "state": "success", "environment": "prod-eu-1", "log_url": "https://ci.acme.example/801",
		"target_url": "https://other.example", "creator": mona, "created_at": "2026-03-01T12:05:00Z",
		"updated_at": "2026-03-01T12:05:00Z",
	}
)

func TestADeploymentIsASignalInTheStateOfItsStatus(t *testing.T) {
	at := noon.Add(5 * time.Minute)
	deployed := promotion.Signal{
		Repo: "acme/deploy", Kind: promotion.KindDeployment, ID: 701, SHA: "s1", Name: "prod-eu-1", State: "success",
		URL: "https://ci.acme.example/801", Started: noon, Ended: at, Observed: at,
	}
	for _, row := range []struct {
		state string
		ended time.Time
		bumps []handlers.Event
	}{
		{"success", at, []handlers.Event{bumped}},
		{"failure", at, []handlers.Event{bumped}},
		{"error", at, []handlers.Event{bumped}},
		{"in_progress", time.Time{}, nil},
		{"inactive", time.Time{}, nil},
	} {
		t.Run(row.state, func(t *testing.T) {
			want := deployed
			want.State, want.Ended = row.state, row.ended
			got := decode(t, "deployment_status",
				obj{"action": "created", "deployment": production, "deployment_status": succeeded.with(obj{"state": row.state})})
			require.Equal(t, told(append(row.bumps, &want)...), got)
		})
	}
}

// When a second deployment succeeds, GitHub adds the status inactive to the first one, and this status is the newest.
func TestTheNewestDeploymentIsTheNewestSignal(t *testing.T) {
	status := func(deployment, id int, state string) promotion.Signal {
		return *handlers.First[promotion.Signal](decode(t, "deployment_status", obj{
			"deployment":        production.with(obj{"id": deployment}),
			"deployment_status": succeeded.with(obj{"id": id, "state": state}),
		}))
	}
	second, first := status(702, 802, "success"), status(701, 803, "inactive")
	require.Greater(t, second.ID, first.ID)
}

// A run of a workflow that goes on has no title in GitHub's description of the webhook.
func TestARunThatGoesOnIsASignalWithoutAName(t *testing.T) {
	run := obj{
		"id": 901, "head_sha": "s1", "event": "workflow_dispatch", "status": "in_progress", "conclusion": nil,
		"html_url": "https://github.com/acme/deploy/actions/runs/901", "created_at": "2026-03-01T12:00:00Z",
		"updated_at": "2026-03-01T12:05:00Z", "actor": obj{"id": 4712, "login": "waybill[bot]", "type": "Bot"},
	}
	want := promotion.Signal{
		Repo: "acme/deploy", Kind: promotion.KindRun, ID: 901, SHA: "s1", State: "in_progress",
		URL: "https://github.com/acme/deploy/actions/runs/901", Started: noon, Observed: noon.Add(5 * time.Minute),
	}
	named := want
	named.App, named.Suite, named.Name = "waybill", 7, promotion.RunSignal("dev")
	for name, row := range map[string]struct {
		action string
		run    obj
		want   []handlers.Event
	}{
		"without its title": {"in_progress", run, []handlers.Event{&want}},
		"with its title": {
			"in_progress", run.with(obj{"display_title": "waybill/dev/7"}), []handlers.Event{&named},
		},
		"of another name":               {"in_progress", run.with(obj{"display_title": "nightly"}), nil},
		"by somebody else":              {"in_progress", run.with(obj{"actor": obj{"id": 9, "login": "ann"}}), nil},
		"that has ended, without title": {"completed", run, nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, told(row.want...), decode(t, "workflow_run", obj{"action": row.action, "workflow_run": row.run}))
		})
	}
}
