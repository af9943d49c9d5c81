package githubsim

import (
	"fmt"
	"slices"
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

// PushImage pushes an image from a workflow of a repository. A tag that is there already moves.
func (s *Server) PushImage(repo, login string, spec ImageSpec) error {
	return s.onRepo("push image from", repo, login, func(w *world, r *repository, who *account) error {
		if spec.Digest == "" || len(spec.Tags) == 0 {
			return fmt.Errorf("an image has a digest and a tag")
		}
		pushed := w.image(r.owner, spec)
		for _, part := range spec.Parts {
			w.tellImage(r, who, pushed, pushed.version(w, part, spec.Labels), "")
		}
		version := pushed.version(w, spec.Digest, spec.Labels)
		for _, tag := range spec.Tags {
			for _, other := range pushed.versions {
				other.tags = slices.DeleteFunc(other.tags, func(t string) bool { return t == tag })
			}
			version.tags = append(version.tags, tag)
			w.tellImage(r, who, pushed, version, tag)
		}
		return nil
	})
}

func (w *world) image(owner *account, spec ImageSpec) *image {
	key := lower(owner.login + "/" + spec.Name)
	if w.images[key] == nil {
		w.images[key] = &image{id: w.nextID(), name: spec.Name, owner: owner, private: spec.Private}
	}
	return w.images[key]
}

func (i *image) version(w *world, digest string, labels map[string]string) *imageVersion {
	for _, v := range i.versions {
		if v.digest == digest {
			return v
		}
	}
	v := &imageVersion{id: w.nextID(), digest: digest, labels: labels, created: w.now()}
	i.versions = append(i.versions, v)
	return v
}

// tellImage sends the webhook that tells an App of a version. The newer event package is for the webhooks of repositories and
// organizations only.
func (w *world) tellImage(r *repository, who *account, i *image, v *imageVersion, tag string) {
	w.emitRepo(r, "registry_package", "published", who, obj{"registry_package": w.packageJSON(r, who, i, v, tag)})
}

func (w *world) packageJSON(r *repository, who *account, i *image, v *imageVersion, tag string) obj {
	labels := obj{}
	for name, value := range v.labels {
		labels[name] = value
	}
	const title = "org.opencontainers.image."
	return obj{
		"id": i.id, "name": i.name, "namespace": i.owner.login, "ecosystem": "CONTAINER", "package_type": "CONTAINER", "description": nil,
		"html_url": w.htmlURL(r, "/pkgs/container/"+i.name), "created_at": stamp(v.created), "updated_at": stamp(w.now()), "owner": w.accountJSON(i.owner),
		"package_version": obj{
			"id": v.id, "version": v.digest, "name": v.digest, "author": w.accountJSON(who), "package_url": "ghcr.io/" + i.owner.login + "/" + i.name + ":" + tag,
			"container_metadata": obj{
				"tag": obj{"name": tag, "digest": v.digest},
				"labels": obj{
					"description": v.labels[title+"description"], "source": v.labels[title+"source"], "revision": v.labels[title+"revision"],
					"image_url": "", "licenses": "", "all_labels": labels,
				},
			},
		},
	}
}
