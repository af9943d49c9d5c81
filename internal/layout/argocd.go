package layout

import (
	"strings"

	"waybill/internal/keypath"
	"waybill/promotion"
)

// argoCD is an Application that says which version Argo CD deploys. One that only points to a folder says nothing of
// it: the folder does.
type argoCD struct{}

// Versions implements Layout.
func (argoCD) Versions(f File) (found []Version) {
	for _, o := range f.objects() {
		if o.group != "argoproj.io" || o.kind != "Application" {
			continue
		}
		for _, v := range inSource(o) {
			v.Kind, v.Object = promotion.ChangeYAML, o.name
			found = append(found, v)
		}
	}
	return found
}

// inSource returns the versions in the source of an Application: of its images, or else of its chart or its Git tag.
func inSource(o object) (found []Version) {
	source := at(o.Node, "spec", "source")
	found = images(at(source, "helm", "valuesObject"), o.below("spec", "source", "helm", "valuesObject"))
	for _, one := range elements(at(source, "helm", "parameters")) {
		name, value := text(child(one, "name")), text(child(one, "value"))
		if app, is := strings.CutSuffix(name, "image.tag"); is && value != "" {
			found = append(found, Version{Text: value, App: strings.TrimSuffix(app, "."),
				Key: byName(o.below("spec", "source", "helm", "parameters"), name, "value")})
		}
	}
	for i, one := range elements(at(source, "kustomize", "images")) {
		name, pinned := text(one), ""
		if before, after, renames := strings.Cut(name, "="); renames {
			pinned, name = before+"=", after
		}
		if v, is := tagged(name); is {
			v.Before = pinned + v.Before
			v.Key = append(o.below("spec", "source", "kustomize", "images"),
				keypath.Step{Kind: keypath.ByIndex, Index: i}).String()
			found = append(found, v)
		}
	}
	revision := text(child(source, "targetRevision"))
	if len(found) > 0 || !isVersion(revision) {
		return found
	}
	return []Version{{
		Key: o.below("spec", "source", "targetRevision").String(), Text: revision, App: text(child(source, "chart")),
	}}
}

// byName is the path of a key of the element of a list that has a name.
func byName(list keypath.Path, name, key string) string {
	return join(append(join(list), keypath.Step{Kind: keypath.ByMatch, Where: []string{"name"}, Is: name}), key).String()
}
