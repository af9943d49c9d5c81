package config

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// imageForm is the name of an image as registries have it.
var imageForm = expressed(`^[a-z0-9][a-z0-9.-]*(/[a-z0-9]+([._-]+[a-z0-9]+)*){2,}$`)

// compileImages compiles the images that make freight of a warehouse complete. They must all be of its commit: that
// keeps them from being mixed, so that only freight that has been built of a commit can have some.
func compileImages(r *reader, w *promotion.Warehouse, f warehouseFile) {
	given, at := "image", f.image.key
	if f.images.given() {
		given, at = "images", f.images.key
	}
	switch {
	case f.image.given() && f.images.given():
		r.errorf(at, "has `image` and `images`; put all of them into `images`")
		return
	case at.line == 0:
		return
	case w.Kind != promotion.FromPulls && w.Kind != promotion.FromPushes:
		r.errorf(at, "`%s` goes with `pull-requests` and `pushes` only; what is built of %s is best told by CI: "+
			"use `reports` instead", given, w.Kind)
		return
	}
	if f.image.legible() && f.image.value != "" && goodImage(r.key("image"), w, f.image) {
		w.Images = []promotion.Awaited{{Image: f.image.value}}
	}
	for _, i := range f.images.value {
		if i.good() && goodImage(r.key("images").key(i.name), w, i.found) {
			oneMore(r.key("images").key(i.name), w, i)
		}
	}
}

// oneMore adds an image, unless it is there under another name.
func oneMore(r *reader, w *promotion.Warehouse, i entry[string]) {
	if k := slices.IndexFunc(w.Images, func(a promotion.Awaited) bool { return a.Image == i.value }); k >= 0 {
		r.errorf(i.at, "%s is %s already; name it once", i.value, w.Images[k].Name)
		return
	}
	w.Images = append(w.Images, promotion.Awaited{Name: i.name, Image: i.value})
}

// goodImage judges the name of an image. It must be of the account that owns the warehouse's repository, which has
// agreed to the pipeline: two repositories may share a commit, and its pushes must not tell one about the other.
func goodImage(r *reader, w *promotion.Warehouse, image found[string]) bool {
	name := image.value
	owner, _, _ := strings.Cut(strings.ToLower(string(w.Repo)), "/")
	last := name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case strings.ContainsAny(last, ":@"):
		r.errorf(image.at, "%s has a tag or digest; leave it out: they are those of the image that is pushed for a commit",
			quote(name))
	case strings.HasPrefix(strings.ToLower(name), promotion.Registry) && imageForm.MatchString(strings.ToLower(name)) &&
		name != strings.ToLower(name):
		r.errorf(image.at, "images are written in small letters; write %s", quote(strings.ToLower(name)))
	case !imageForm.MatchString(name):
		r.errorf(image.at, "%s is not the name of an image; write it with its registry, such as ghcr.io/acme/api",
			quote(name))
	case !strings.HasPrefix(name, promotion.Registry):
		r.errorf(image.at, "%s is not in ghcr.io, and of other registries nobody tells Waybill what is pushed; let CI say "+
			"it: use `reports` instead", quote(name))
	case owner != "" && !strings.HasPrefix(name, promotion.Registry+owner+"/"):
		r.errorf(image.at, "%s does not belong to %s, which owns %s; let CI say what it has made: use `reports` instead",
			quote(name), owner, w.Repo)
	default:
		return true
	}
	return false
}
