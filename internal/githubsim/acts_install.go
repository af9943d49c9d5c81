package githubsim

import "waybill/internal/githubsim/hub"

import "fmt"

// InstallApp installs the App under test in an account, for the named repositories or, without names, for all of them, and answers
// the id of the installation.
func (s *Server) InstallApp(owner string, repos ...string) (int64, error) {
	var id int64
	err := s.act("install app in "+owner, func(w *hub.Hub) error {
		a, found := w.Accounts.Find(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		if _, there := w.Apps.InstallationFor(a); there {
			return fmt.Errorf("it is installed there already: an account has one installation of an App")
		}
		var chosen []*hub.Repository
		for _, name := range repos {
			r, found := w.Repos.Find(name)
			if !found {
				return fmt.Errorf("no repository %s", name)
			}
			chosen = append(chosen, r)
		}
		id = w.Apps.Install(a, chosen, a.Ruler()).ID
		return nil
	})
	return id, err
}

// UninstallApp takes the App out of an account; its tokens die.
func (s *Server) UninstallApp(owner string) error {
	return s.onInstallation("uninstall app from", owner, func(w *hub.Hub, i *hub.Installation) { w.Apps.Uninstall(i, i.Account.Ruler()) })
}

// SuspendApp suspends the App in an account, or ends that.
func (s *Server) SuspendApp(owner string, suspend bool) error {
	return s.onInstallation("suspend app in", owner, func(w *hub.Hub, i *hub.Installation) {
		if suspend {
			w.Apps.Suspend(i, i.Account.Ruler())
			return
		}
		w.Apps.Unsuspend(i, i.Account.Ruler())
	})
}

func (s *Server) onInstallation(what, owner string, change func(*hub.Hub, *hub.Installation)) error {
	return s.act(what+" "+owner, func(w *hub.Hub) error {
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
	return s.onOwnRepo("change installation for", repo, func(w *hub.Hub, r *hub.Repository) error {
		i, found := w.Apps.InstallationFor(r.Owner)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		w.Apps.Reach(i, r, reach, r.Owner.Ruler())
		return nil
	})
}
