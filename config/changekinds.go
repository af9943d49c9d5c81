package config

import (
	"slices"

	"waybill/internal/change"
	"waybill/promotion"
)

// changed are the files that one key of a stage changes, and in each the values.
type changed = found[[]entry[[]entry[string]]]

// changeKind is a key of a stage that changes files.
type changeKind struct {
	kind  promotion.ChangeKind
	form  form[[]entry[[]entry[string]]]
	of    func(*stageFile) *changed
	files []string // the names that files must have; any if empty
	doc   string
}

// changeKinds are all of them, in the order in which they take their turns with a file.
var changeKinds = []changeKind{
	{
		kind: promotion.ChangeYAML, form: table(fileNames, table(valuePaths, scalar("a value"))),
		of:  func(s *stageFile) *changed { return &s.set },
		doc: "The YAML files that a promotion changes, and in each the paths of values and their new values.",
	},
	{
		kind: promotion.ChangeKustomize, form: table(fileNames, imagesForm),
		of:    func(s *stageFile) *changed { return &s.kustomize },
		files: []string{"kustomization.yaml", "kustomization.yml", "Kustomization"},
		doc:   "The kustomizations that a promotion changes, and in each the changes of images, by name.",
	},
	{
		kind: promotion.ChangeHelm, form: table(fileNames, dependenciesForm),
		of:    func(s *stageFile) *changed { return &s.helm },
		files: []string{"Chart.yaml"},
		doc:   "The Chart.yaml files that a promotion changes, and in each the versions of dependencies, by name.",
	},
	{
		kind: promotion.ChangeJSON, form: table(fileNames, table(valuePaths, scalar("a value"))),
		of:  func(s *stageFile) *changed { return &s.json },
		doc: "The JSON files that a promotion changes, and in each the paths of values and their new values.",
	},
	{
		kind: promotion.ChangeReplace, form: table(fileNames, table(valuePaths, scalar("a value"))),
		of: func(s *stageFile) *changed { return &s.replace },
		doc: "The files whose lines a promotion changes, and in each the new values of those that comments such as `# " +
			"waybill: image.tag` mark.",
	},
}

// changeFields are the keys for a stage.
func changeFields() []field[stageFile] {
	var fields []field[stageFile]
	for _, k := range changeKinds {
		fields = append(fields,
			key(string(k.kind), k.form, k.of, k.doc).otherwise("nothing: a stage that changes no file passes freight on"))
	}
	return fields
}

// changes reports whether the file wants a stage to change anything, well or badly.
func (s *stageFile) changes() bool {
	for _, k := range changeKinds {
		if k.of(s).given() {
			return true
		}
	}
	return s.copy.given() || s.branch.given() || s.dispatch.given()
}

// changeOf returns the entry of a stage under the key of a kind.
func (s *stageFile) changeOf(kind promotion.ChangeKind) *changed {
	for _, k := range changeKinds {
		if k.kind == kind {
			return k.of(s)
		}
	}
	return &changed{}
}

var (
	fileNames  = naming{what: "a file", pattern: expressed(`\S`), rule: "it is empty", most: maxNames}
	valuePaths = naming{what: "a value", pattern: expressed(`\S`), rule: "it is empty", most: maxNames}
	chartNames = naming{
		what: "a chart", pattern: expressed(`^[^\s\[\]]+$`), rule: "it is the `name` of a dependency", most: maxNames,
	}
	imageNames = naming{
		what: "an image", pattern: expressed(`^[^\s@\[\]]+$`),
		rule: "it is written as in the kustomization, as in ghcr.io/acme/api", most: maxNames,
	}
)

// imageFile has the changes of one image of a kustomization.
type imageFile struct{ newName, newTag, digest found[string] }

var imagesForm = convert(table(imageNames, object[imageFile]{
	what:  "an image",
	anyOf: []string{"newName", "newTag", "digest"},
	fields: []field[imageFile]{
		key("newName", scalar("the name of an image"), func(i *imageFile) *found[string] { return &i.newName },
			"The name that replaces the image's name.").otherwise("as it is"),
		key("newTag", scalar("a tag"), func(i *imageFile) *found[string] { return &i.newTag },
			"Its tag.").otherwise("as it is"),
		key("digest", scalar("a digest"), func(i *imageFile) *found[string] { return &i.digest },
			"Its digest, which outranks a tag.").otherwise("as it is"),
	},
}.form()), func(images found[[]entry[imageFile]]) []entry[string] {
	var values []entry[string]
	for _, image := range images.value {
		for _, f := range []struct {
			name string
			found[string]
		}{{"newName", image.value.newName}, {"newTag", image.value.newTag}, {"digest", image.value.digest}} {
			if f.given() {
				values = append(values, entry[string]{change.ImageKey(image.name, f.name), f.found})
			}
		}
	}
	return values
})

var dependenciesForm = convert(
	table(chartNames, scalar("a version")), func(charts found[[]entry[string]]) []entry[string] {
		versions := slices.Clone(charts.value)
		for i := range versions {
			versions[i].name = change.DependencyKey(versions[i].name)
		}
		return versions
	},
)
