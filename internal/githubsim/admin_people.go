package githubsim

import (
	"fmt"

	"waybill/internal/githubsim/hub"
)

// CreateOrg makes an organization whose members may write to its repositories; see SetBasePermission.
func (a Admin) CreateOrg(login string) error {
	return a.act("create organization "+login, func(h *hub.Hub) error {
		if _, exists := h.Accounts.Find(login); exists {
			return fmt.Errorf("the name is taken")
		}
		h.Accounts.New(login, hub.KindOrg)
		return nil
	})
}

// CreateUser makes a user who is a member of the given organizations and of no other.
func (a Admin) CreateUser(login string, orgs ...string) error {
	return a.act("create user "+login, func(h *hub.Hub) error {
		if _, exists := h.Accounts.Find(login); exists {
			return fmt.Errorf("the name is taken")
		}
		h.Accounts.New(login, hub.KindUser)
		for _, name := range orgs {
			org, found := h.Accounts.Find(name)
			if !found || org.Kind != hub.KindOrg {
				return fmt.Errorf("no organization %s", name)
			}
			h.Orgs.Join(org, login)
		}
		return nil
	})
}

// SetBasePermission changes the permission of members on the repositories of their organization.
func (a Admin) SetBasePermission(org, level string) error {
	return a.onOrg("set base permission of "+org, org, func(h *hub.Hub, a *hub.Account) error {
		h.Orgs.SetBasePermission(a, level)
		return nil
	})
}

// CreateTeam makes a team of an organization, with its permissions by repository ("acme/app": "write") and its members.
func (a Admin) CreateTeam(org, slug string, repos map[string]string, members ...string) error {
	return a.onOrg("create team "+org+"/"+slug, org, func(h *hub.Hub, a *hub.Account) error {
		h.Orgs.CreateTeam(a, slug, repos, members)
		return nil
	})
}

// SetTeamMember adds a person to a team, or removes them.
func (a Admin) SetTeamMember(org, slug, login string, member bool) error {
	return a.onOrg("change team "+org+"/"+slug, org, func(h *hub.Hub, a *hub.Account) error {
		t := a.Team(slug)
		if t == nil {
			return fmt.Errorf("no such team")
		}
		h.Orgs.SetTeamMember(a, t, h.Accounts.Person(login), member)
		return nil
	})
}

// NestTeam puts a team under another one.
func (a Admin) NestTeam(org, slug, parent string) error {
	return a.onOrg("nest team "+org+"/"+slug, org, func(h *hub.Hub, a *hub.Account) error {
		below, above := a.Team(slug), a.Team(parent)
		if below == nil || above == nil {
			return fmt.Errorf("no such team")
		}
		h.Orgs.NestTeam(a, below, above)
		return nil
	})
}

// RemoveMember removes a person from an organization, its teams and its repositories.
func (a Admin) RemoveMember(org, login string) error {
	return a.onOrg("remove "+login+" from "+org, org, func(h *hub.Hub, a *hub.Account) error {
		who, found := h.Accounts.Find(login)
		if !found || !a.IsMember(login) {
			return fmt.Errorf("no such member")
		}
		h.Orgs.Remove(a, who)
		return nil
	})
}

// RenameUser changes the login of a person. An account that takes the old login later is a different account.
func (a Admin) RenameUser(login, to string) error {
	return a.act("rename "+login, func(h *hub.Hub) error {
		who, found := h.Accounts.Find(login)
		if _, taken := h.Accounts.Find(to); !found || taken {
			return fmt.Errorf("no such user, or the name is taken")
		}
		h.Orgs.RenameUser(who, to)
		return nil
	})
}

// RenameOrg changes the login of an organization.
func (a Admin) RenameOrg(login, to string) error {
	return a.onOrg("rename "+login, login, func(h *hub.Hub, org *hub.Account) error {
		if _, taken := h.Accounts.Find(to); taken {
			return fmt.Errorf("the name is taken")
		}
		h.Orgs.RenameOrg(org, to)
		return nil
	})
}

// SetCustomRole gives a person a custom role of the organization on a repository. The role is based on a level.
func (a Admin) SetCustomRole(repo, login, role, base string) error {
	if err := a.SetPermission(repo, login, base); err != nil {
		return err
	}
	return a.onRepo("set custom role on", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		h.Orgs.SetCustomRole(r, who, role)
		return nil
	})
}

// SetPermission gives a person a level on a repository: none, read, triage, write, maintain or admin. None removes all
// access.
func (a Admin) SetPermission(repo, login, level string) error {
	return a.onRepo("set permission on", repo, login, func(h *hub.Hub, r *hub.Repository, who *hub.Account) error {
		if level != "none" && hub.LevelRank(level) == 0 {
			return fmt.Errorf("no level %q", level)
		}
		h.Orgs.SetPermission(r, who, level)
		return nil
	})
}
