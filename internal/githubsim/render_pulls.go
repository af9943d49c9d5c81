package githubsim

import (
	"strconv"
	"waybill/internal/githubsim/gitstore"
)

// pullJSON renders a pull request: in full as the single one is shown, or without what lists leave out.
func (v *Render) Pull(r *repository, p *pull, full bool) obj {
	n := strconv.Itoa(p.number)
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
	stat, _ := r.git.Stat(r.git.BaseOf(p.baseSHA, p.headSHA), p.headSHA) // both exist: the pull request was opened with them
	j["commits"], j["additions"], j["deletions"], j["changed_files"] = commits, stat.Additions, stat.Deletions, stat.Files
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

func (v *Render) Review(r *repository, p *pull, one *review) obj {
	pulls := v.API(r, "/pulls/"+strconv.Itoa(p.number))
	html := v.HTML(r, "/pull/"+strconv.Itoa(p.number)) + "#pullrequestreview-" + strconv.FormatInt(one.id, 10)
	return obj{
		"id": one.id, "node_id": nodeID("PRR", one.id), "user": v.Account(one.author), "body": one.body, "state": one.state,
		"html_url": html, "pull_request_url": pulls, "submitted_at": stamp(one.submitted), "commit_id": one.commit,
		"author_association": r.association(one.author), "_links": obj{"html": obj{"href": html}, "pull_request": obj{"href": pulls}},
	}
}

// fileJSON renders a changed file.
func (v *Render) File(r *repository, ref string, change gitstore.FileChange) any {
	j := obj{
		"sha": change.SHA, "filename": change.Path, "status": change.Status, "additions": change.Additions, "deletions": change.Deletions,
		"changes": change.Additions + change.Deletions, "blob_url": v.HTML(r, "/blob/"+ref+"/"+change.Path),
		"raw_url": v.HTML(r, "/raw/"+ref+"/"+change.Path), "contents_url": v.API(r, "/contents/"+change.Path+"?ref="+ref),
	}
	if change.Patch != "" {
		j["patch"] = change.Patch
	}
	if change.Previous != "" {
		j["previous_filename"] = change.Previous
	}
	return j
}

func (v *Render) group(r *repository, e *queueEntry) obj {
	return obj{
		"head_sha": e.head, "head_ref": e.ref, "base_sha": e.base, "base_ref": "refs/heads/" + e.pull.baseRef,
		"head_commit": v.HeadCommit(r, e.head),
	}
}
