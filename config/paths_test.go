package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
)

// TestNoKindOfChangeReachesWhatGuardsTheRepositoryT24 puts each protected path under every key that changes files.
func TestNoKindOfChangeReachesWhatGuardsTheRepositoryT24(t *testing.T) {
	kinds := map[string]struct{ name, value string }{
		"set":       {"values.yaml", "{a: b}"},
		"kustomize": {"kustomization.yaml", "{api: {newTag: v1}}"},
		"helm":      {"Chart.yaml", "{api: 1.0.0}"},
		"json":      {"app.json", "{a: b}"},
		"replace":   {"app.env", "{a: b}"},
		"copy":      {"folder", "{from: k8s, warehouse: api}"},
	}
	refused := []string{
		"/%s", "/etc/%s", "../%s", "a/../../%s", "..", ".", ".git/%s", ".GIT/hooks/%s", "sub/.git/%s", ".github/%s",
		".GitHub/workflows/%s", "a/../.github/%s", ".github/waybill.yml", ".github/waybill.policy.yml", ".github/CODEOWNERS",
		"CODEOWNERS", "docs/codeowners", ".gitmodules", "sub/.gitattributes", `a\\%s`, "*/%s", "a\u202e/%s",
	}
	for kind, k := range kinds {
		for _, path := range refused {
			path = strings.ReplaceAll(path, "%s", k.name)
			file := fmt.Sprintf("version: 1\nwarehouses: {api: {pull-requests: {repo: acme/api}}}\nstages:\n"+
				"  dev: {from: api, %s: {\"%s\": %s}}\n", kind, path, k.value)
			p, problems := config.Load(config.Sources{Home: "acme/deploy", Branch: "main", Pipeline: []byte(file)})
			require.Nil(t, p, file)
			require.Len(t, problems.Errors(), 1, file)
			require.Equal(t, 4, problems.Errors()[0].Line)
			require.Contains(t, problems.Errors()[0].Message, "; name a f", "%s: the message has a remedy", file)
		}
	}
}
