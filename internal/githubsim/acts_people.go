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

// SetPermission gives a person a level on a repository: none, read, triage, write, maintain or admin. None takes everything away.
func (s *Server) SetPermission(repo, login, level string) error {
	return s.onRepo("set permission on", repo, login, func(w *world, r *repository, who *account) error {
		if level != "none" && levelRank(level) == 0 {
			return fmt.Errorf("no level %q", level)
		}
		before, known := r.collaborators[lower(login)]
		r.collaborators[lower(login)] = level
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
