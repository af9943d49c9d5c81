package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// kindOfChange is a kind of change as users see it: a request in the pipeline file and its result in a file.
type kindOfChange struct {
	asks          string // the keys of the stage
	file          string // the path of the changed file
	before, after string // its content before and after promotion of freight api#1
	key           string // the promoted value, as a person names it
}

// promotes promotes api#1 and then changes the value by hand. The file must have the expected content, nothing else may
// change, and Waybill must report the change by hand.
func (k kindOfChange) promotes(t *testing.T) {
	t.Helper()
	t.Parallel()
	s := newSite(t, `version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
stages:
  dev: {from: api, `+k.asks+`}
-- `+k.file+` --
`+k.before)
	s.do("merge #1 by ann")
	require.Equal(t, []string{"p1 api#1 dev succeeded"}, s.states("dev"))
	require.Equal(t, []string{"Promote api#1 to dev: merged"}, s.ours())
	is, _ := s.github.File(home, "main", k.file)
	require.Equal(t, k.after, is)

	s.do("edit " + k.file + " " + k.key + " hotfix by bob")
	comments := s.told(1)
	require.Len(t, comments, 1)
	require.Contains(t, comments[0].Body, "`"+k.file+" "+k.key+"`")
	require.Contains(t, comments[0].Body, `says "hotfix", promotion 1 wrote "1`)
}

func TestSetChangesOneOfSeveralDocuments(t *testing.T) {
	kindOfChange{
		asks: `set: {api.yaml: {"[kind=Deployment].spec.containers[name=api].tag": "1.${api.number}"}}`,
		file: "api.yaml",
		before: "# the api\nkind: Service\nspec: {port: 80}\n---\nkind: Deployment\nspec:\n  containers:\n  - name: proxy\n" +
			"    tag: '7'\n  - name: api # by hand\n    tag: 'none'\n",
		after: "# the api\nkind: Service\nspec: {port: 80}\n---\nkind: Deployment\nspec:\n  containers:\n  - name: proxy\n" +
			"    tag: '7'\n  - name: api # by hand\n    tag: '1.1'\n",
		key: "[kind=Deployment].spec.containers[name=api].tag",
	}.promotes(t)
}

func TestKustomizeChangesAnImage(t *testing.T) {
	kindOfChange{
		asks: `kustomize: {deploy/kustomization.yaml: {ghcr.io/acme/api: {newTag: "1.${api.number}"}}}`,
		file: "deploy/kustomization.yaml",
		before: "kind: Kustomization\nresources: [../base]\nimages:\n- name: ghcr.io/acme/web\n  newTag: v7\n" +
			"- name: ghcr.io/acme/api # ours\n  newTag: none # promoted\n",
		after: "kind: Kustomization\nresources: [../base]\nimages:\n- name: ghcr.io/acme/web\n  newTag: v7\n" +
			"- name: ghcr.io/acme/api # ours\n  newTag: \"1.1\" # promoted\n",
		key: "images[name=ghcr.io/acme/api].newTag",
	}.promotes(t)
}

func TestHelmChangesTheVersionOfADependency(t *testing.T) {
	kindOfChange{
		asks: `helm: {charts/shop/Chart.yaml: {api: "1.0.${api.number}"}}`,
		file: "charts/shop/Chart.yaml",
		before: "name: shop\nversion: 0.1.0\ndependencies:\n- {name: web, version: 2.0.0}\n- name: api\n" +
			"  version: '1.0.0' # promoted\n",
		after: "name: shop\nversion: 0.1.0\ndependencies:\n- {name: web, version: 2.0.0}\n- name: api\n" +
			"  version: '1.0.1' # promoted\n",
		key: "dependencies[name=api].version",
	}.promotes(t)
}

func TestJSONChangesAValue(t *testing.T) {
	kindOfChange{
		asks: `json: {package.json: {'dependencies."@acme/api"': "1.0.${api.number}"}}`,
		file: "package.json",
		before: "{\n\t\"name\": \"shop\",\n\t\"dependencies\": {\"react\": \"^19\",   \"@acme/api\": \"1.0.0\"},\n" +
			"\t\"files\": []\n}\n",
		after: "{\n\t\"name\": \"shop\",\n\t\"dependencies\": {\"react\": \"^19\",   \"@acme/api\": \"1.0.1\"},\n" +
			"\t\"files\": []\n}\n",
		key: "dependencies.@acme/api",
	}.promotes(t)
}

func TestReplaceChangesAMarkedLine(t *testing.T) {
	kindOfChange{
		asks:   `replace: {infra/dev.tfvars: {image.tag: "1.0.${api.number}"}}`,
		file:   "infra/dev.tfvars",
		before: "region    = \"eu-1\"\nimage_tag = \"1.0.0\" # waybill: image.tag\nnodes     = 3\n",
		after:  "region    = \"eu-1\"\nimage_tag = \"1.0.1\" # waybill: image.tag\nnodes     = 3\n",
		key:    "image.tag",
	}.promotes(t)
}
