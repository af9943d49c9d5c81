package sandbox_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"waybill/handlers"
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

func TestTheReadmeNamesEveryEventThatTheAppNeeds(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for _, event := range handlers.Events() {
		if event == "installation" || event == "installation_repositories" {
			continue // GitHub sends these to every App
		}
		require.Regexp(t, `(?s)- Events:.*\b`+strings.ReplaceAll(event, "_", " ")+`\b.*Generate a private key`,
			string(readme))
	}
}
