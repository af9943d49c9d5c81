package handlers

import "github.com/google/go-github/v60/github"

// ReportDispatch is the type of a repository_dispatch that reports a version of CI.
const ReportDispatch = "waybill-freight"

// dispatch decodes a repository_dispatch by a person or program that may write to the repository. Other types are for
// others.
func (us Self) dispatch(e *github.RepositoryDispatchEvent) (Facts, error) {
	f := us.about(e.Repo, e.Installation, e.Sender)
	if !f.named() || e.GetAction() == "" {
		return Facts{}, incomplete("repository_dispatch")
	}
	if e.GetAction() == ReportDispatch {
		f.Report = e.ClientPayload
	}
	return f, nil
}
