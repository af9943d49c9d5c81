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

// publish makes a release, and its tag where there is none yet.
func (w *world) publish(r *repository, rel *release) error {
	if _, exists := r.git.Ref("refs/tags/" + rel.tag); !exists {
		sha, found := r.resolve(orElse(rel.target, r.defaultBranch))
		if !found {
			return validationFailed("Release", "target_commitish", "invalid", "")
		}
		if err := w.push(r, "refs/tags/"+rel.tag, sha, rel.author); err != nil {
			return err
		}
	}
	rel.id, rel.created, rel.published = w.nextID(), w.now(), w.now()
	r.releases = append(r.releases, rel)
	for _, action := range []string{"created", "published", "released"} {
		w.emitRepo(r, "release", action, rel.author, obj{"release": w.releaseJSON(r, rel)})
	}
	return nil
}

func (w *world) releaseJSON(r *repository, rel *release) obj {
	self := w.apiURL(r, "/releases/"+itoa(rel.id))
	return obj{
		"id": rel.id, "node_id": nodeID("RE", rel.id), "tag_name": rel.tag, "target_commitish": orElse(rel.target, r.defaultBranch),
		"name": optional(rel.name), "body": optional(rel.body), "draft": rel.draft, "prerelease": rel.prerelease, "immutable": false,
		"author": w.accountJSON(rel.author), "created_at": stamp(rel.created), "published_at": stamp(rel.published), "updated_at": stamp(rel.published),
		"assets": []any{}, "url": self, "html_url": w.htmlURL(r, "/releases/tag/"+rel.tag), "assets_url": self + "/assets",
		"upload_url": self + "/assets{?name,label}", "tarball_url": w.apiURL(r, "/tarball/"+rel.tag), "zipball_url": w.apiURL(r, "/zipball/"+rel.tag),
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
	barriers   []*barrier // before the environments that its jobs deploy into
}
