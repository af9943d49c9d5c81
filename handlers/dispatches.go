package handlers

import "github.com/google/go-github/v60/github"

// ReportDispatch is the name of a repository_dispatch that reports an artifact of CI.
const ReportDispatch = "waybill-freight"

// dispatch decodes a report that was dispatched by an account with write access. Dispatches of other names are for
// other programs.
func (us Self) dispatch(e *github.RepositoryDispatchEvent) (Told, error) {
	f := us.about(e.Repo, e.Installation, e.Sender)
	if !f.named() || e.GetAction() == "" {
		return Told{}, incomplete("repository_dispatch")
	}
	if e.GetAction() == ReportDispatch {
		f.tell(&Dispatched{e.ClientPayload})
	}
	return f, nil
}
