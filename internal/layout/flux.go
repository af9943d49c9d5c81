package layout

import "waybill/promotion"

// flux is a HelmRelease or a Kustomization of Flux that says which version it deploys.
type flux struct{}

// Versions implements Layout.
func (flux) Versions(f File) (found []Version) {
	for _, o := range f.objects() {
		switch {
		case o.group == "helm.toolkit.fluxcd.io" && o.kind == "HelmRelease":
			found = append(found, released(o)...)
		case o.group == "kustomize.toolkit.fluxcd.io" && o.kind == "Kustomization":
			found = append(found, overlaid(o)...)
		}
	}
	return found
}

// released returns the images in the values of a HelmRelease, or else the version of its chart.
func released(o object) []Version {
	found := images(at(o.Node, "spec", "values"), o.below("spec", "values"))
	version := at(o.Node, "spec", "chart", "spec", "version")
	if len(found) == 0 && isVersion(text(version)) {
		found = []Version{{
			Kind: promotion.ChangeYAML, Key: o.below("spec", "chart", "spec", "version").String(), Text: text(version),
			App: text(at(o.Node, "spec", "chart", "spec", "chart")),
		}}
	}
	for i := range found {
		found[i].Object = o.name
	}
	return found
}

// overlaid returns the images that a Kustomization of Flux sets.
func overlaid(o object) (found []Version) {
	for _, one := range elements(at(o.Node, "spec", "images")) {
		name, tag := text(child(one, "name")), text(child(one, "newTag"))
		pinned := child(one, "digest") != nil
		if name == "" || tag == "" && !pinned {
			continue
		}
		found = append(found, Version{
			Kind: promotion.ChangeYAML, Key: byName(o.below("spec", "images"), name, "newTag"), Text: tag, Image: name,
			App: appOf(name), Object: o.name, Pinned: pinned,
		})
	}
	return found
}
