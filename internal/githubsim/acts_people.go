package githubsim

import "fmt"

// CreateOrg makes an organization whose members may write to its repositories; see SetBasePermission.
func (s *Server) CreateOrg(login string) error {
	return s.act("create organization "+login, func(w *Hub) error {
		if _, exists := w.Accounts.Find(login); exists {
			return fmt.Errorf("the name is taken")
		}
		w.Accounts.New(login, kindOrg)
		return nil
	})
}

// CreateUser makes a user who is a member of the given organizations and of no other.
func (s *Server) CreateUser(login string, orgs ...string) error {
	return s.act("create user "+login, func(w *Hub) error {
		if _, exists := w.Accounts.Find(login); exists {
			return fmt.Errorf("the name is taken")
		}
		w.Accounts.New(login, kindUser)
		for _, name := range orgs {
			org, found := w.Accounts.Find(name)
			if !found || org.kind != kindOrg {
				return fmt.Errorf("no organization %s", name)
			}
			org.members[lower(login)] = true
		}
		return nil
	})
}

// SetBasePermission changes what members may do in the repositories of their organization.
func (s *Server) SetBasePermission(org, level string) error {
	return s.act("set base permission of "+org, func(w *Hub) error {
		a, found := w.Accounts.Find(org)
		if !found || a.kind != kindOrg {
			return fmt.Errorf("no such organization")
		}
		a.basePermission = level
		return nil
	})
}

// CreateTeam makes a team of an organization, with what it may do by repository ("acme/app": "write") and its members.
func (s *Server) CreateTeam(org, slug string, repos map[string]string, members ...string) error {
	return s.act("create team "+org+"/"+slug, func(w *Hub) error {
		a, found := w.Accounts.Find(org)
		if !found || a.kind != kindOrg {
			return fmt.Errorf("no such organization")
		}
		t := &team{id: w.Clock.NextID(), slug: slug, members: map[string]bool{}, repos: map[string]string{}}
		for name, level := range repos {
			t.repos[lower(name)] = level
		}
		for _, login := range members {
			w.Accounts.Person(login)
			t.members[lower(login)] = true
		}
		a.teams = append(a.teams, t)
		return nil
	})
}

// SetTeamMember puts somebody into a team or takes them out.
func (s *Server) SetTeamMember(org, slug, login string, member bool) error {
	return s.act("change team "+org+"/"+slug, func(w *Hub) error {
		a, found := w.Accounts.Find(org)
		if !found {
			return fmt.Errorf("no such organization")
		}
		t := a.team(slug)
		if t == nil {
			return fmt.Errorf("no such team")
		}
		who := w.Accounts.Person(login)
		if t.members[lower(login)] == member {
			return nil
		}
		action := "added"
		if member {
			t.members[lower(login)] = true
		} else {
			delete(t.members, lower(login))
			action = "removed"
		}
		w.Events.OfOrg(a, "membership", action, Membership{t, who}, nil)
		return nil
	})
}

// NestTeam puts a team under another one.
func (s *Server) NestTeam(org, slug, parent string) error {
	return s.act("nest team "+org+"/"+slug, func(w *Hub) error {
		a, found := w.Accounts.Find(org)
		if !found {
			return fmt.Errorf("no such organization")
		}
		below, above := a.team(slug), a.team(parent)
		if below == nil || above == nil {
			return fmt.Errorf("no such team")
		}
		below.parent = above
		w.Events.OfOrg(a, "team", "edited", below, Fields{"changes": Fields{}})
		return nil
	})
}

// RemoveMember takes somebody out of an organization: out of its teams, and of what members may do.
func (s *Server) RemoveMember(org, login string) error {
	return s.act("remove "+login+" from "+org, func(w *Hub) error {
		a, found := w.Accounts.Find(org)
		if !found || !a.members[lower(login)] {
			return fmt.Errorf("no such member")
		}
		delete(a.members, lower(login))
		for _, t := range a.teams {
			delete(t.members, lower(login))
		}
		for _, r := range w.Repos.Sorted() {
			if r.owner == a {
				delete(r.collaborators, lower(login))
			}
		}
		who, _ := w.Accounts.Find(login)
		w.Events.OfOrg(a, "organization", "member_removed", Membership{Member: who}, nil)
		return nil
	})
}

// RenameUser gives a person another login. Whoever takes the old one is somebody else.
func (s *Server) RenameUser(login, to string) error {
	return s.act("rename "+login, func(w *Hub) error {
		who, found := w.Accounts.Find(login)
		if _, taken := w.Accounts.Find(to); !found || taken {
			return fmt.Errorf("no such user, or the name is taken")
		}
		w.Accounts.Rename(who, to)
		for _, r := range w.Repos.Sorted() {
			move(r.collaborators, lower(login), lower(to))
			move(r.roles, lower(login), lower(to))
		}
		return nil
	})
}

// SetCustomRole gives a person a role on a repository that an organization has made up, and that is based on a level.
func (s *Server) SetCustomRole(repo, login, role, base string) error {
	if err := s.SetPermission(repo, login, base); err != nil {
		return err
	}
	return s.onRepo("set custom role on", repo, login, func(_ *Hub, r *repository, _ *account) error {
		if r.roles == nil {
			r.roles = map[string]string{}
		}
		r.roles[lower(login)] = role
		return nil
	})
}

// SetPermission gives a person a level on a repository: none, read, triage, write, maintain or admin. None takes everything away.
func (s *Server) SetPermission(repo, login, level string) error {
	return s.onRepo("set permission on", repo, login, func(w *Hub, r *repository, who *account) error {
		if level != "none" && levelRank(level) == 0 {
			return fmt.Errorf("no level %q", level)
		}
		before, known := r.collaborators[lower(login)]
		r.collaborators[lower(login)] = level
		delete(r.roles, lower(login))
		with := Fields{"member": who}
		switch {
		case level == "none":
			w.Events.OfRepo(r, "member", "removed", r.owner.ruler(), nil, with)
		case known && before != "none":
			with["changes"] = Fields{"permission": Fields{"from": folded(before), "to": folded(level)}}
			w.Events.OfRepo(r, "member", "edited", r.owner.ruler(), nil, with)
		default:
			with["changes"] = Fields{"permission": Fields{"to": folded(level)}, "role_name": Fields{"to": level}}
			w.Events.OfRepo(r, "member", "added", r.owner.ruler(), nil, with)
		}
		return nil
	})
}
