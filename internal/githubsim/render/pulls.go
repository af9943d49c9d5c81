package render

import "waybill/internal/githubsim/hub"

import (
	"strconv"

	"waybill/internal/githubsim/gitstore"
)

// Pull renders a pull request: in full, or without the fields that lists leave out.
func (v *Renderer) Pull(r *hub.Repository, p *hub.Pull, full bool) obj {
	n := strconv.Itoa(p.Number)
	head, updated := v.hub.Lag.Head(p)
	self, html := v.API(r, "/pulls/"+n), v.HTML(r, "/pull/"+n)
	j := obj{
		"id": p.ID, "node_id": NodeID("PR", p.ID), "number": p.Number, "state": p.State(), "title": p.Title,
		"body":   Optional(p.Body),
		"locked": p.Locked, "draft": p.Draft, "user": v.Account(p.Author), "labels": v.labels(r, p.Labels), "milestone": nil,
		"assignee": v.firstAssignee(p.Issue), "assignees": List(p.Assignees,
			func(a *hub.Account) any { return v.Account(a) }),
		"requested_reviewers": List(p.Requested, func(a *hub.Account) any { return v.Account(a) }),
		"requested_teams":     []any{},
		"created_at":          Stamp(p.Created), "updated_at": Stamp(updated), "closed_at": Stamp(p.Closed),
		"merged_at":        Stamp(p.MergedAt),
		"merge_commit_sha": Optional(r.ShownMerge(p)), "author_association": r.Association(p.Author),
		"active_lock_reason": nil,
		"auto_merge":         v.autoMerge(p.AutoMerge), "head": v.head(p, head), "base": v.side(r, p.BaseRef, p.BaseSHA),
		"url": self, "html_url": html, "diff_url": html + ".diff", "patch_url": html + ".patch",
		"issue_url":   v.API(r, "/issues/"+n),
		"commits_url": self + "/commits", "review_comments_url": self + "/comments",
		"review_comment_url": v.API(r, "/pulls/comments{/number}"),
		"comments_url":       v.API(r, "/issues/"+n+"/comments"), "statuses_url": v.API(r, "/statuses/"+p.HeadSHA),
	}
	j["_links"] = obj{
		"self": obj{"href": self}, "html": obj{"href": html}, "issue": obj{"href": j["issue_url"]},
		"comments":        obj{"href": j["comments_url"]},
		"review_comments": obj{"href": j["review_comments_url"]}, "review_comment": obj{"href": j["review_comment_url"]},
		"commits": obj{"href": j["commits_url"]}, "statuses": obj{"href": j["statuses_url"]},
	}
	if full {
		v.details(r, p, j)
	}
	return j
}

func (v *Renderer) details(r *hub.Repository, p *hub.Pull, j obj) {
	j["merged"], j["merged_by"] = p.Merged, v.Account(p.MergedBy)
	j["comments"], j["review_comments"], j["maintainer_can_modify"] = len(r.CommentsOf(p.Issue)), 0, false
	j["mergeable"], j["rebaseable"], j["mergeable_state"] = nil, nil, "unknown"
	if p.Looked && r.TestIsCurrent(p) {
		j["mergeable"], j["rebaseable"], j["mergeable_state"] = len(p.Conflicts) == 0, len(p.Conflicts) == 0,
			r.MergeableState(p)
	}
	commits := p.Commits
	if !p.Merged {
		commits = len(r.HeadCommits(p))
	}
	// both exist, because the pull request was opened with them
	stat, _ := r.Git().Stat(r.Git().BaseOf(p.BaseSHA, p.HeadSHA), p.HeadSHA)
	j["commits"], j["additions"], j["deletions"], j["changed_files"] = commits, stat.Additions, stat.Deletions, stat.Files
}

// head renders the head, without a repository if that was deleted.
func (v *Renderer) head(p *hub.Pull, sha string) obj {
	if p.From != nil {
		return v.side(p.From, p.HeadRef, sha)
	}
	return obj{
		"label": p.Owner.Login + ":" + p.HeadRef, "ref": p.HeadRef, "sha": sha, "user": v.Account(p.Owner), "repo": nil,
	}
}

// side renders head or base.
func (v *Renderer) side(r *hub.Repository, ref, sha string) obj {
	return obj{"label": r.Owner.Login + ":" + ref, "ref": ref, "sha": sha, "user": v.Account(r.Owner), "repo": v.Repo(r)}
}

func (v *Renderer) autoMerge(a *hub.AutoMerge) any {
	if a == nil {
		return nil
	}
	return obj{"enabled_by": v.Account(a.By), "merge_method": a.Method, "commit_title": "", "commit_message": ""}
}

// Review renders a review.
func (v *Renderer) Review(r *hub.Repository, p *hub.Pull, one *hub.Review) obj {
	pulls := v.API(r, "/pulls/"+strconv.Itoa(p.Number))
	html := v.HTML(r, "/pull/"+strconv.Itoa(p.Number)) + "#pullrequestreview-" + strconv.FormatInt(one.ID, 10)
	return obj{
		"id": one.ID, "node_id": NodeID("PRR", one.ID), "user": v.Account(one.Author), "body": one.Body, "state": one.State,
		"html_url": html, "pull_request_url": pulls, "submitted_at": Stamp(one.Submitted), "commit_id": one.Commit,
		"author_association": r.Association(one.Author),
		"_links":             obj{"html": obj{"href": html}, "pull_request": obj{"href": pulls}},
	}
}

// File renders a changed file.
func (v *Renderer) File(r *hub.Repository, ref string, change gitstore.FileChange) any {
	j := obj{
		"sha": change.SHA, "filename": change.Path, "status": change.Status, "additions": change.Additions,
		"deletions": change.Deletions,
		"changes":   change.Additions + change.Deletions, "blob_url": v.HTML(r, "/blob/"+ref+"/"+change.Path),
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

func (v *Renderer) group(r *hub.Repository, e *hub.QueueEntry) obj {
	return obj{
		"head_sha": e.Head, "head_ref": e.Ref, "base_sha": e.Base, "base_ref": "refs/heads/" + e.Pull.BaseRef,
		"head_commit": v.headCommit(r, e.Head),
	}
}
