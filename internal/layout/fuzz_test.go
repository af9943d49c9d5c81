package layout_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"waybill/config"
	"waybill/internal/layout"
	"waybill/internal/spent"
)

// FuzzWhatIsDraftedIsValid looks at repositories with one file of any contents for two environments, under a name that
// each layout knows.
func FuzzWhatIsDraftedIsValid(f *testing.F) {
	names := []string{"values.yaml", "kustomization.yaml", "x.tfvars", "x.tfvars.json"}
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		archive, err := os.ReadFile(file)
		require.NoError(f, err)
		for _, one := range txtar.Parse(archive).Files {
			for i := range names {
				f.Add(uint8(i), one.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, name uint8, data []byte) {
		file := names[int(name)%len(names)]
		files := fstest.MapFS{
			"dev/" + file: {Data: data}, "prod/eu/" + file: {Data: data}, "prod/us/" + file: {Data: data},
		}
		var found layout.Found
		var err error
		spent.Bound{Base: 4 << 20, PerByte: 16 << 10}.Check(t, len(data), func() { found, err = layout.Look(files, nil) })
		require.NoError(t, err)
		for _, app := range found.Apps {
			draft, err := found.Draft(t.Context(), layout.Choice{App: app, Source: "acme/api"})
			if err != nil {
				continue // it says why, and nothing is written
			}
			_, problems := config.Load(config.Sources{Home: "acme/deploy", Branch: "main",
				Pipeline: []byte(draft.Pipeline), Policy: []byte(draft.Policy)})
			require.NoError(t, problems.Err())
		}
	})
}
