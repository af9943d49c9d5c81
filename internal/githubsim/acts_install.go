package githubsim

import "fmt"

// InstallApp installs the App under test in an account, for the named repositories or, without names, for all of them, and answers
// the id of the installation.
func (s *Server) InstallApp(owner string, repos ...string) (int64, error) {
	var id int64
	err := s.act("install app in "+owner, func(w *Hub) error {
		a, found := w.Accounts.Find(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		if _, there := w.Apps.InstallationFor(a); there {
			return fmt.Errorf("it is installed there already: an account has one installation of an App")
		}
		var chosen []*repository
		for _, name := range repos {
			r, found := w.Repos.Find(name)
			if !found {
				return fmt.Errorf("no repository %s", name)
			}
			chosen = append(chosen, r)
		}
		id = w.Apps.Install(a, chosen, a.ruler()).id
		return nil
	})
	return id, err
}

// UninstallApp takes the App out of an account; its tokens die.
func (s *Server) UninstallApp(owner string) error {
	return s.onInstallation("uninstall app from", owner, func(w *Hub, i *installation) { w.Apps.Uninstall(i, i.account.ruler()) })
}

// SuspendApp suspends the App in an account, or ends that.
func (s *Server) SuspendApp(owner string, suspend bool) error {
	return s.onInstallation("suspend app in", owner, func(w *Hub, i *installation) {
		if suspend {
			w.Apps.Suspend(i, i.account.ruler())
			return
		}
		w.Apps.Unsuspend(i, i.account.ruler())
	})
}

func (s *Server) onInstallation(what, owner string, change func(*Hub, *installation)) error {
	return s.act(what+" "+owner, func(w *Hub) error {
		a, found := w.Accounts.Find(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		i, found := w.Apps.InstallationFor(a)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		change(w, i)
		return nil
	})
}

// ReachRepo adds a repository to the selected ones of an installation, or takes it away.
func (s *Server) ReachRepo(repo string, reach bool) error {
	return s.onOwnRepo("change installation for", repo, func(w *Hub, r *repository) error {
		i, found := w.Apps.InstallationFor(r.owner)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		w.Apps.Reach(i, r, reach, r.owner.ruler())
		return nil
	})
}
