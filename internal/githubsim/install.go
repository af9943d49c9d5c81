package githubsim

import "time"

// Install puts the App under test into an account, for the given repositories or all of them.
func (ps *Apps) Install(a *account, repos []*repository, who *account) *installation {
	i := &installation{id: ps.clock.NextID(), account: a, all: len(repos) == 0, repos: map[int64]bool{}, created: ps.clock.Now()}
	for _, r := range repos {
		i.repos[r.id] = true
	}
	ps.installs = append(ps.installs, i)
	ps.announce(i, "installation", "created", who, i, Fields{"requester": nil})
	return i
}

// Uninstall takes the App out of an account.
func (ps *Apps) Uninstall(i *installation, who *account) {
	var kept []*installation
	for _, one := range ps.installs {
		if one != i {
			kept = append(kept, one)
		}
	}
	ps.installs = kept
	ps.announce(i, "installation", "deleted", who, i, Fields{"requester": nil})
}

// Suspend suspends an installation.
func (ps *Apps) Suspend(i *installation, who *account) {
	i.suspended = ps.clock.Now()
	ps.announce(i, "installation", "suspend", who, i, nil)
}

// Unsuspend ends what Suspend has begun.
func (ps *Apps) Unsuspend(i *installation, who *account) {
	i.suspended = time.Time{}
	ps.announce(i, "installation", "unsuspend", who, i, nil)
}

// Reach adds a repository to an installation that has selected ones, or takes it away.
func (ps *Apps) Reach(i *installation, r *repository, add bool, who *account) {
	if i.all || i.repos[r.id] == add {
		return
	}
	action := "added"
	if add {
		i.repos[r.id] = true
	} else {
		delete(i.repos, r.id)
		action = "removed"
	}
	ps.announce(i, "installation_repositories", action, who, Reach{r, add}, nil)
}

// announce sends an event of an installation.
func (ps *Apps) announce(install *installation, name, action string, sender *account, subject any, with Fields) {
	ps.tell(Event{Name: name, Action: action, Install: install, Sender: sender, Subject: subject, With: with})
}
