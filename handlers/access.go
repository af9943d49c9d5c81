package handlers

import (
	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// installation decodes a change of an installation of the App.
func (us Self) installation(e *github.InstallationEvent) (Told, error) {
	f := us.about(nil, e.Installation, e.Sender)
	if f.Installation == 0 {
		return Told{}, incomplete("installation")
	}
	f.Account = actor(e.Installation.GetAccount())
	a := Access{}
	switch e.GetAction() {
	case "created":
		a.Change, a.Added = Installed, repositories(e.Repositories)
	case "deleted":
		a.Change = Uninstalled
	case "suspend":
		a.Change = Suspended
	case "unsuspend":
		a.Change = Resumed
	case "new_permissions_accepted":
		a.Change = Permitted
	default:
		return f, nil
	}
	f.tell(&a)
	return f, nil
}

// reselection decodes a change of the repositories that an installation covers.
func (us Self) reselection(e *github.InstallationRepositoriesEvent) (Told, error) {
	f := us.about(nil, e.Installation, e.Sender)
	if f.Installation == 0 {
		return Told{}, incomplete("installation_repositories")
	}
	f.Account = actor(e.Installation.GetAccount())
	f.tell(&Access{Change: Reselected, Added: repositories(e.RepositoriesAdded)})
	return f, nil
}

// repository decodes a change of a repository itself.
func (us Self) repository(e *github.RepositoryEvent) (Told, error) {
	f := us.about(e.Repo, e.Installation, e.Sender)
	if !f.named() {
		return Told{}, incomplete("repository")
	}
	switch e.GetAction() {
	case "renamed":
		f.tell(&RepositoryChange{Kind: Renamed})
	case "transferred":
		f.tell(&RepositoryChange{Kind: Transferred})
	case "archived":
		f.tell(&RepositoryChange{Kind: Archived})
	case "unarchived":
		f.tell(&RepositoryChange{Kind: Unarchived})
	case "deleted":
		f.tell(&RepositoryChange{Kind: Deleted})
	case "edited":
		if e.GetChanges().GetDefaultBranch().GetFrom() != "" {
			f.tell(&RepositoryChange{Kind: Rebranched})
		}
	}
	return f, nil
}

func repositories(all []*github.Repository) []Repository {
	var named []Repository
	for _, r := range all {
		if r.GetID() != 0 && r.GetFullName() != "" {
			named = append(named, Repository{ID: r.GetID(), Name: promotion.Repo(r.GetFullName())})
		}
	}
	return named
}
