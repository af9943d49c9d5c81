package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/spent"
	"waybill/promotion"
)

// TestTooManyPartsAreRefused as such, and those that can be read are read.
func TestTooManyPartsAreRefused(t *testing.T) {
	parts := map[string]string{}
	for i := range 501 {
		parts[fmt.Sprintf(".github/waybill/p%d.yml", i)] = "version: 1\nstages: {dev: {from: app}}\n"
	}
	const warehouse = "version: 1\nwarehouses: {app: {pushes: {}}}\n"
	_, problems := config.Load(config.Sources{Pipeline: []byte(warehouse), Found: config.Found{Parts: parts}})
	require.Equal(t, ".github/waybill.yml:1:1: there are 501 files in .github/waybill; at most 500 are read",
		problems.Errors().String())
	delete(parts, ".github/waybill/p500.yml")
	p, problems := config.Load(config.Sources{Pipeline: []byte(warehouse), Found: config.Found{Parts: parts}})
	require.NoError(t, problems.Err())
	require.Len(t, p.Stages, 500)
}

// TestPartsAreNotReadEndlessly has in each of many parts aliases that stand for many items.
func TestPartsAreNotReadEndlessly(t *testing.T) {
	labels := "{name: x, " + strings.Join(paths(19, "l%d: y\n"), ", ") + "}"
	part := "version: 1\nfor-each:\n  a: [&x " + labels + strings.Repeat(", *x", 4_999) + "]\n"
	parts := map[string]string{}
	for i := range 100 {
		parts[fmt.Sprintf(".github/waybill/p%d.yml", i)] = part
	}
	var problems config.Problems
	spent.Bound{Base: 64 << 20, PerByte: 4 << 10}.Check(t, len(parts)*len(part), func() {
		_, problems = config.Load(config.Sources{
			Found: config.Found{Parts: parts}, Meter: &config.Meter{Budget: config.Proposed},
		})
	})
	require.Contains(t, problems.String(), "the file says too much: at most 100000 values are read")
}

// TestAPartMeansItsOwnByShortNames and everybody else calls it by the name of the part, too.
func TestAPartMeansItsOwnByShortNames(t *testing.T) {
	p, problems := config.Load(config.Sources{
		Home: "acme/deploy", Branch: "main",
		Pipeline: []byte(`version: 1
warehouses:
  app: {pushes: {paths: [base/**]}}
stages:
  dev: {from: app, set: {deploy/base.yaml: {tag: "${app.short}", stage: "${stage}"}}}
`),
		Policy: []byte("version: 1\nautomatic: [checkout-*]\n"),
		Found: config.Found{Parts: map[string]string{
			".github/waybill/checkout.yml": `version: 1
for-each: {region: [eu, us]}
warehouses:
  app: {pull-requests: {paths: [checkout/**]}}
stages:
  dev:
    from: app
    set: {"deploy/checkout/${stage}.yaml": {tag: "${app.short}", stage: "${stage}"}}
    copy: {deploy/checkout/files: {from: checkout/files, warehouse: app}}
  "prod-${region}":
    from: {app: {after: dev}}
    copy: {"deploy/checkout/${stage}": {from: deploy/checkout/files, stage: dev}}
  both: {from: app, after: {all: [prod-eu, search-prod]}}
`,
			".github/waybill/search.yaml": `version: 1
stages:
  prod: {from: checkout-app, set: {deploy/search/prod.yaml: {tag: "${checkout-app.short}"}}}
  last: {from: app, after: dev, set: {deploy/search/last.yaml: {tag: "${app.short}"}}}
`,
		}},
	})
	require.Empty(t, problems)
	var names []promotion.StageName
	automatic := map[promotion.StageName]bool{}
	for _, s := range p.Stages {
		names = append(names, s.Name)
		automatic[s.Name] = s.Policy.Automatic
	}
	require.Equal(t, []promotion.StageName{"dev", "checkout-dev", "checkout-prod-eu", "checkout-prod-us", "checkout-both",
		"search-prod", "search-last"}, names)
	require.True(t, automatic["checkout-dev"])
	require.False(t, automatic["dev"])

	from := func(stage promotion.StageName) (w promotion.WarehouseName, after []promotion.StageName) {
		one := p.Stage(stage).From[0]
		if one.After != nil {
			for _, up := range one.After.Of {
				after = append(after, up.Name)
			}
		}
		return one.Warehouse, after
	}
	warehouse, after := from("checkout-prod-eu")
	require.Equal(t, promotion.WarehouseName("checkout-app"), warehouse)
	require.Equal(t, []promotion.StageName{"checkout-dev"}, after)
	_, after = from("checkout-both")
	require.Equal(t, []promotion.StageName{"checkout-prod-eu", "search-prod"}, after)
	warehouse, after = from("search-last")
	require.Equal(t, promotion.WarehouseName("app"), warehouse, "what the part does not have the pipeline file has")
	require.Equal(t, []promotion.StageName{"dev"}, after)

	dev := p.Stage("checkout-dev")
	require.Equal(t, "deploy/checkout/dev.yaml", dev.Changes()[0].Path, "${stage} is what the part calls it")
	require.Equal(t, []string{"checkout-app.short"}, dev.Changes()[0].Set[0].Value.References())
	require.Empty(t, dev.Changes()[0].Set[1].Value.References())
	require.Equal(t, promotion.WarehouseName("checkout-app"), dev.Copies()[0].Warehouse)
	require.Equal(t, promotion.StageName("checkout-dev"), p.Stage("checkout-prod-us").Copies()[0].Stage)
	require.Equal(t, []string{"stage"}, p.Stage("dev").Changes()[0].Set[1].Value.References())
}
