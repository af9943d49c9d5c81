package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/spent"
)

const ofInventories = `version: 1
for-each: {service: {from: services.json}}
warehouses:
  "${service}": {pull-requests: {paths: ["${service}/**"]}}
stages:
  "${service}-prod":
    from: "${service}"
    targets: {from: clusters.yaml}
    set: {"${target.path}/${service}.yaml": {tag: "${${service}.short}", region: "${target.labels.region}"}}
    rollout: [{name: canary, targets: {ring: "0"}}, {name: rest}]
`

// inInventories has the lists that ofInventories names.
func inInventories() config.Found {
	return config.Found{Inventories: map[string]string{
		"services.json": `["cart", {"name": "search", "team": "find"}]`,
		"clusters.yaml": "- &eu {name: eu-1, path: c/eu-1, ring: 0, region: eu}\n" +
			"- {name: us-1, path: c/us-1, ring: 1, region: us}\n",
	}}
}

func TestListsOfInventoriesStandInTheirPlaces(t *testing.T) {
	require.Equal(t, []string{"services.json", "clusters.yaml"}, config.Inventories([]byte(ofInventories), nil))
	p, problems := config.Load(config.Sources{Pipeline: []byte(ofInventories), Found: inInventories()})
	require.Empty(t, problems)
	require.Len(t, p.Stages, 2)
	require.Equal(t, []string{"services.json", "clusters.yaml"}, p.Inventories)
	search := p.Stages[1]
	require.Equal(t, "search-prod", string(search.Name))
	require.Equal(t, "c/us-1/search.yaml", search.Targets[1].Changes[0].Path)
	require.Equal(t, "canary", search.Strategy.Batches[0].Name)
	require.Equal(t, "eu-1", string(search.Strategy.Batches[0].Targets[0]))

	text, problems := config.Expand("waybill.yml", []byte(ofInventories), inInventories().Inventories)
	require.Empty(t, problems)
	require.NotContains(t, string(text), "for-each")
	require.Contains(t, string(text), "region: us")
	written, problems := config.Load(config.Sources{Pipeline: text})
	require.Empty(t, problems, string(text))
	written.Inventories = p.Inventories
	require.Equal(t, p, written)
	_, problems = config.Expand("waybill.yml", []byte(ofInventories), nil)
	require.EqualError(t, problems.Err(),
		`waybill.yml:2:28: for-each.service.from: there is no file "services.json" in the repository`)
}

func TestAGlobMayBeMadeOfTheItemsOfAnInventory(t *testing.T) {
	file := []byte(strings.ReplaceAll(ofInventories, "{from: clusters.yaml}", `"${service}/*/"`))
	globs := config.Globs(&config.Meter{}, file, inInventories())
	require.Len(t, globs, 2)
	require.Equal(t, "search/*/", globs[1].Text)
}

func TestInventoriesAreBounded(t *testing.T) {
	named := func(n int) (file string, found config.Found) {
		found.Inventories = map[string]string{}
		file = pulls + "for-each:\n"
		for i := range n {
			path := fmt.Sprintf("i%d.yaml", i)
			file += fmt.Sprintf("  l%d: {from: %s}\n", i, path)
			found.Inventories[path] = fmt.Sprintf("[a%d]", i)
		}
		return file + "stages: {a: {from: w, set: {f: {a: b}}}}\n", found
	}
	file, found := named(11)
	require.Len(t, config.Inventories([]byte(file), nil), 10)
	_, problems := config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(file), Found: found})
	require.ErrorContains(t, problems.Err(), "for-each.l10.from: 10 other inventories are named before; use fewer")
	file, found = named(3)
	for path := range found.Inventories {
		found.Inventories[path] = "- a\n" + strings.Repeat("#", 400<<10)
	}
	_, problems = config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(file), Found: found})
	require.ErrorContains(t, problems.Err(), "the inventories have more than 1048576 bytes together")
	_, problems = config.Load(config.Sources{PipelineName: "f", Pipeline: []byte(ofInventories),
		Found: config.Found{Inventories: map[string]string{"services.json": "[a]",
			"clusters.yaml": strings.Repeat("- {name: x}\n", 1001)}}})
	require.ErrorContains(t, problems.Err(), "lists 1001 targets; at most 1000 are read")
}

// TestInventoriesAreNotReadEndlessly has aliases of one large mapping wherever an inventory may be named, and one large
// inventory in all stages.
func TestInventoriesAreNotReadEndlessly(t *testing.T) {
	wide := "{" + strings.Join(paths(3_000, "k%d: 1\n"), ", ") + "}"
	for name, file := range map[string]string{
		"lists":     "for-each:\n  l: &x " + wide + "\n" + many(3_000, "  l%d: *x\n"),
		"targets":   "stages:\n  s: {targets: &x " + wide + "}\n" + many(3_000, "  s%d: {targets: *x}\n"),
		"inventory": pulls + "stages:\n" + many(500, "  s%d: {from: w, targets: {from: i.yaml}, set: {f: {a: b}}}\n"),
	} {
		t.Run(name, func(t *testing.T) {
			inventory := many(1_000, "- {name: a%d, b: [c]}\n")
			var problems config.Problems
			spent.Bound{Base: 64 << 20, PerByte: 4 << 10}.Check(t, len(file)+len(inventory), func() {
				config.Inventories([]byte(file), nil)
				_, problems = config.Load(config.Sources{Pipeline: []byte(file), Found: config.Found{
					Inventories: map[string]string{"i.yaml": inventory}}})
			})
			require.Error(t, problems.Err())
		})
	}
}
