package githubsim

import (
	"fmt"

	"waybill/internal/githubsim/hub"
)

// InstallApp installs the App under test in an account, for the named repositories or, without names, for all of them,
// and returns the id of the installation.
func (a Admin) InstallApp(owner string, repos ...string) (int64, error) {
	var id int64
	err := a.act("install app in "+owner, func(h *hub.Hub) error {
		a, found := h.Accounts.Find(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		if _, there := h.Apps.InstallationFor(a); there {
			return fmt.Errorf("it is installed there already: an account has one installation of an App")
		}
		var chosen []*hub.Repository
		for _, name := range repos {
			r, found := h.Repos.Find(name)
			if !found {
				return fmt.Errorf("no repository %s", name)
			}
			chosen = append(chosen, r)
		}
		id = h.Apps.Install(a, chosen, a.Ruler()).ID
		return nil
	})
	return id, err
}

// UninstallApp removes the App from an account and revokes its tokens.
func (a Admin) UninstallApp(owner string) error {
	return a.onInstallation("uninstall app from", owner,
		func(h *hub.Hub, i *hub.Installation) { h.Apps.Uninstall(i, i.Account.Ruler()) })
}

// SuspendApp suspends the App in an account, or ends that.
func (a Admin) SuspendApp(owner string, suspend bool) error {
	return a.onInstallation("suspend app in", owner, func(h *hub.Hub, i *hub.Installation) {
		if suspend {
			h.Apps.Suspend(i, i.Account.Ruler())
			return
		}
		h.Apps.Unsuspend(i, i.Account.Ruler())
	})
}

func (a Admin) onInstallation(what, owner string, change func(*hub.Hub, *hub.Installation)) error {
	return a.act(what+" "+owner, func(h *hub.Hub) error {
		a, found := h.Accounts.Find(owner)
		if !found {
			return fmt.Errorf("no such account")
		}
		i, found := h.Apps.InstallationFor(a)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		change(h, i)
		return nil
	})
}

// ReachRepo adds a repository to the selected ones of an installation, or takes it away.
func (a Admin) ReachRepo(repo string, reach bool) error {
	return a.onOwnRepo("change installation for", repo, func(h *hub.Hub, r *hub.Repository) error {
		i, found := h.Apps.InstallationFor(r.Owner)
		if !found {
			return fmt.Errorf("the app is not installed there")
		}
		h.Apps.Reach(i, r, reach, r.Owner.Ruler())
		return nil
	})
}

// Permit changes a permission of the App under test to a level, "read" or "write", and takes it away if that is empty.
// Its installations accept that at once. Tokens that exist keep what they have.
func (a Admin) Permit(permission, level string) error {
	return a.act("change permission "+permission, func(h *hub.Hub) error {
		h.Apps.Permit(permission, level)
		return nil
	})
}

// Subscribe has the App under test receive an event, or receive it no more.
func (a Admin) Subscribe(event string, on bool) error {
	return a.act("change subscription to "+event, func(h *hub.Hub) error {
		h.Apps.Subscribe(event, on)
		return nil
	})
}
