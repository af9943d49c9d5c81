package githubsim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// image is a container package: what was pushed to one name in the registry.
type image struct {
	id       int64
	name     string
	owner    *account
	private  bool
	versions []*imageVersion // the oldest first
}

// imageVersion is a manifest, and the tags that lead to it.
type imageVersion struct {
	id      int64
	digest  string
	tags    []string
	labels  map[string]string
	created time.Time
}

// ImageSpec says what is pushed to the registry.
type ImageSpec struct {
	Name   string // without its owner, who is that of the repository
	Tags   []string
	Digest string
	Labels map[string]string
	// Private is a package that people need a right for; it counts when the package is new.
	Private bool
	// Parts are the digests of what an image for several platforms consists of. GitHub tells of each, without a tag.
	Parts []string
}

// Images is the registry of containers.
type Images struct {
	clock  *Clock
	events *Events
	byName map[string]*image // by "owner/name" in lower case
}

// Push pushes an image from a workflow of a repository. A tag that is there already moves.
func (is *Images) Push(r *repository, who *account, spec ImageSpec) error {
	if spec.Digest == "" || len(spec.Tags) == 0 {
		return fmt.Errorf("an image has a digest and a tag")
	}
	pushed := is.named(r.owner, spec)
	for _, part := range spec.Parts {
		is.tell(r, who, pushed, pushed.version(is.clock, part, spec.Labels), "")
	}
	version := pushed.version(is.clock, spec.Digest, spec.Labels)
	for _, tag := range spec.Tags {
		for _, other := range pushed.versions {
			other.tags = slices.DeleteFunc(other.tags, func(t string) bool { return t == tag })
		}
		version.tags = append(version.tags, tag)
		is.tell(r, who, pushed, version, tag)
	}
	return nil
}

// Find finds an image by its owner and name.
func (is *Images) Find(owner, name string) *image { return is.byName[strings.ToLower(owner+"/"+name)] }

func (is *Images) named(owner *account, spec ImageSpec) *image {
	key := strings.ToLower(owner.login + "/" + spec.Name)
	if is.byName[key] == nil {
		is.byName[key] = &image{id: is.clock.NextID(), name: spec.Name, owner: owner, private: spec.Private}
	}
	return is.byName[key]
}

func (i *image) version(clock *Clock, digest string, labels map[string]string) *imageVersion {
	for _, v := range i.versions {
		if v.digest == digest {
			return v
		}
	}
	v := &imageVersion{id: clock.NextID(), digest: digest, labels: labels, created: clock.Now()}
	i.versions = append(i.versions, v)
	return v
}

// tellImage sends the webhook that tells an App of a version. The newer event package is for the webhooks of repositories and
// organizations only.
func (is *Images) tell(r *repository, who *account, i *image, v *imageVersion, tag string) {
	is.events.OfRepo(r, "registry_package", "published", who, Published{i, v, tag}, nil)
}
