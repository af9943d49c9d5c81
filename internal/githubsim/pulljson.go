package githubsim

import "strings"

// pullJSON renders a pull request: in full as the single one is shown, or without what lists leave out.
func (w *world) pullJSON(r *repository, p *pull, full bool) obj {
	n := itoa(int64(p.number))
	self, html := w.apiURL(r, "/pulls/"+n), w.htmlURL(r, "/pull/"+n)
	j := obj{
		"id": p.id, "node_id": nodeID("PR", p.id), "number": p.number, "state": p.state(), "title": p.title, "body": optional(p.body),
		"locked": p.locked, "draft": p.draft, "user": w.accountJSON(p.author), "labels": w.labelsJSON(r, p.labels), "milestone": nil,
		"assignee": w.firstAssignee(p.issue), "assignees": renderAll(p.assignees, func(a *account) any { return w.accountJSON(a) }),
		"requested_reviewers": renderAll(p.requested, func(a *account) any { return w.accountJSON(a) }), "requested_teams": []any{},
		"created_at": stamp(p.created), "updated_at": stamp(p.updated), "closed_at": stamp(p.closed), "merged_at": stamp(p.mergedAt),
		"merge_commit_sha": optional(w.shownMerge(r, p)), "author_association": w.association(r, p.author), "active_lock_reason": nil,
		"auto_merge": w.autoMergeJSON(p.autoMerge), "head": w.headJSON(p), "base": w.sideJSON(r, p.baseRef, p.baseSHA),
		"url": self, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch", "issue_url": w.apiURL(r, "/issues/"+n),
		"commits_url": self + "/commits", "review_comments_url": self + "/comments", "review_comment_url": w.apiURL(r, "/pulls/comments{/number}"),
		"comments_url": w.apiURL(r, "/issues/"+n+"/comments"), "statuses_url": w.apiURL(r, "/statuses/"+p.headSHA),
	}
	j["_links"] = obj{
		"self": obj{"href": self}, "html": obj{"href": html}, "issue": obj{"href": j["issue_url"]}, "comments": obj{"href": j["comments_url"]},
		"review_comments": obj{"href": j["review_comments_url"]}, "review_comment": obj{"href": j["review_comment_url"]},
		"commits": obj{"href": j["commits_url"]}, "statuses": obj{"href": j["statuses_url"]},
	}
	if full {
		w.addPullDetails(r, p, j)
	}
	return j
}

func (w *world) addPullDetails(r *repository, p *pull, j obj) {
	j["merged"], j["merged_by"] = p.merged, w.accountJSON(p.mergedBy)
	j["comments"], j["review_comments"], j["maintainer_can_modify"] = len(r.commentsOf(p.issue)), 0, false
	j["mergeable"], j["rebaseable"], j["mergeable_state"] = nil, nil, "unknown"
	if p.looked && w.testIsCurrent(r, p) {
		j["mergeable"], j["rebaseable"], j["mergeable_state"] = len(p.conflicts) == 0, len(p.conflicts) == 0, w.mergeableState(r, p)
	}
	commits := p.commits
	if !p.merged {
		commits = len(r.headCommits(p))
	}
	stat, _ := r.git.Stat(mergeBaseOr(r, p.baseSHA, p.headSHA), p.headSHA) // both exist: the pull request was opened with them
	j["commits"], j["additions"], j["deletions"], j["changed_files"] = commits, stat.Additions, stat.Deletions, stat.Files
}

// shownMerge is the merge commit of a merged pull request, and of an open one the test merge once it is known.
func (w *world) shownMerge(r *repository, p *pull) string {
	if p.open && !(p.looked && w.testIsCurrent(r, p)) {
		return ""
	}
	return p.mergeSHA
}

func (w *world) testIsCurrent(r *repository, p *pull) bool {
	base, exists := r.git.Branch(p.baseRef)
	return exists && p.open && p.tested == [2]string{base, p.headSHA}
}

// headJSON renders the head; without a repository once that is deleted.
func (w *world) headJSON(p *pull) obj {
	if p.from != nil {
		return w.sideJSON(p.from, p.headRef, p.headSHA)
	}
	return obj{"label": p.owner.login + ":" + p.headRef, "ref": p.headRef, "sha": p.headSHA, "user": w.accountJSON(p.owner), "repo": nil}
}

// sideJSON renders head or base.
func (w *world) sideJSON(r *repository, ref, sha string) obj {
	return obj{"label": r.owner.login + ":" + ref, "ref": ref, "sha": sha, "user": w.accountJSON(r.owner), "repo": w.repoJSON(r)}
}

func (w *world) autoMergeJSON(a *autoMerge) any {
	if a == nil {
		return nil
	}
	return obj{"enabled_by": w.accountJSON(a.by), "merge_method": a.method, "commit_title": "", "commit_message": ""}
}

func lower(text string) string { return strings.ToLower(text) }
