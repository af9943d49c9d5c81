package githubsim

import (
	"strconv"
	"strings"

	"waybill/internal/githubsim/gitstore"
)

// Webhook renders the payload of an event.
func (v *Render) Webhook(e Event) obj {
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
		if e.Repo.owner.kind == kindOrg {
			org = e.Repo.owner
		}
	case e.Org == nil:
		payload["installation"] = v.Installation(e.Install)
		return payload
	}
	if org != nil {
		payload["organization"] = v.Organization(org)
	}
	payload["installation"] = obj{"id": e.Install.id, "node_id": nodeID("I", e.Install.id)}
	return payload
}

// subject renders the fields that say what an event is about.
func (v *Render) subject(e Event) obj {
	r := e.Repo
	switch on := e.Subject.(type) {
	case *pull:
		return obj{"number": on.number, "pull_request": v.Pull(r, on, true)}
	case *issue:
		return obj{"issue": v.Issue(r, on)}
	case *comment:
		shown := v.Issue(r, on.issue)
		delete(shown, "closed_by") // the event leaves it out
		return obj{"issue": shown, "comment": v.Comment(r, on)}
	case PullReview:
		shown := v.Review(r, on.Pull, on.Review)
		shown["state"], shown["updated_at"] = strings.ToLower(on.Review.state), stamp(on.Review.submitted)
		return obj{"review": shown, "pull_request": v.Pull(r, on.Pull, false)}
	case *label:
		return obj{"label": v.Label(r, on)}
	case *checkRun:
		return obj{"check_run": v.Run(r, on)}
	case *checkSuite:
		return obj{"check_suite": v.Suite(r, on)}
	case *status:
		return v.statusEvent(r, on)
	case *deployment:
		return obj{"deployment": v.Deployment(r, on), "workflow": nil, "workflow_run": nil}
	case StatusOf:
		return obj{
			"deployment": v.Deployment(r, on.Deployment), "deployment_status": v.DeploymentStatus(r, on.Deployment, on.Status),
			"check_run": nil, "workflow": nil, "workflow_run": nil,
		}
	case *workflowRun:
		shown := v.WorkflowRun(r, on)
		if e.Action == "in_progress" {
			delete(shown, "display_title") // GitHub's description has none there
		}
		return obj{"workflow_run": shown, "workflow": nil}
	case Asked:
		return obj{
			"environment": on.Environment, "event": on.Run.event, "sha": on.Run.suite.sha, "ref": r.git.DefaultBranch(),
			"deployment_callback_url": v.API(r, "/actions/runs/"+strconv.FormatInt(on.Run.id, 10)+"/deployment_protection_rule"),
			"deployment":              nil, "pull_requests": []any{},
		}
	case *release:
		return obj{"release": v.Release(r, on)}
	case Push:
		return v.push(on)
	case RefChange:
		return v.refChange(r, e.Name, on.Ref)
	case Group:
		return obj{"merge_group": v.group(r, &on.queueEntry)}
	case Published:
		return obj{"registry_package": v.published(r, e.Sender, on.Image, on.Version, on.Tag)}
	case *team:
		return obj{"team": v.Team(e.Org, on)}
	case Membership:
		return v.membership(e.Org, on)
	case *installation:
		return obj{"repositories": renderAll(v.hub.Repos.ReachedBy(on), asShort)}
	case Reach:
		return reached(on)
	case Transfer:
		from := obj{"organization": v.Organization(on.From)}
		if on.From.kind == kindUser {
			from = obj{"user": v.Account(on.From)}
		}
		return obj{"changes": obj{"owner": obj{"from": from}}}
	}
	return obj{}
}

// part renders one field that an action adds.
func (v *Render) part(r *repository, value any) any {
	switch on := value.(type) {
	case *account:
		return v.Account(on)
	case *label:
		return v.Label(r, on)
	}
	return value
}

func (v *Render) statusEvent(r *repository, s *status) obj {
	branches := []any{}
	for _, branch := range r.git.BranchesWith(s.sha) {
		branches = append(branches, v.ShortBranch(r, branch))
	}
	return obj{
		"id": s.id, "sha": s.sha, "name": r.fullName(), "state": s.state, "context": s.context,
		"description": optional(s.description), "target_url": optional(s.targetURL), "created_at": stamp(s.created),
		"updated_at": stamp(s.created), "avatar_url": nil, "branches": branches, "commit": v.Commit(r, s.sha, false),
	}
}

// push renders a push with the commits that are new on the branch.
func (v *Render) push(p Push) obj {
	r := p.Repo
	gone, fresh := p.After == gitstore.Zero, p.Before == gitstore.Zero
	payload := obj{
		"ref": p.Ref, "before": p.Before, "after": p.After, "created": fresh, "deleted": gone, "forced": false, "base_ref": nil,
		"compare": v.HTML(r, "/compare/"+p.Before+"..."+p.After), "commits": []any{}, "head_commit": nil,
		"pusher": obj{"name": p.Who.login, "email": p.Who.email()},
	}
	if gone {
		return payload
	}
	payload["head_commit"] = v.pushedCommit(r, p.After)
	commits := []any{}
	for _, c := range r.git.Brought(p.Ref, p.Before, p.After) {
		commits = append(commits, v.pushedCommit(r, c.SHA))
	}
	payload["commits"] = commits
	payload["forced"] = !fresh && !r.git.IsAncestor(p.Before, p.After)
	return payload
}

func (v *Render) pushedCommit(r *repository, sha string) obj {
	c, err := r.git.Commit(sha)
	if err != nil {
		return nil
	}
	added, removed, modified := []string{}, []string{}, []string{}
	if len(c.Parents) > 0 {
		changes, err := r.git.Paths(c.Parents[0], sha)
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
		return obj{"name": p.Name, "email": p.Email, "username": p.Name, "date": stamp(p.When)}
	}
	return obj{
		"id": sha, "tree_id": c.Tree, "distinct": true, "message": c.Message, "timestamp": stamp(c.Committer.When),
		"url": v.HTML(r, "/commit/"+sha), "author": person(c.Author), "committer": person(c.Committer),
		"added": added, "removed": removed, "modified": modified,
	}
}

// refChange renders create and delete of branches and tags.
func (v *Render) refChange(r *repository, event, ref string) obj {
	kind, name := "branch", strings.TrimPrefix(ref, "refs/heads/")
	if tag, isTag := strings.CutPrefix(ref, "refs/tags/"); isTag {
		kind, name = "tag", tag
	}
	payload := obj{"ref": name, "ref_type": kind, "pusher_type": "user"}
	if event == "create" {
		payload["master_branch"], payload["description"] = r.git.DefaultBranch(), nil
	}
	return payload
}

func (v *Render) membership(org *account, m Membership) obj {
	if m.Team != nil {
		return obj{"scope": "team", "member": v.Account(m.Member), "team": v.Team(org, m.Team)}
	}
	api := v.URL + "/api/v3/orgs/" + org.login
	return obj{"membership": obj{
		"url": api + "/memberships/" + m.Member.login, "state": "inactive", "role": "unaffiliated", "organization_url": api,
		"user": v.Account(m.Member),
	}}
}

func reached(change Reach) obj {
	gained, lost := []any{}, []any{}
	if change.Added {
		gained = append(gained, shortRepoJSON(change.Repo))
	} else {
		lost = append(lost, shortRepoJSON(change.Repo))
	}
	return obj{"repository_selection": "selected", "repositories_added": gained, "repositories_removed": lost, "requester": nil}
}

func asShort(r *repository) any { return shortRepoJSON(r) }

// shortRepoJSON is how installation events list repositories.
func shortRepoJSON(r *repository) obj {
	return obj{"id": r.id, "node_id": nodeID("R", r.id), "name": r.name, "full_name": r.fullName(), "private": r.private}
}
