package layout_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"waybill/config"
	"waybill/internal/golden"
	"waybill/internal/layout"
	"waybill/internal/story"
	"waybill/internal/story/core"
)

// repository reads a repository from an archive.
func repository(t *testing.T, archive []byte) fs.FS {
	t.Helper()
	all, err := txtar.FS(txtar.Parse(archive))
	require.NoError(t, err)
	return all
}

// choice is what a person who answers nothing chooses.
func choice(found layout.Found, in fs.FS) layout.Choice {
	c := layout.Choice{App: found.Apps[0]}
	if !layout.Builds(in) {
		c.Source = c.App.Source()
		if c.Source == "" {
			c.Source = "acme/api"
		}
	}
	for _, s := range c.App.Stages {
		c.Checks = append(c.Checks, found.Checks(s)...)
	}
	return c
}

// TestEachLayoutIsRecognisedAndItsDraftIsValidAndPlaysToTheEnd compares what is found and drafted with a file beside
// each repository.
func TestEachLayoutIsRecognisedAndItsDraftIsValidAndPlaysToTheEnd(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := os.ReadFile(file)
			require.NoError(t, err)
			in := repository(t, archive)
			found, err := layout.Look(in, nil)
			require.NoError(t, err)
			require.NotEmpty(t, found.Apps)
			c := choice(found, in)
			if strings.HasSuffix(file, "regions.txtar") {
				c.Checks = []layout.Check{{Name: "argocd/${target.name}", Stage: "prod", Status: true}}
			}
			draft, err := found.Draft(t.Context(), c)
			require.NoError(t, err)
			for _, l := range c.App.Layouts {
				seen[l] = true
			}

			_, problems := config.Load(config.Sources{Home: "acme/deploy", Branch: "main",
				Pipeline: []byte(draft.Pipeline), Policy: []byte(draft.Policy)})
			require.Empty(t, problems.String())
			written, err := story.Parse("x.txtar", []byte(draft.Story))
			require.NoError(t, err)
			world, err := core.New(written)
			require.NoError(t, err)
			played, err := story.Run(t.Context(), written, world)
			require.NoError(t, err)
			require.Empty(t, story.Diff(written, played))

			got := "layouts: " + strings.Join(c.App.Layouts, ", ") + "\n"
			for _, s := range found.Left {
				got += "left out: " + s + "\n"
			}
			for _, s := range draft.Marks {
				got += "mark: " + s + "\n"
			}
			for _, s := range draft.Unlike {
				got += "unlike: " + s + "\n"
			}
			golden.Check(t, strings.TrimSuffix(file, ".txtar")+".golden", got+"\n"+draft.Story,
				"go test ./internal/layout -update")
		})
	}
	require.Len(t, seen, len(layout.Names()), "each layout has a repository")
}

// TestWhatHasReportedVerifiesTheStageThatItIsNamedFor has jobs, check runs and statuses.
func TestWhatHasReportedVerifiesTheStageThatItIsNamedFor(t *testing.T) {
	archive, err := os.ReadFile("testdata/helm.txtar")
	require.NoError(t, err)
	found, err := layout.Look(repository(t, archive), nil)
	require.NoError(t, err)
	seen := []layout.Check{
		{Name: "deploy-dev"}, {Name: "test"}, {Name: "argocd/prod", Status: true}, {Name: "argocd/prod-eu-1", Status: true},
	}
	found = found.WithReported(seen)
	require.Equal(t, append(seen, layout.Check{Name: "deploy-staging"}, layout.Check{Name: "deploy-prod"},
		layout.Check{Name: "lint"}), found.Candidates())
	require.True(t, found.Reported(layout.Check{Stage: "prod", Name: "argocd/prod", Status: true}))
	require.False(t, found.Reported(layout.Check{Stage: "prod", Name: "argocd/prod"}))
	require.Equal(t, []layout.Check{{Stage: "dev", Name: "deploy-dev"}}, found.Checks(layout.Stage{Name: "dev"}))
	require.Equal(t, []layout.Check{
		{Stage: "prod", Name: "argocd/prod", Status: true}, {Stage: "prod", Name: "deploy-prod"},
	}, found.Checks(layout.Stage{Name: "prod", Targets: []string{"eu-1", "us-1"}}))
}

// TestReadsNamesEachFileThatIsRead has a repository that opens no other.
func TestReadsNamesEachFileThatIsRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		archive, err := os.ReadFile(file)
		require.NoError(t, err)
		whole := repository(t, archive)
		want, err := layout.Look(whole, nil)
		require.NoError(t, err)
		far := fstest.MapFS{}
		for _, f := range txtar.Parse(archive).Files {
			far[f.Name] = &fstest.MapFile{}
			if layout.Reads(f.Name, len(f.Data)) {
				far[f.Name].Data = f.Data
			}
		}
		have, err := layout.Look(far, nil)
		require.NoError(t, err)
		require.Equal(t, want, have, file)
	}
	for name, reads := range map[string]bool{
		"deploy/dev/values.yaml": true, "dev.tfvars": true, ".github/workflows/ci.yml": true, "Kustomization": true,
		".github/waybill.yml": false, "vendor/dev/values.yaml": false, "charts/api/templates/dev.yaml": false,
		"main.go": false,
	} {
		require.Equal(t, reads, layout.Reads(name, 1), name)
	}
	require.False(t, layout.Reads("dev/values.yaml", 1<<20))
}

func ExampleParseCheck() {
	for _, written := range []string{"smoke", "prod=e2e tests", "dev=status:argocd/api-dev", "prod="} {
		fmt.Println(layout.ParseCheck(written))
	}
	// Output:
	// smoke <nil>
	// prod=e2e tests <nil>
	// dev=status:argocd/api-dev <nil>
	//  "prod=" names no check: write NAME, STAGE=NAME or STAGE=status:NAME
}

func TestThePageOnInitHasEachLayout(t *testing.T) {
	page, err := os.ReadFile("../../docs/init.md")
	require.NoError(t, err)
	for _, name := range layout.Names() {
		require.Contains(t, string(page), "\n| "+name+" | ")
	}
}
