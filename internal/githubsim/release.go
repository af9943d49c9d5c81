package githubsim

import "time"

// release is a published release.
type release struct {
	id         int64
	tag        string
	name       string
	body       string
	target     string
	author     *account
	draft      bool
	prerelease bool
	created    time.Time
	published  time.Time
}

// Releases publishes releases.
type Releases struct {
	clock  *Clock
	events *Events
	refs   *Refs
}

// Publish makes a release, and its tag where there is none yet. A draft has neither a tag nor a time.
func (rs *Releases) Publish(r *repository, rel *release) error {
	rel.id, rel.created = rs.clock.NextID(), rs.clock.Now()
	if rel.draft {
		rs.Tell(r, "created", rel)
	} else if err := rs.Release(r, rel, "created", "published", "released"); err != nil {
		return err
	}
	r.releases = append(r.releases, rel)
	return nil
}

// Release publishes a release, which may have been a draft until now.
func (rs *Releases) Release(r *repository, rel *release, actions ...string) error {
	if _, exists := r.git.Ref("refs/tags/" + rel.tag); !exists {
		sha, found := r.resolve(orElse(rel.target, r.defaultBranch))
		if !found {
			return validationFailed("Release", "target_commitish", "invalid", "")
		}
		if err := rs.refs.Push(r, "refs/tags/"+rel.tag, sha, rel.author); err != nil {
			return err
		}
	}
	rel.draft, rel.published = false, rs.clock.Now()
	if rel.prerelease {
		actions[len(actions)-1] = "prereleased"
	}
	for _, action := range actions {
		rs.Tell(r, action, rel)
	}
	return nil
}

// Tell sends a release event.
func (rs *Releases) Tell(r *repository, action string, rel *release) {
	var with Fields
	if action == "edited" {
		with = Fields{"changes": Fields{}}
	}
	rs.events.OfRepo(r, "release", action, rel.author, rel, with)
}

func (v *Render) Release(r *repository, rel *release) obj {
	self := v.API(r, "/releases/"+itoa(rel.id))
	return obj{
		"id": rel.id, "node_id": nodeID("RE", rel.id), "tag_name": rel.tag, "target_commitish": orElse(rel.target, r.defaultBranch),
		"name": optional(rel.name), "body": optional(rel.body), "draft": rel.draft, "prerelease": rel.prerelease, "immutable": false,
		"author": v.Account(rel.author), "created_at": stamp(rel.created), "published_at": stamp(rel.published), "updated_at": stamp(rel.published),
		"assets": []any{}, "url": self, "html_url": v.HTML(r, "/releases/tag/"+rel.tag), "assets_url": self + "/assets",
		"upload_url": self + "/assets{?name,label}", "tarball_url": v.API(r, "/tarball/"+rel.tag), "zipball_url": v.API(r, "/zipball/"+rel.tag),
	}
}

// workflowRun is one run of a GitHub Actions workflow, as far as bots look at them.
type workflowRun struct {
	id         int64
	suite      *checkSuite
	name       string
	event      string
	status     string
	conclusion string
	actor      *account
	created    time.Time
	updated    time.Time  // zero: not since it was made
	title      string     // as run-name has it; empty: the name
	file       string     // of the workflow; empty: called as the name
	barriers   []*barrier // before the environments that its jobs deploy into
}
