package githubsim

import (
	"cmp"
	"strconv"
)

func (v *Render) Release(r *repository, rel *release) obj {
	self := v.API(r, "/releases/"+strconv.FormatInt(rel.id, 10))
	return obj{
		"id": rel.id, "node_id": nodeID("RE", rel.id), "tag_name": rel.tag, "target_commitish": cmp.Or(rel.target, r.git.DefaultBranch()),
		"name": optional(rel.name), "body": optional(rel.body), "draft": rel.draft, "prerelease": rel.prerelease, "immutable": false,
		"author": v.Account(rel.author), "created_at": stamp(rel.created), "published_at": stamp(rel.published), "updated_at": stamp(rel.published),
		"assets": []any{}, "url": self, "html_url": v.HTML(r, "/releases/tag/"+rel.tag), "assets_url": self + "/assets",
		"upload_url": self + "/assets{?name,label}", "tarball_url": v.API(r, "/tarball/"+rel.tag), "zipball_url": v.API(r, "/zipball/"+rel.tag),
	}
}

func (v *Render) published(r *repository, who *account, i *image, one *imageVersion, tag string) obj {
	labels := obj{}
	for name, value := range one.labels {
		labels[name] = value
	}
	const title = "org.opencontainers.image."
	return obj{
		"id": i.id, "name": i.name, "namespace": i.owner.login, "ecosystem": "CONTAINER", "package_type": "CONTAINER", "description": nil,
		"html_url": v.HTML(r, "/pkgs/container/"+i.name), "created_at": stamp(one.created), "updated_at": stamp(v.hub.Clock.Now()), "owner": v.Account(i.owner),
		"package_version": obj{
			"id": one.id, "version": one.digest, "name": one.digest, "author": v.Account(who), "package_url": "ghcr.io/" + i.owner.login + "/" + i.name + ":" + tag,
			"container_metadata": obj{
				"tag": obj{"name": tag, "digest": one.digest},
				"labels": obj{
					"description": one.labels[title+"description"], "source": one.labels[title+"source"], "revision": one.labels[title+"revision"],
					"image_url": "", "licenses": "", "all_labels": labels,
				},
			},
		},
	}
}
