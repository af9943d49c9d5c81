package sandbox_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

func TestThePageOnThePipelineFileExplainsThatOfTheSandbox(t *testing.T) {
	page, err := os.ReadFile("../../docs/pipeline.md")
	require.NoError(t, err)
	acme, err := txtar.ParseFile("acme.txtar")
	require.NoError(t, err)
	for _, f := range acme.Files {
		if f.Name == "acme/deploy/.github/waybill.yml" {
			require.Contains(t, string(page), "```yaml\n"+string(f.Data)+"```\n")
			return
		}
	}
	t.Fatal("the sandbox has no pipeline file")
}
