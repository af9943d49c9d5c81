package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/sandbox"
	"waybill/internal/story"
)

const recipes = "../../docs/recipes"

var (
	// shown matches a file on a page: a line whose first code span is its path, and its contents.
	shown = regexp.MustCompile("(?sm)^[^\n`]*`([^`\n]+/[^`\n]+)`[^\n]*:\n\n```[a-z]*\n(.*?)^```")
	// happens matches the story at the end of a page.
	happens = regexp.MustCompile("(?s)\n## What happens\n.*?```\n(.*?)```")
)

// recipe is the files and the story of one page of docs/recipes.
type recipe struct {
	files   map[string]string // by path
	playing story.Story
}

func readRecipe(t *testing.T, page string) recipe {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	r := recipe{files: map[string]string{}}
	archive := filepath.Base(page) + "\n"
	for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
		r.files[m[1]] = m[2]
		if !strings.HasPrefix(m[1], "acme/") { // the prefix marks a file of another repository
			archive += fmt.Sprintf("-- %s --\n%s", m[1], m[2])
		}
	}
	told := happens.FindStringSubmatch(string(text))
	require.NotNil(t, told, "there is a story")
	r.playing, err = story.Parse(page, []byte(archive+"-- story --\n"+told[1]))
	require.NoError(t, err)
	return r
}

// TestEveryRecipeHappensAsItsPageTells plays the story of each page on the whole program, with the pipeline, the policy
// and the files that the page shows.
func TestEveryRecipeHappensAsItsPageTells(t *testing.T) {
	pages, err := filepath.Glob(recipes + "/*.md")
	require.NoError(t, err)
	index, err := os.ReadFile(recipes + "/README.md")
	require.NoError(t, err)
	played := 0
	for _, page := range pages {
		name := filepath.Base(page)
		if name == "README.md" {
			continue
		}
		played++
		t.Run(name, func(t *testing.T) {
			require.Contains(t, string(index), "]("+name+")")
			r := readRecipe(t, page)
			for _, path := range []string{config.PipelinePath, config.PolicyPath} {
				require.Contains(t, r.files, path)
			}
			require.Empty(t, problemsOf(r))
			if strings.Contains(r.files[config.PipelinePath], "repo: acme/api") {
				allowed, problems := config.Allowed(config.PipelinePath, []byte(r.files["acme/api/"+config.PipelinePath]))
				require.Empty(t, problems)
				require.Contains(t, allowed, story.Home, "the application's repository agrees")
			}
			require.Greater(t, len(r.files), 2, "it shows what is promoted")
			playsAsWritten(t, r.playing, func(w *sandbox.World) story.World { return w })
		})
	}
	require.GreaterOrEqual(t, played, 5)
}

// problemsOf returns the mistakes and warnings in the files of a page.
func problemsOf(r recipe) string {
	found := config.Found{Inventories: r.files, Parts: map[string]string{}}
	for path, text := range r.files {
		if config.PartOf(path) != "" {
			found.Parts[path] = text
		}
	}
	_, problems := config.Load(config.Sources{
		Home: story.Home, Branch: story.Branch, PipelineName: config.PipelinePath, PolicyName: config.PolicyPath,
		Pipeline: []byte(r.files[config.PipelinePath]), Policy: []byte(r.files[config.PolicyPath]), Found: found,
	})
	return problems.String()
}
