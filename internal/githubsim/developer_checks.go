package githubsim

import "waybill/internal/githubsim/hub"

// PressButton presses a button of a check run that the App under test made.
func (d Developer) PressButton(repo string, id int64, login, identifier string) error {
	return d.onRepo("press "+identifier+" in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		run, err := r.Run(id)
		if err != nil {
			return err
		}
		return h.Checks.Press(r, run, identifier, who)
	})
}

// Rerequest asks the App under test to run a check again.
func (d Developer) Rerequest(repo string, id int64, login string) error {
	return d.onRepo("rerequest check run in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		run, err := r.Run(id)
		if err == nil {
			h.Checks.AskAgain(r, run, who)
		}
		return err
	})
}

// RerequestSuite asks the App under test to run all of its checks on a commit again.
func (d Developer) RerequestSuite(repo, ref, login string) error {
	return d.onRepo("rerequest suite in", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		sha, err := r.Git().CommitNamed(ref)
		if err == nil {
			h.Checks.AskSuiteAgain(r, h.Checks.Suite(r, h.Apps.Own, "", sha), who)
		}
		return err
	})
}
