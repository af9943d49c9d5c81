package handlers

import "github.com/google/go-github/v60/github"

// ReportDispatch is what a repository_dispatch is called that reports what CI has made.
const ReportDispatch = "waybill-freight"

// dispatch decodes what somebody who may write to a repository has dispatched from there. What is called otherwise is
// for others.
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
