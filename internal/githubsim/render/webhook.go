package render

import "waybill/internal/githubsim/hub"

import (
	"strconv"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// Webhook renders the payload of an event.
func (v *Renderer) Webhook(e hub.Event) obj {
	payload := v.subject(e)
	for name, value := range e.With {
		payload[name] = v.part(e.Repo, value)
	}
	if e.Action != "" {
		payload["action"] = e.Action
	}
	payload["sender"] = v.Account(e.Sender)
	org := e.Org
	switch {
	case e.Repo != nil:
		payload["repository"] = v.Repo(e.Repo)
		if e.Repo.Owner.Kind == hub.KindOrg {
			org = e.Repo.Owner
		}
	case e.Org == nil:
		payload["installation"] = v.Installation(e.Install)
		return payload
	}
	if org != nil {
		payload["organization"] = v.Organization(org)
	}
	payload["installation"] = obj{"id": e.Install.ID, "node_id": NodeID("I", e.Install.ID)}
	return payload
}

// subject renders the fields of an event's subject.
func (v *Renderer) subject(e hub.Event) obj {
	r := e.Repo
	switch on := e.Subject.(type) {
	case *hub.Pull:
		return obj{"number": on.Number, "pull_request": v.Pull(r, on, true)}
	case *hub.Issue:
		return obj{"issue": v.Issue(r, on)}
	case *hub.Comment:
		shown := v.Issue(r, on.Issue)
		delete(shown, "closed_by") // omitted in the event
		return obj{"issue": shown, "comment": v.Comment(r, on)}
	case hub.PullReview:
		shown := v.Review(r, on.Pull, on.Review)
		shown["state"], shown["updated_at"] = strings.ToLower(on.Review.State), Stamp(on.Review.Submitted)
		return obj{"review": shown, "pull_request": v.Pull(r, on.Pull, false)}
	case *hub.Label:
		return obj{"label": v.Label(r, on)}
	case *hub.CheckRun:
		return obj{"check_run": v.run(r, on)}
	case *hub.CheckSuite:
		return obj{"check_suite": v.Suite(r, on)}
	case *hub.Status:
		return v.statusEvent(r, on)
	case *hub.Deployment:
		return obj{"deployment": v.Deployment(r, on), "workflow": nil, "workflow_run": nil}
	case hub.StatusOf:
		return obj{
			"deployment": v.Deployment(r, on.Deployment), "deployment_status": v.DeploymentStatus(r, on.Deployment, on.Status),
			"check_run": nil, "workflow": nil, "workflow_run": nil,
		}
	case *hub.WorkflowRun:
		shown := v.WorkflowRun(r, on)
		if e.Action == "in_progress" {
			delete(shown, "display_title") // not in GitHub's description of it
		}
		return obj{"workflow_run": shown, "workflow": nil}
	case hub.Asked:
		return obj{
			"environment": on.Environment, "event": on.Run.Event, "sha": on.Run.Suite.SHA, "ref": r.Git().DefaultBranch(),
			"deployment_callback_url": v.API(r, "/actions/runs/"+strconv.FormatInt(on.Run.ID, 10)+"/deployment_protection_rule"),
			"deployment":              nil, "pull_requests": []any{},
		}
	case *hub.Release:
		return obj{"release": v.Release(r, on)}
	case hub.Push:
		return v.push(on)
	case hub.RefChange:
		return v.refChange(r, e.Name, on.Ref)
	case hub.Group:
		return obj{"merge_group": v.group(r, &on.QueueEntry)}
	case hub.Published:
		return obj{"registry_package": v.published(r, e.Sender, on.Image, on.Version, on.Tag)}
	case *hub.Team:
		return obj{"team": v.Team(e.Org, on)}
	case hub.Membership:
		return v.membership(e.Org, on)
	case *hub.Installation:
		return obj{"repositories": List(v.hub.Repos.ReachedBy(on), asShort)}
	case hub.Reach:
		return reached(on)
	case hub.Transfer:
		from := obj{"organization": v.Organization(on.From)}
		if on.From.Kind == hub.KindUser {
			from = obj{"user": v.Account(on.From)}
		}
		return obj{"changes": obj{"owner": obj{"from": from}}}
	}
	return obj{}
}

// part renders one additional field of an action.
func (v *Renderer) part(r *hub.Repository, value any) any {
	switch on := value.(type) {
	case *hub.Account:
		return v.Account(on)
	case *hub.Label:
		return v.Label(r, on)
	}
	return value
}

func (v *Renderer) statusEvent(r *hub.Repository, s *hub.Status) obj {
	branches := []any{}
	for _, branch := range r.Git().BranchesWith(s.SHA) {
		branches = append(branches, v.ShortBranch(r, branch))
	}
	return obj{
		"id": s.ID, "sha": s.SHA, "name": r.FullName(), "state": s.State, "context": s.Context,
		"description": Optional(s.Description), "target_url": Optional(s.TargetURL), "created_at": Stamp(s.Created),
		"updated_at": Stamp(s.Created), "avatar_url": nil, "branches": branches, "commit": v.Commit(r, s.SHA, false),
	}
}

// push renders a push with the new commits of the branch.
func (v *Renderer) push(p hub.Push) obj {
	r := p.Repo
	gone, fresh := p.After == gitstore.Zero, p.Before == gitstore.Zero
	payload := obj{
		"ref": p.Ref, "before": p.Before, "after": p.After, "created": fresh, "deleted": gone, "forced": false,
		"base_ref": nil,
		"compare":  v.HTML(r, "/compare/"+p.Before+"..."+p.After), "commits": []any{}, "head_commit": nil,
		"pusher": obj{"name": p.Who.Login, "email": p.Who.Email()},
	}
	if gone {
		return payload
	}
	payload["head_commit"] = v.pushedCommit(r, p.After)
	commits := []any{}
	for _, c := range r.Git().Brought(p.Ref, p.Before, p.After) {
		commits = append(commits, v.pushedCommit(r, c.SHA))
	}
	payload["commits"] = commits
	payload["forced"] = !fresh && !r.Git().IsAncestor(p.Before, p.After)
	return payload
}

func (v *Renderer) pushedCommit(r *hub.Repository, sha string) obj {
	c, err := r.Git().Commit(sha)
	if err != nil {
		return nil
	}
	added, removed, modified := []string{}, []string{}, []string{}
	if len(c.Parents) > 0 {
		changes, err := r.Git().Paths(c.Parents[0], sha)
		if err != nil {
			return nil
		}
		for _, change := range changes {
			switch {
			case change.Old == "":
				added = append(added, change.Path)
			case change.New == "":
				removed = append(removed, change.Path)
			default:
				modified = append(modified, change.Path)
			}
		}
	}
	person := func(p gitstore.Person) obj {
		return obj{"name": p.Name, "email": p.Email, "username": p.Name, "date": Stamp(p.When)}
	}
	return obj{
		"id": sha, "tree_id": c.Tree, "distinct": true, "message": c.Message, "timestamp": Stamp(c.Committer.When),
		"url": v.HTML(r, "/commit/"+sha), "author": person(c.Author), "committer": person(c.Committer),
		"added": added, "removed": removed, "modified": modified,
	}
}

// refChange renders create and delete of branches and tags.
func (v *Renderer) refChange(r *hub.Repository, event, ref string) obj {
	kind, name := "branch", strings.TrimPrefix(ref, "refs/heads/")
	if tag, isTag := strings.CutPrefix(ref, "refs/tags/"); isTag {
		kind, name = "tag", tag
	}
	payload := obj{"ref": name, "ref_type": kind, "pusher_type": "user"}
	if event == "create" {
		payload["master_branch"], payload["description"] = r.Git().DefaultBranch(), nil
	}
	return payload
}

func (v *Renderer) membership(org *hub.Account, m hub.Membership) obj {
	if m.Team != nil {
		return obj{"scope": "team", "member": v.Account(m.Member), "team": v.Team(org, m.Team)}
	}
	api := v.URL + "/api/v3/orgs/" + org.Login
	return obj{"membership": obj{
		"url": api + "/memberships/" + m.Member.Login, "state": "inactive", "role": "unaffiliated", "organization_url": api,
		"user": v.Account(m.Member),
	}}
}

func reached(change hub.Reach) obj {
	gained, lost := []any{}, []any{}
	if change.Added {
		gained = append(gained, shortRepoJSON(change.Repo))
	} else {
		lost = append(lost, shortRepoJSON(change.Repo))
	}
	return obj{
		"repository_selection": "selected", "repositories_added": gained, "repositories_removed": lost, "requester": nil,
	}
}

func asShort(r *hub.Repository) any { return shortRepoJSON(r) }

// shortRepoJSON renders a repository as in installation events.
func shortRepoJSON(r *hub.Repository) obj {
	return obj{"id": r.ID, "node_id": NodeID("R", r.ID), "name": r.Name, "full_name": r.FullName(), "private": r.Private}
}
