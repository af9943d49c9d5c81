package githubsim

import "time"

// install puts the App under test into an account, for the given repositories or all of them.
func (w *world) install(a *account, repos []*repository, who *account) *installation {
	i := &installation{id: w.nextID(), account: a, all: len(repos) == 0, repos: map[int64]bool{}, created: w.now()}
	for _, r := range repos {
		i.repos[r.id] = true
	}
	w.installs = append(w.installs, i)
	w.emitApp(i, "installation", "created", who, obj{"repositories": renderAll(w.reposOf(i), asShort), "requester": nil})
	return i
}

func asShort(r *repository) any { return shortRepoJSON(r) }

func (w *world) uninstall(i *installation, who *account) {
	payload := obj{"repositories": renderAll(w.reposOf(i), asShort), "requester": nil}
	var kept []*installation
	for _, one := range w.installs {
		if one != i {
			kept = append(kept, one)
		}
	}
	w.installs = kept
	w.emitApp(i, "installation", "deleted", who, payload)
}

func (w *world) suspend(i *installation, who *account) {
	i.suspended = w.now()
	w.emitApp(i, "installation", "suspend", who, obj{"repositories": renderAll(w.reposOf(i), asShort)})
}

func (w *world) unsuspend(i *installation, who *account) {
	i.suspended = time.Time{}
	w.emitApp(i, "installation", "unsuspend", who, obj{"repositories": renderAll(w.reposOf(i), asShort)})
}

// reach adds a repository to an installation that has selected ones, or takes it away.
func (w *world) reach(i *installation, r *repository, add bool, who *account) {
	if i.all || i.repos[r.id] == add {
		return
	}
	added, removed, action := []any{}, []any{}, "added"
	if add {
		i.repos[r.id] = true
		added = []any{shortRepoJSON(r)}
	} else {
		delete(i.repos, r.id)
		removed, action = []any{shortRepoJSON(r)}, "removed"
	}
	w.emitApp(i, "installation_repositories", action, who, obj{
		"repository_selection": "selected", "repositories_added": added, "repositories_removed": removed, "requester": nil,
	})
}
