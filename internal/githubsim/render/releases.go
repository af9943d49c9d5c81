package render

import "waybill/internal/githubsim/hub"

import (
	"cmp"
	"strconv"
)

// Release renders a release.
func (v *Renderer) Release(r *hub.Repository, rel *hub.Release) obj {
	self := v.API(r, "/releases/"+strconv.FormatInt(rel.ID, 10))
	return obj{
		"id": rel.ID, "node_id": NodeID("RE", rel.ID), "tag_name": rel.Tag,
		"target_commitish": cmp.Or(rel.Target, r.Git().DefaultBranch()),
		"name":             Optional(rel.Name), "body": Optional(rel.Body), "draft": rel.Draft, "prerelease": rel.Prerelease,
		"immutable": false,
		"author":    v.Account(rel.Author), "created_at": Stamp(rel.Created), "published_at": Stamp(rel.Published),
		"updated_at": Stamp(rel.Published),
		"assets":     []any{}, "url": self, "html_url": v.HTML(r, "/releases/tag/"+rel.Tag), "assets_url": self + "/assets",
		"upload_url": self + "/assets{?name,label}", "tarball_url": v.API(r, "/tarball/"+rel.Tag),
		"zipball_url": v.API(r, "/zipball/"+rel.Tag),
	}
}

func (v *Renderer) published(r *hub.Repository, who *hub.Account, i *hub.Image, one *hub.ImageVersion, tag string) obj {
	labels := obj{}
	for name, value := range one.Labels {
		labels[name] = value
	}
	const title = "org.opencontainers.image."
	return obj{
		"id": i.ID, "name": i.Name, "namespace": i.Owner.Login, "ecosystem": "CONTAINER", "package_type": "CONTAINER",
		"description": nil,
		"html_url":    v.HTML(r, "/pkgs/container/"+i.Name), "created_at": Stamp(one.Created),
		"updated_at": Stamp(v.hub.Clock.Now()), "owner": v.Account(i.Owner),
		"package_version": obj{
			"id": one.ID, "version": one.Digest, "name": one.Digest, "author": v.Account(who),
			"package_url": "ghcr.io/" + i.Owner.Login + "/" + i.Name + ":" + tag,
			"container_metadata": obj{
				"tag": obj{"name": tag, "digest": one.Digest},
				"labels": obj{
					"description": one.Labels[title+"description"], "source": one.Labels[title+"source"],
					"revision":  one.Labels[title+"revision"],
					"image_url": "", "licenses": "", "all_labels": labels,
				},
			},
		},
	}
}
