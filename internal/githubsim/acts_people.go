package githubsim

import "waybill/internal/githubsim/hub"

import "fmt"

// CreateOrg makes an organization whose members may write to its repositories; see SetBasePermission.
func (s *Server) CreateOrg(login string) error {
	return s.act("create organization "+login, func(w *hub.Hub) error {
		if _, exists := w.Accounts.Find(login); exists {
			return fmt.Errorf("the name is taken")
		}
		w.Accounts.New(login, hub.KindOrg)
		return nil
	})
}

// CreateUser makes a user who is a member of the given organizations and of no other.
func (s *Server) CreateUser(login string, orgs ...string) error {
	return s.act("create user "+login, func(w *hub.Hub) error {
		if _, exists := w.Accounts.Find(login); exists {
			return fmt.Errorf("the name is taken")
		}
		w.Accounts.New(login, hub.KindUser)
		for _, name := range orgs {
			org, found := w.Accounts.Find(name)
			if !found || org.Kind != hub.KindOrg {
				return fmt.Errorf("no organization %s", name)
			}
			w.Orgs.Join(org, login)
		}
		return nil
	})
}

// onOrg runs a change of an organization.
func (s *Server) onOrg(what, login string, change func(w *hub.Hub, org *hub.Account) error) error {
	return s.act(what, func(w *hub.Hub) error {
		org, found := w.Accounts.Find(login)
		if !found || org.Kind != hub.KindOrg {
			return fmt.Errorf("no such organization")
		}
		return change(w, org)
	})
}

// SetBasePermission changes what members may do in the repositories of their organization.
func (s *Server) SetBasePermission(org, level string) error {
	return s.onOrg("set base permission of "+org, org, func(w *hub.Hub, a *hub.Account) error {
		w.Orgs.SetBasePermission(a, level)
		return nil
	})
}

// CreateTeam makes a team of an organization, with what it may do by repository ("acme/app": "write") and its members.
func (s *Server) CreateTeam(org, slug string, repos map[string]string, members ...string) error {
	return s.onOrg("create team "+org+"/"+slug, org, func(w *hub.Hub, a *hub.Account) error {
		w.Orgs.CreateTeam(a, slug, repos, members)
		return nil
	})
}

// SetTeamMember puts somebody into a team or takes them out.
func (s *Server) SetTeamMember(org, slug, login string, member bool) error {
	return s.onOrg("change team "+org+"/"+slug, org, func(w *hub.Hub, a *hub.Account) error {
		t := a.Team(slug)
		if t == nil {
			return fmt.Errorf("no such team")
		}
		w.Orgs.SetTeamMember(a, t, w.Accounts.Person(login), member)
		return nil
	})
}

// NestTeam puts a team under another one.
func (s *Server) NestTeam(org, slug, parent string) error {
	return s.onOrg("nest team "+org+"/"+slug, org, func(w *hub.Hub, a *hub.Account) error {
		below, above := a.Team(slug), a.Team(parent)
		if below == nil || above == nil {
			return fmt.Errorf("no such team")
		}
		w.Orgs.NestTeam(a, below, above)
		return nil
	})
}

// RemoveMember takes somebody out of an organization: out of its teams, and of what members may do.
func (s *Server) RemoveMember(org, login string) error {
	return s.onOrg("remove "+login+" from "+org, org, func(w *hub.Hub, a *hub.Account) error {
		who, found := w.Accounts.Find(login)
		if !found || !a.IsMember(login) {
			return fmt.Errorf("no such member")
		}
		w.Orgs.Remove(a, who)
		return nil
	})
}

// RenameUser gives a person another login. Whoever takes the old one is somebody else.
func (s *Server) RenameUser(login, to string) error {
	return s.act("rename "+login, func(w *hub.Hub) error {
		who, found := w.Accounts.Find(login)
		if _, taken := w.Accounts.Find(to); !found || taken {
			return fmt.Errorf("no such user, or the name is taken")
		}
		w.Orgs.RenameUser(who, to)
		return nil
	})
}

// SetCustomRole gives a person a role on a repository that an organization has made up, and that is based on a level.
func (s *Server) SetCustomRole(repo, login, role, base string) error {
	if err := s.SetPermission(repo, login, base); err != nil {
		return err
	}
	return s.onRepo("set custom role on", repo, login, func(w *hub.Hub, r *hub.Repository, who *hub.Account) error {
		w.Orgs.SetCustomRole(r, who, role)
		return nil
	})
}

// SetPermission gives a person a level on a repository: none, read, triage, write, maintain or admin. None takes everything away.
func (s *Server) SetPermission(repo, login, level string) error {
	return s.onRepo("set permission on", repo, login, func(w *hub.Hub, r *hub.Repository, who *hub.Account) error {
		if level != "none" && hub.LevelRank(level) == 0 {
			return fmt.Errorf("no level %q", level)
		}
		w.Orgs.SetPermission(r, who, level)
		return nil
	})
}
