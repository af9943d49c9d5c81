package githubsim

import "fmt"

// CreateOrg makes an organization whose members may write to its repositories; see SetBasePermission.
func (s *Server) CreateOrg(login string) error {
	return s.act("create organization "+login, func(w *world) error {
		if _, exists := w.account(login); exists {
			return fmt.Errorf("the name is taken")
		}
		w.newAccount(login, kindOrg)
		return nil
	})
}

// CreateUser makes a user who is a member of the given organizations and of no other.
func (s *Server) CreateUser(login string, orgs ...string) error {
	return s.act("create user "+login, func(w *world) error {
		if _, exists := w.account(login); exists {
			return fmt.Errorf("the name is taken")
		}
		w.newAccount(login, kindUser)
		for _, name := range orgs {
			org, found := w.account(name)
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
	return s.act("set base permission of "+org, func(w *world) error {
		a, found := w.account(org)
		if !found || a.kind != kindOrg {
			return fmt.Errorf("no such organization")
		}
		a.basePermission = level
		return nil
	})
}

// CreateTeam makes a team of an organization, with what it may do by repository ("acme/app": "write") and its members.
func (s *Server) CreateTeam(org, slug string, repos map[string]string, members ...string) error {
	return s.act("create team "+org+"/"+slug, func(w *world) error {
		a, found := w.account(org)
		if !found || a.kind != kindOrg {
			return fmt.Errorf("no such organization")
		}
		t := &team{id: w.nextID(), slug: slug, members: map[string]bool{}, repos: map[string]string{}}
		for name, level := range repos {
			t.repos[lower(name)] = level
		}
		for _, login := range members {
			w.person(login)
			t.members[lower(login)] = true
		}
		a.teams = append(a.teams, t)
		return nil
	})
}

// SetTeamMember puts somebody into a team or takes them out.
func (s *Server) SetTeamMember(org, slug, login string, member bool) error {
	return s.act("change team "+org+"/"+slug, func(w *world) error {
		a, found := w.account(org)
		if !found {
			return fmt.Errorf("no such organization")
		}
		t := a.team(slug)
		if t == nil {
			return fmt.Errorf("no such team")
		}
		who := w.person(login)
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
		w.emitOrg(a, "membership", action, obj{"scope": "team", "member": w.accountJSON(who), "team": w.teamJSON(a, t)})
		return nil
	})
}

// NestTeam puts a team under another one.
func (s *Server) NestTeam(org, slug, parent string) error {
	return s.act("nest team "+org+"/"+slug, func(w *world) error {
		a, found := w.account(org)
		if !found {
			return fmt.Errorf("no such organization")
		}
		below, above := a.team(slug), a.team(parent)
		if below == nil || above == nil {
			return fmt.Errorf("no such team")
		}
		below.parent = above
		w.emitOrg(a, "team", "edited", obj{"team": w.teamJSON(a, below), "changes": obj{}})
		return nil
	})
}

// RemoveMember takes somebody out of an organization: out of its teams, and of what members may do.
func (s *Server) RemoveMember(org, login string) error {
	return s.act("remove "+login+" from "+org, func(w *world) error {
		a, found := w.account(org)
		if !found || !a.members[lower(login)] {
			return fmt.Errorf("no such member")
		}
		delete(a.members, lower(login))
		for _, t := range a.teams {
			delete(t.members, lower(login))
		}
		for _, r := range w.repos {
			if r.owner == a {
				delete(r.collaborators, lower(login))
			}
		}
		who, _ := w.account(login)
		w.emitOrg(a, "organization", "member_removed", obj{"membership": obj{
			"url": w.url + "/api/v3/orgs/" + org + "/memberships/" + login, "state": "inactive", "role": "unaffiliated",
			"organization_url": w.url + "/api/v3/orgs/" + org, "user": w.accountJSON(who),
		}})
		return nil
	})
}

// RenameUser gives a person another login. Whoever takes the old one is somebody else.
func (s *Server) RenameUser(login, to string) error {
	return s.act("rename "+login, func(w *world) error {
		who, found := w.account(login)
		if _, taken := w.account(to); !found || taken {
			return fmt.Errorf("no such user, or the name is taken")
		}
		delete(w.accounts, lower(login))
		who.login, w.accounts[lower(to)] = to, who
		for _, a := range w.accounts {
			move(a.members, lower(login), lower(to))
			for _, t := range a.teams {
				move(t.members, lower(login), lower(to))
			}
		}
		for _, r := range w.repos {
			move(r.collaborators, lower(login), lower(to))
			move(r.roles, lower(login), lower(to))
		}
		return nil
	})
}

func move[V any](all map[string]V, from, to string) {
	if v, there := all[from]; there {
		delete(all, from)
		all[to] = v
	}
}

// SetCustomRole gives a person a role on a repository that an organization has made up, and that is based on a level.
func (s *Server) SetCustomRole(repo, login, role, base string) error {
	if err := s.SetPermission(repo, login, base); err != nil {
		return err
	}
	return s.onRepo("set custom role on", repo, login, func(_ *world, r *repository, _ *account) error {
		if r.roles == nil {
			r.roles = map[string]string{}
		}
		r.roles[lower(login)] = role
		return nil
	})
}

// SetPermission gives a person a level on a repository: none, read, triage, write, maintain or admin. None takes everything away.
func (s *Server) SetPermission(repo, login, level string) error {
	return s.onRepo("set permission on", repo, login, func(w *world, r *repository, who *account) error {
		if level != "none" && levelRank(level) == 0 {
			return fmt.Errorf("no level %q", level)
		}
		before, known := r.collaborators[lower(login)]
		r.collaborators[lower(login)] = level
		delete(r.roles, lower(login))
		payload := obj{"member": w.accountJSON(who)}
		switch {
		case level == "none":
			w.emitRepo(r, "member", "removed", r.owner.ruler(), payload)
		case known && before != "none":
			payload["changes"] = obj{"permission": obj{"from": folded(before), "to": folded(level)}}
			w.emitRepo(r, "member", "edited", r.owner.ruler(), payload)
		default:
			payload["changes"] = obj{"permission": obj{"to": folded(level)}, "role_name": obj{"to": level}}
			w.emitRepo(r, "member", "added", r.owner.ruler(), payload)
		}
		return nil
	})
}
