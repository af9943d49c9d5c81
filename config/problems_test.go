package config_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"waybill/config"
)

var update = flag.Bool("update", false,
	"write what is found into testdata; review the difference as a change of behaviour")

// TestEveryMistakeIsReportedWithItsPlaceAndRemedy loads the files of the archives in testdata, each NAME.yml with its
// NAME.policy.yml if there is one, and compares the problems with the archive's file `problems`.
func TestEveryMistakeIsReportedWithItsPlaceAndRemedy(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			files := make(map[string][]byte)
			for _, f := range archive.Files {
				files[f.Name] = f.Data
			}
			var found strings.Builder
			for _, f := range archive.Files {
				if stem, is := strings.CutSuffix(f.Name, ".yml"); is && !strings.HasSuffix(stem, ".policy") &&
					config.PartOf(f.Name) == "" {
					found.WriteString(problems(t, files, foundIn(archive.Files), stem))
				}
			}
			if *update {
				write(t, name, archive, found.String())
				return
			}
			require.Equal(t, string(files["problems"]), found.String())
		})
	}
}

// foundIn returns the inventories and parts in an archive.
func foundIn(archive []txtar.File) config.Found {
	found := config.Found{Inventories: inventoriesOf(archive), Parts: map[string]string{}}
	for _, f := range archive {
		if config.PartOf(f.Name) != "" {
			found.Parts[f.Name] = string(f.Data)
		}
	}
	return found
}

// inventoriesOf returns the files of an archive that are inventories, by their names.
func inventoriesOf(archive []txtar.File) map[string]string {
	all := map[string]string{}
	for _, f := range archive {
		if strings.HasSuffix(f.Name, ".yaml") || strings.HasSuffix(f.Name, ".json") {
			all[f.Name] = string(f.Data)
		}
	}
	return all
}

func problems(t *testing.T, files map[string][]byte, found config.Found, stem string) string {
	pipeline, problems := config.Load(config.Sources{
		Home:         "acme/deploy",
		Branch:       "main",
		PipelineName: stem + ".yml",
		Pipeline:     files[stem+".yml"],
		PolicyName:   stem + ".policy.yml",
		Policy:       files[stem+".policy.yml"],
		Found:        found,
	})
	require.Equal(t, pipeline == nil, len(problems.Errors()) > 0)
	if len(problems) == 0 {
		return stem + ".yml: valid\n"
	}
	return problems.String() + "\n"
}

func write(t *testing.T, name string, archive *txtar.Archive, found string) {
	var files []txtar.File
	for _, f := range archive.Files {
		if f.Name != "problems" {
			files = append(files, f)
		}
	}
	archive.Files = append(files, txtar.File{Name: "problems", Data: []byte(found)})
	require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o644))
}
