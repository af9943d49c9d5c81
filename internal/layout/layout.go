package layout

import "waybill/promotion"

// Layout is one way to say what runs where.
type Layout interface {
	// Versions returns the places in a file that hold the version of an application; none if the file is not of this
	// layout.
	Versions(f File) []Version
}

// layouts are all that are recognised, with what people call them. The first that finds something in a file has it.
var layouts = []struct {
	name   string
	layout Layout
	looks  string // what it looks for, for a person whose repository is not recognised
}{
	{"Kustomize overlays", kustomize{}, "a kustomization.yaml with `images` that have a newTag, in a folder of an " +
		"environment (overlays/dev/kustomization.yaml)"},
	{"Argo CD Applications", argoCD{}, "an Application of argoproj.io with a version in it: of a chart, of Helm " +
		"values or parameters, of Kustomize images, or a tag of Git (apps/api-dev.yaml)"},
	{"Flux", flux{}, "a HelmRelease with an image or the version of a chart, or a Kustomization with `images` " +
		"(apps/dev/api.yaml)"},
	{"Helm values", helm{}, "values with an image that has a tag (deploy/dev/values.yaml, values-dev.yaml)"},
	{"Kubernetes manifests", manifests{}, "a Deployment or other workload whose containers have an image with a tag " +
		"(dev/deployment.yaml)"},
	{"Terraform", terraform{}, "variables such as image_tag or api_version (infra/dev/release.tfvars, " +
		"infra/dev/release.auto.tfvars.json)"},
}

// Version is a place in a file that holds the version of an application.
type Version struct {
	Kind   promotion.ChangeKind
	Key    string // the path of the value, the name of the image of a kustomization, or the name of a marked line
	Before string // the text in front of the version in that place: `ghcr.io/acme/api:`
	Text   string // the version that stands there
	Image  string // the image that it is a version of; empty: not known
	App    string // a name for the application; empty: not known
	Object string // the name of the object that it belongs to, which may name an environment; empty: none
	Mark   int    // the line that needs a comment to be found; 0: none does
	Pinned bool   // a digest stands there, or beside it, which outranks a tag: nothing can be promoted
}

// Names returns what people call the layouts that are recognised.
func Names() (all []string) {
	for _, l := range layouts {
		all = append(all, l.name)
	}
	return all
}

// Looks returns what is looked for, a line for each layout.
func Looks() (all []string) {
	for _, l := range layouts {
		all = append(all, l.name+": "+l.looks)
	}
	return all
}
