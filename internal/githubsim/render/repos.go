package render

import "waybill/internal/githubsim/hub"

import "strings"

// Repo renders GitHub's "repository" with the fields that the simulator has.
func (v *Renderer) Repo(r *hub.Repository) obj {
	return obj{
		"id": r.ID, "node_id": NodeID("R", r.ID), "name": r.Name, "full_name": r.FullName(), "private": r.Private,
		"visibility": r.Visibility(), "owner": v.Account(r.Owner), "html_url": v.HTML(r, ""), "url": v.API(r, ""),
		"description": nil, "fork": r.Parent != nil, "archived": r.Archived, "disabled": false,
		"default_branch": r.Git().DefaultBranch(),
		"created_at":     Stamp(r.Created), "updated_at": Stamp(r.Pushed), "pushed_at": Stamp(r.Pushed),
		"open_issues_count": r.OpenIssues(), "open_issues": r.OpenIssues(), "has_issues": true, "is_template": false,
		"allow_merge_commit": !r.Settings.NoMergeCommit, "allow_squash_merge": !r.Settings.NoSquash,
		"allow_rebase_merge": !r.Settings.NoRebase, "allow_auto_merge": r.Settings.AutoMerge,
		"delete_branch_on_merge": r.Settings.DeleteBranchOnMerge,
		"git_url":                "git://" + strings.TrimPrefix(v.HTML(r, ".git"), "http://"),
		"clone_url":              v.HTML(r, ".git"), "topics": []string{}, "language": nil, "license": nil,
		"homepage": nil, "mirror_url": nil,
	}
}

// MinimalRepo renders GitHub's "minimal-repository", which lacks the merge settings.
func (v *Renderer) MinimalRepo(r *hub.Repository) obj {
	j := v.Repo(r)
	for _, key := range []string{"allow_merge_commit", "allow_squash_merge", "allow_rebase_merge", "allow_auto_merge"} {
		delete(j, key)
	}
	return j
}

// ShortBranch renders a branch as in lists.
func (v *Renderer) ShortBranch(r *hub.Repository, name string) obj {
	sha, _ := r.Git().Branch(name)
	_, protected := r.Protections[name]
	return obj{"name": name, "commit": obj{"sha": sha, "url": v.API(r, "/commits/"+sha)}, "protected": protected}
}

// Ref renders a reference.
func (v *Renderer) Ref(r *hub.Repository, ref string) obj {
	sha, _ := r.Git().Ref(ref)
	kind, err := r.Git().Kind(sha)
	if err != nil {
		return nil
	}
	return obj{
		"ref": ref, "node_id": NodeID("REF", r.ID) + ":" + ref, "url": v.API(r, "/git/"+ref),
		"object": obj{"sha": sha, "type": kind, "url": v.API(r, "/git/"+kind+"s/"+sha)},
	}
}
