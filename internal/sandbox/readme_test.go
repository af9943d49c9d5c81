package sandbox_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

func TestTheReadmeExplainsThePipelineFileOfTheSandbox(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	acme, err := txtar.ParseFile("acme.txtar")
	require.NoError(t, err)
	for _, f := range acme.Files {
		if f.Name == "acme/deploy/.github/waybill.yml" {
			require.Contains(t, string(readme), "```yaml\n"+string(f.Data)+"```\n")
			return
		}
	}
	t.Fatal("the sandbox has no pipeline file")
}
