package hub

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Release is a published release.
type Release struct {
	ID         int64
	Tag        string
	Name       string
	Body       string
	Target     string
	Author     *Account
	Draft      bool
	Prerelease bool
	Created    time.Time
	Published  time.Time
}

// Releases publishes releases.
type Releases struct {
	clock  *Clock
	events *Events
	refs   *Refs
}

// Publish makes a release, and creates its tag if it does not exist. A draft has neither a tag nor a time.
func (rs *Releases) Publish(r *Repository, rel *Release) error {
	rel.ID, rel.Created = rs.clock.NextID(), rs.clock.Now()
	if rel.Draft {
		rs.tell(r, "created", rel)
	} else if err := rs.release(r, rel, "created", "published", "released"); err != nil {
		return err
	}
	r.Releases = append(r.Releases, rel)
	return nil
}

// release publishes a release, which may have been a draft before.
func (rs *Releases) release(r *Repository, rel *Release, actions ...string) error {
	if _, exists := r.git.Ref("refs/tags/" + rel.Tag); !exists {
		sha, found := r.git.Resolve(cmp.Or(rel.Target, r.git.DefaultBranch()))
		if !found {
			return ValidationFailed("Release", "target_commitish", "invalid", "")
		}
		if err := rs.refs.Push(r, "refs/tags/"+rel.Tag, sha, rel.Author); err != nil {
			return err
		}
	}
	rel.Draft, rel.Published = false, rs.clock.Now()
	if rel.Prerelease {
		actions[len(actions)-1] = "prereleased"
	}
	for _, action := range actions {
		rs.tell(r, action, rel)
	}
	return nil
}

// Edit publishes a draft, or turns a pre-release into a release, or the reverse.
func (rs *Releases) Edit(r *Repository, rel *Release, prerelease bool) error {
	full := rel.Prerelease && !prerelease
	rel.Prerelease = prerelease
	if rel.Draft {
		return rs.release(r, rel, "published", "released")
	}
	rs.tell(r, "edited", rel)
	if full {
		rs.tell(r, "released", rel)
	}
	return nil
}

// Delete deletes a release. Its tag stays.
func (rs *Releases) Delete(r *Repository, rel *Release) {
	r.Releases = slices.DeleteFunc(r.Releases, func(one *Release) bool { return one == rel })
	rs.tell(r, "deleted", rel)
}

// tell sends a release event.
func (rs *Releases) tell(r *Repository, action string, rel *Release) {
	var with Fields
	if action == "edited" {
		with = Fields{"changes": Fields{}}
	}
	rs.events.OfRepo(r, "release", action, rel.Author, rel, with)
}

// ReleaseOf finds the newest release of a tag.
func (r *Repository) ReleaseOf(tag string) (*Release, error) {
	for _, one := range slices.Backward(r.Releases) {
		if one.Tag == tag {
			return one, nil
		}
	}
	return nil, fmt.Errorf("no release %s", tag)
}
