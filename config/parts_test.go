package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/promotion"
)

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
