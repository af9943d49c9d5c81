package handlers

import (
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// checkRun decodes a check run, and the state of its suite.
func (us Self) checkRun(e *github.CheckRunEvent) (Told, error) {
	f, run := us.about(e.Repo, e.Installation, e.Sender), e.GetCheckRun()
	if !f.named() || run.GetID() == 0 || run.GetHeadSHA() == "" || run.GetName() == "" {
		return Told{}, incomplete("check_run")
	}
	signal := promotion.Signal{
		Repo:    f.Repo,
		Kind:    promotion.KindCheck,
		ID:      run.GetID(),
		SHA:     promotion.SHA(run.GetHeadSHA()),
		App:     run.GetApp().GetSlug(),
		Suite:   run.GetCheckSuite().GetID(),
		Name:    run.GetName(),
		State:   run.GetStatus(),
		URL:     run.GetHTMLURL(),
		Started: at(run.StartedAt),
	}
	if run.GetStatus() == "completed" {
		signal.State, signal.Ended = run.GetConclusion(), at(run.CompletedAt)
		f.tell(&Bump{SHA: signal.SHA}) // our check may be required, too
	}
	signal.Observed = promotion.Later(signal.Started, signal.Ended)
	if us.wrote(run.GetApp()) {
		f.asked(e)
		return f, nil
	}
	f.tell(&signal)
	f.addSuite(run.GetCheckSuite(), signal.SHA, signal.App)
	return f, nil
}

// asked decodes what a check run of ours is asked for: to do what a button says, or to be made again.
func (f *Told) asked(e *github.CheckRunEvent) {
	run := e.GetCheckRun()
	ours := OurRun{run.GetID(), promotion.SHA(run.GetHeadSHA()), run.GetName(), run.GetExternalID()}
	switch e.GetAction() {
	case "requested_action":
		if action := e.GetRequestedAction(); action != nil && action.Identifier != "" && f.person().ID != 0 {
			f.tell(&Press{OurRun: ours, Button: action.Identifier, By: f.person()})
		}
	case "rerequested":
		f.again(ours)
	}
}

// again decodes the request to make check runs of ours again. A request of our own would never end.
func (f *Told) again(ours OurRun) {
	if !f.Ours {
		f.tell(&Rerun{OurRun: ours, By: f.person()})
	}
}

// person returns the sender, and the zero value for an App: Apps give no commands.
func (f *Told) person() promotion.Actor {
	if f.SenderIsBot {
		return promotion.Actor{}
	}
	return f.Sender
}

// checkSuite decodes a check suite. Those of our own App have only our own check runs: "Re-run all checks" asks for all
// of them at once, and GitHub sends the same for a single one.
func (us Self) checkSuite(e *github.CheckSuiteEvent) (Told, error) {
	f, suite := us.about(e.Repo, e.Installation, e.Sender), e.GetCheckSuite()
	if !f.named() || suite.GetID() == 0 || suite.GetHeadSHA() == "" {
		return Told{}, incomplete("check_suite")
	}
	sha := promotion.SHA(suite.GetHeadSHA())
	if suite.GetStatus() == "completed" {
		f.tell(&Bump{SHA: sha})
	}
	switch {
	case !us.wrote(suite.GetApp()):
		f.addSuite(suite, sha, suite.GetApp().GetSlug())
	case e.GetAction() == "rerequested":
		f.again(OurRun{SHA: sha})
	}
	return f, nil
}

// addSuite adds a suite, if its state is in the delivery: a check run may come with its id alone.
func (f *Told) addSuite(s *github.CheckSuite, sha promotion.SHA, app string) {
	if s.GetID() == 0 || s.GetStatus() == "" {
		return
	}
	f.tell(&promotion.Suite{
		Repo:       f.Repo,
		ID:         s.GetID(),
		SHA:        sha,
		App:        app,
		Branch:     s.GetHeadBranch(),
		Completed:  s.GetStatus() == "completed",
		Conclusion: s.GetConclusion(),
	})
}

// status decodes a commit status. Every one that is set has an id of its own, so that the newest of a context has the
// largest.
func (us Self) status(e *github.StatusEvent) (Told, error) {
	f := us.about(e.Repo, e.Installation, e.Sender)
	if !f.named() || e.GetID() == 0 || e.GetSHA() == "" || e.GetContext() == "" {
		return Told{}, incomplete("status")
	}
	signal := promotion.Signal{
		Repo:     f.Repo,
		Kind:     promotion.KindStatus,
		ID:       e.GetID(),
		SHA:      promotion.SHA(e.GetSHA()),
		Name:     e.GetContext(),
		State:    e.GetState(),
		URL:      e.GetTargetURL(),
		Started:  at(e.CreatedAt),
		Observed: promotion.Later(at(e.CreatedAt), at(e.UpdatedAt)),
	}
	if signal.State != "pending" {
		signal.Ended = signal.Observed
		f.tell(&Bump{SHA: signal.SHA})
	}
	if !f.Ours {
		f.tell(&signal)
	}
	return f, nil
}

// deploymentStatus decodes the outcome of a deployment. The signal is the deployment and not its status: when a newer
// deployment succeeds, GitHub sets the older one's status to inactive, and that one would then be the newest of all.
func (us Self) deploymentStatus(e *github.DeploymentStatusEvent) (Told, error) {
	f, d, s := us.about(e.Repo, e.Installation, e.Sender), e.GetDeployment(), e.GetDeploymentStatus()
	if !f.named() || d.GetID() == 0 || d.GetSHA() == "" || s.GetState() == "" {
		return Told{}, incomplete("deployment_status")
	}
	signal := promotion.Signal{
		Repo:     f.Repo,
		Kind:     promotion.KindDeployment,
		ID:       d.GetID(),
		SHA:      promotion.SHA(d.GetSHA()),
		Name:     firstOf(s.GetEnvironment(), d.GetEnvironment()),
		State:    s.GetState(),
		URL:      firstOf(s.GetLogURL(), s.GetTargetURL(), s.GetEnvironmentURL()),
		Started:  at(d.CreatedAt),
		Observed: promotion.Later(at(s.CreatedAt), at(s.UpdatedAt)),
	}
	switch signal.State {
	case "success", "failure", "error": // inactive is no verdict, so it has no time either
		signal.Ended = signal.Observed
		f.tell(&Bump{SHA: signal.SHA})
	}
	if !us.is(d.Creator) && !us.is(s.Creator) {
		f.tell(&signal)
	}
	return f, nil
}

// wrote reports whether an App is ours.
func (us Self) wrote(a *github.App) bool { return us.AppID != 0 && a.GetID() == us.AppID }

// at returns a time as GitHub says it, zero if it does not.
func at(t *github.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
