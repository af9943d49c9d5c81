package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// clustered is a pipeline file whose targets stand in an inventory.
const clustered = `version: 1
warehouses: {api: {pushes: {}}}
stages:
  prod:
    from: api
    targets: {from: inventory/clusters.yaml}
    set: {"${target.path}/v.yaml": {tag: "${api.short}"}}
    rollout: [{name: canary, targets: {ring: canary}}, {name: rest}]
`

func TestValidateReadsInventoriesFromTheFolderOfTheRepository(t *testing.T) {
	const list = "- {name: eu-1, path: c/eu-1, ring: canary}\n- {name: us-1, path: c/us-1, ring: rest}\n"
	for file, root := range map[string]string{
		".github/waybill.yml": "", "a/.github/waybill.yml": "a/", "a/waybill.yml": "a/",
	} {
		code, out, errs := inFolder(t, map[string]string{file: clustered, root + "inventory/clusters.yaml": list}, file)
		require.Zero(t, code, out, errs)
		require.Empty(t, out)
	}
	code, out, _ := inFolder(t, map[string]string{".github/waybill.yml": clustered,
		"inventory/clusters.yaml": list + "- {name: eu-1}\n"}, ".github/waybill.yml")
	require.Equal(t, fileInvalid, code)
	require.Equal(t, `inventory/clusters.yaml:3:3: stages.prod.targets[2]: the target "eu-1" is there already; `+
		"give this one another name (from inventory/clusters.yaml, named at 6:14)\n", out)
	code, out, _ = inFolder(t, map[string]string{".github/waybill.yml": clustered}, ".github/waybill.yml")
	require.Equal(t, fileInvalid, code)
	require.Equal(t, ".github/waybill.yml:6:21: stages.prod.targets.from: there is no file \"inventory/clusters.yaml\" "+
		"in the repository\n", out)

	code, out, _ = inFolder(t, map[string]string{".github/waybill.yml": clustered, "inventory/clusters.yaml": "# none\n"},
		".github/waybill.yml")
	require.Equal(t, fileInvalid, code)
	require.Equal(t, ".github/waybill.yml:6:21: stages.prod.targets.from: inventory/clusters.yaml is empty; "+
		"it must be a list of items\n", out)

	code, out, errs := inFolder(t, map[string]string{".github/waybill.yml": clustered, "inventory/clusters.yaml": list},
		"--expand", ".github/waybill.yml")
	require.Zero(t, code, errs)
	require.Contains(t, out, "name: us-1")
	require.NotContains(t, out, "inventory/")
	require.NoError(t, os.WriteFile("expanded.yml", []byte(out), 0o644))
	require.NoError(t, (validation{}).checkAll([]string{"expanded.yml"}))
}

func TestValidateReadsNoInventoryOutsideTheRepository(t *testing.T) {
	code, out, _ := inFolder(t, map[string]string{"repo/.github/waybill.yml": clustered, "secret": "- {name: eu-1}\n"},
		"repo/.github/waybill.yml")
	require.Equal(t, fileInvalid, code, out)
	require.NoError(t, os.Mkdir("repo/inventory", 0o755))
	require.NoError(t, os.Symlink("../../secret", "repo/inventory/clusters.yaml"))
	require.Empty(t, inventoriesOf("repo/.github/waybill.yml", []byte(clustered)))
}
