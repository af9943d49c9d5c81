package githubsim

import "strings"

// repoJSON renders GitHub's "repository" as far as the simulator knows it.
func (v *Render) Repo(r *repository) obj {
	return obj{
		"id": r.id, "node_id": nodeID("R", r.id), "name": r.name, "full_name": r.fullName(), "private": r.private,
		"visibility": r.visibility(), "owner": v.Account(r.owner), "html_url": v.HTML(r, ""), "url": v.API(r, ""),
		"description": nil, "fork": r.parent != nil, "archived": r.archived, "disabled": false, "default_branch": r.git.DefaultBranch(),
		"created_at": stamp(r.created), "updated_at": stamp(r.pushed), "pushed_at": stamp(r.pushed),
		"open_issues_count": r.openIssues(), "open_issues": r.openIssues(), "has_issues": true, "is_template": false,
		"allow_merge_commit": !r.settings.NoMergeCommit, "allow_squash_merge": !r.settings.NoSquash,
		"allow_rebase_merge": !r.settings.NoRebase, "allow_auto_merge": r.settings.AutoMerge,
		"delete_branch_on_merge": r.settings.DeleteBranchOnMerge, "git_url": "git://" + strings.TrimPrefix(v.HTML(r, ".git"), "http://"),
		"clone_url": v.HTML(r, ".git"), "topics": []string{}, "language": nil, "license": nil,
		"homepage": nil, "mirror_url": nil,
	}
}

// minimalRepoJSON renders GitHub's "minimal-repository", which keeps to itself how pull requests are merged.
func (v *Render) MinimalRepo(r *repository) obj {
	j := v.Repo(r)
	for _, key := range []string{"allow_merge_commit", "allow_squash_merge", "allow_rebase_merge", "allow_auto_merge"} {
		delete(j, key)
	}
	return j
}

func (v *Render) ShortBranch(r *repository, name string) obj {
	sha, _ := r.git.Branch(name)
	_, protected := r.protections[name]
	return obj{"name": name, "commit": obj{"sha": sha, "url": v.API(r, "/commits/"+sha)}, "protected": protected}
}

func (v *Render) Ref(r *repository, ref string) obj {
	sha, _ := r.git.Ref(ref)
	kind, err := r.git.Kind(sha)
	if err != nil {
		return nil
	}
	return obj{
		"ref": ref, "node_id": nodeID("REF", r.id) + ":" + ref, "url": v.API(r, "/git/"+ref),
		"object": obj{"sha": sha, "type": kind, "url": v.API(r, "/git/"+kind+"s/"+sha)},
	}
}
