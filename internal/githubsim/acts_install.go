package githubsim

import "fmt"

// InstallApp installs the App under test in an account, for the named repositories or, without names, for all of them, and answers
// the id of the installation.
func (s *Server) InstallApp(owner string, repos ...string) (int64, error) {
	var id int64
	err := s.act("install app in "+owner, func(w *world) error {
		a, found := w.account(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		if _, there := w.installationFor(a); there {
			return fmt.Errorf("it is installed there already: an account has one installation of an App")
		}
		var chosen []*repository
		for _, name := range repos {
			r, found := w.repo(name)
			if !found {
				return fmt.Errorf("no repository %s", name)
			}
			chosen = append(chosen, r)
		}
		id = w.install(a, chosen, a.ruler()).id
		return nil
	})
	return id, err
}

// UninstallApp takes the App out of an account; its tokens die.
func (s *Server) UninstallApp(owner string) error {
	return s.onInstallation("uninstall app from", owner, func(w *world, i *installation) { w.uninstall(i, i.account.ruler()) })
}

// SuspendApp suspends the App in an account, or ends that.
func (s *Server) SuspendApp(owner string, suspend bool) error {
	return s.onInstallation("suspend app in", owner, func(w *world, i *installation) {
		if suspend {
			w.suspend(i, i.account.ruler())
			return
		}
		w.unsuspend(i, i.account.ruler())
	})
}

func (s *Server) onInstallation(what, owner string, change func(*world, *installation)) error {
	return s.act(what+" "+owner, func(w *world) error {
		a, found := w.account(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		i, found := w.installationFor(a)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		change(w, i)
		return nil
	})
}

// ReachRepo adds a repository to the selected ones of an installation, or takes it away.
func (s *Server) ReachRepo(repo string, reach bool) error {
	return s.onOwnRepo("change installation for", repo, func(w *world, r *repository) error {
		i, found := w.installationFor(r.owner)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		w.reach(i, r, reach, r.owner.ruler())
		return nil
	})
}
