package githubsim

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

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
		rs.tell(r, "created", rel)
	} else if err := rs.release(r, rel, "created", "published", "released"); err != nil {
		return err
	}
	r.releases = append(r.releases, rel)
	return nil
}

// release publishes a release, which may have been a draft until now.
func (rs *Releases) release(r *repository, rel *release, actions ...string) error {
	if _, exists := r.git.Ref("refs/tags/" + rel.tag); !exists {
		sha, found := r.git.Resolve(cmp.Or(rel.target, r.git.DefaultBranch()))
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
		rs.tell(r, action, rel)
	}
	return nil
}

// Edit publishes a draft, or makes a release of a pre-release, or the other way round.
func (rs *Releases) Edit(r *repository, rel *release, prerelease bool) error {
	full := rel.prerelease && !prerelease
	rel.prerelease = prerelease
	if rel.draft {
		return rs.release(r, rel, "published", "released")
	}
	rs.tell(r, "edited", rel)
	if full {
		rs.tell(r, "released", rel)
	}
	return nil
}

// Delete takes a release back. Its tag stays.
func (rs *Releases) Delete(r *repository, rel *release) {
	r.releases = slices.DeleteFunc(r.releases, func(one *release) bool { return one == rel })
	rs.tell(r, "deleted", rel)
}

// tell sends a release event.
func (rs *Releases) tell(r *repository, action string, rel *release) {
	var with Fields
	if action == "edited" {
		with = Fields{"changes": Fields{}}
	}
	rs.events.OfRepo(r, "release", action, rel.author, rel, with)
}

func (r *repository) releaseOf(tag string) (*release, error) {
	for _, one := range slices.Backward(r.releases) {
		if one.tag == tag {
			return one, nil
		}
	}
	return nil, fmt.Errorf("no release %s", tag)
}
