package githubsim

import "strings"

// pullJSON renders a pull request: in full as the single one is shown, or without what lists leave out.
func (v *Render) Pull(r *repository, p *pull, full bool) obj {
	n := itoa(int64(p.number))
	self, html := v.API(r, "/pulls/"+n), v.HTML(r, "/pull/"+n)
	j := obj{
		"id": p.id, "node_id": nodeID("PR", p.id), "number": p.number, "state": p.state(), "title": p.title, "body": optional(p.body),
		"locked": p.locked, "draft": p.draft, "user": v.Account(p.author), "labels": v.labels(r, p.labels), "milestone": nil,
		"assignee": v.firstAssignee(p.issue), "assignees": renderAll(p.assignees, func(a *account) any { return v.Account(a) }),
		"requested_reviewers": renderAll(p.requested, func(a *account) any { return v.Account(a) }), "requested_teams": []any{},
		"created_at": stamp(p.created), "updated_at": stamp(p.updated), "closed_at": stamp(p.closed), "merged_at": stamp(p.mergedAt),
		"merge_commit_sha": optional(r.shownMerge(p)), "author_association": r.association(p.author), "active_lock_reason": nil,
		"auto_merge": v.autoMerge(p.autoMerge), "head": v.head(p), "base": v.side(r, p.baseRef, p.baseSHA),
		"url": self, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "issue_url": v.API(r, "/issues/"+n),
		"commits_url": self + "/commits", "review_comments_url": self + "/comments", "review_comment_url": v.API(r, "/pulls/comments{/number}"),
		"comments_url": v.API(r, "/issues/"+n+"/comments"), "statuses_url": v.API(r, "/statuses/"+p.headSHA),
	}
	j["_links"] = obj{
		"self": obj{"href": self}, "html": obj{"href": html}, "issue": obj{"href": j["issue_url"]}, "comments": obj{"href": j["comments_url"]},
		"review_comments": obj{"href": j["review_comments_url"]}, "review_comment": obj{"href": j["review_comment_url"]},
		"commits": obj{"href": j["commits_url"]}, "statuses": obj{"href": j["statuses_url"]},
	}
	if full {
		v.details(r, p, j)
	}
	return j
}

func (v *Render) details(r *repository, p *pull, j obj) {
	j["merged"], j["merged_by"] = p.merged, v.Account(p.mergedBy)
	j["comments"], j["review_comments"], j["maintainer_can_modify"] = len(r.commentsOf(p.issue)), 0, false
	j["mergeable"], j["rebaseable"], j["mergeable_state"] = nil, nil, "unknown"
	if p.looked && r.testIsCurrent(p) {
		j["mergeable"], j["rebaseable"], j["mergeable_state"] = len(p.conflicts) == 0, len(p.conflicts) == 0, r.mergeableState(p)
	}
	commits := p.commits
	if !p.merged {
		commits = len(r.headCommits(p))
	}
	stat, _ := r.git.Stat(mergeBaseOr(r, p.baseSHA, p.headSHA), p.headSHA) // both exist: the pull request was opened with them
	j["commits"], j["additions"], j["deletions"], j["changed_files"] = commits, stat.Additions, stat.Deletions, stat.Files
}

// shownMerge is the merge commit of a merged pull request, and of an open one the test merge once it is known.
func (r *repository) shownMerge(p *pull) string {
	if p.open && !(p.looked && r.testIsCurrent(p)) {
		return ""
	}
	return p.mergeSHA
}

func (r *repository) testIsCurrent(p *pull) bool {
	base, exists := r.git.Branch(p.baseRef)
	return exists && p.open && p.tested == [2]string{base, p.headSHA}
}

// headJSON renders the head; without a repository once that is deleted.
func (v *Render) head(p *pull) obj {
	if p.from != nil {
		return v.side(p.from, p.headRef, p.headSHA)
	}
	return obj{"label": p.owner.login + ":" + p.headRef, "ref": p.headRef, "sha": p.headSHA, "user": v.Account(p.owner), "repo": nil}
}

// sideJSON renders head or base.
func (v *Render) side(r *repository, ref, sha string) obj {
	return obj{"label": r.owner.login + ":" + ref, "ref": ref, "sha": sha, "user": v.Account(r.owner), "repo": v.Repo(r)}
}

func (v *Render) autoMerge(a *autoMerge) any {
	if a == nil {
		return nil
	}
	return obj{"enabled_by": v.Account(a.by), "merge_method": a.method, "commit_title": "", "commit_message": ""}
}

func lower(text string) string { return strings.ToLower(text) }
