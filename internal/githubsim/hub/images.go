package hub

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Image is a container package: the versions pushed to one name in the registry.
type Image struct {
	ID       int64
	Name     string
	Owner    *Account
	Private  bool
	Versions []*ImageVersion // the oldest first
}

// ImageVersion is a manifest with its tags.
type ImageVersion struct {
	ID      int64
	Digest  string
	Tags    []string
	Labels  map[string]string
	Created time.Time
}

// ImageSpec describes an image to push.
type ImageSpec struct {
	Name   string // without its owner, the repository's owner
	Tags   []string
	Digest string
	Labels map[string]string
	// Private makes a new package private. It has no effect on an existing package.
	Private bool
	// Parts are the digests of the images for each platform. GitHub sends an event for each, without a tag.
	Parts []string
}

// Images is the registry of containers.
type Images struct {
	clock  *Clock
	events *Events
	byName map[string]*Image // by "owner/name" in lower case
}

// Push pushes an image from a workflow of a repository. An existing tag moves.
func (is *Images) Push(r *Repository, who *Account, spec ImageSpec) error {
	if spec.Digest == "" || len(spec.Tags) == 0 {
		return fmt.Errorf("an image has a digest and a tag")
	}
	pushed := is.named(r.Owner, spec)
	for _, part := range spec.Parts {
		is.tell(r, who, pushed, pushed.version(is.clock, part, spec.Labels), "")
	}
	version := pushed.version(is.clock, spec.Digest, spec.Labels)
	for _, tag := range spec.Tags {
		for _, other := range pushed.Versions {
			other.Tags = slices.DeleteFunc(other.Tags, func(t string) bool { return t == tag })
		}
		version.Tags = append(version.Tags, tag)
		is.tell(r, who, pushed, version, tag)
	}
	return nil
}

// Find finds an image by its owner and name.
func (is *Images) Find(owner, name string) *Image { return is.byName[strings.ToLower(owner+"/"+name)] }

func (is *Images) named(owner *Account, spec ImageSpec) *Image {
	key := strings.ToLower(owner.Login + "/" + spec.Name)
	if is.byName[key] == nil {
		is.byName[key] = &Image{ID: is.clock.NextID(), Name: spec.Name, Owner: owner, Private: spec.Private}
	}
	return is.byName[key]
}

func (i *Image) version(clock *Clock, digest string, labels map[string]string) *ImageVersion {
	for _, v := range i.Versions {
		if v.Digest == digest {
			return v
		}
	}
	v := &ImageVersion{ID: clock.NextID(), Digest: digest, Labels: labels, Created: clock.Now()}
	i.Versions = append(i.Versions, v)
	return v
}

// tell sends the webhook of a version to the App. The newer event package is only for webhooks of repositories and
// organizations.
func (is *Images) tell(r *Repository, who *Account, i *Image, v *ImageVersion, tag string) {
	is.events.OfRepo(r, "registry_package", "published", who, Published{i, v, tag}, nil)
}
