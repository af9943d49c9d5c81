package render

import "waybill/internal/githubsim/hub"

import "waybill/internal/githubsim/gitstore"

// Commit renders a commit of the repository, in full with its files.
func (v *Renderer) Commit(r *hub.Repository, sha string, full bool) obj {
	c, err := r.Git().Commit(sha)
	if err != nil {
		return nil
	}
	parents := []any{}
	for _, parent := range c.Parents {
		parents = append(parents, obj{
			"sha": parent, "url": v.API(r, "/commits/"+parent), "html_url": v.HTML(r, "/commit/"+parent),
		})
	}
	self := v.API(r, "/commits/"+sha)
	j := obj{
		"sha": sha, "node_id": NodeID("C", r.ID) + sha, "url": self, "html_url": v.HTML(r, "/commit/"+sha),
		"comments_url": self + "/comments",
		"author":       v.committer(c.Author), "committer": v.committer(c.Committer), "parents": parents,
		"commit": obj{
			"author": personJSON(c.Author), "committer": personJSON(c.Committer), "message": c.Message, "comment_count": 0,
			"url": v.API(r, "/git/commits/"+sha), "tree": obj{"sha": c.Tree, "url": v.API(r, "/git/trees/"+c.Tree)},
			"verification": verificationJSON(c),
		},
	}
	if full {
		v.files(r, c, j)
	}
	return j
}

// committer returns the account with a commit's address, or null.
func (v *Renderer) committer(p gitstore.Person) any {
	if a, found := v.hub.Accounts.ByEmail(p.Email); found {
		return v.Account(a)
	}
	if p.Email == "noreply@github.com" {
		return v.Account(v.hub.Accounts.WebFlow())
	}
	return nil
}

func (v *Renderer) files(r *hub.Repository, c gitstore.Commit, j obj) {
	additions, deletions, files := 0, 0, []any{}
	if len(c.Parents) > 0 {
		changes, err := r.Git().Diff(c.Parents[0], c.SHA)
		if err != nil {
			return
		}
		for _, change := range changes {
			additions, deletions = additions+change.Additions, deletions+change.Deletions
			files = append(files, v.File(r, c.SHA, change))
		}
	}
	j["stats"] = obj{"additions": additions, "deletions": deletions, "total": additions + deletions}
	j["files"] = files
}

// GitCommit renders a commit of the Git database.
func (v *Renderer) GitCommit(r *hub.Repository, sha string) obj {
	c, err := r.Git().Commit(sha)
	if err != nil {
		return nil
	}
	parents := []any{}
	for _, parent := range c.Parents {
		parents = append(parents, obj{
			"sha": parent, "url": v.API(r, "/git/commits/"+parent), "html_url": v.HTML(r, "/commit/"+parent),
		})
	}
	return obj{
		"sha": sha, "node_id": NodeID("C", r.ID) + sha, "url": v.API(r, "/git/commits/"+sha),
		"html_url": v.HTML(r, "/commit/"+sha),
		"author":   personJSON(c.Author), "committer": personJSON(c.Committer), "message": c.Message,
		"tree": obj{"sha": c.Tree, "url": v.API(r, "/git/trees/"+c.Tree)}, "parents": parents,
		"verification": verificationJSON(c),
	}
}

func personJSON(p gitstore.Person) obj {
	return obj{"name": p.Name, "email": p.Email, "date": Stamp(p.When)}
}

// verificationJSON declares that commits made by GitHub are signed; the simulator does not sign them.
func verificationJSON(c gitstore.Commit) obj {
	signed := hub.Signed(c)
	reason := "unsigned"
	if signed {
		reason = "valid"
	}
	return obj{"verified": signed, "reason": reason, "signature": nil, "payload": nil, "verified_at": nil}
}
