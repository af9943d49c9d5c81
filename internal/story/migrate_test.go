package story_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/config"
	"waybill/internal/story"
	"waybill/internal/story/core"
)

var (
	// shownFile matches a file on a page: its path, at the beginning of at most two lines, and its contents.
	shownFile = regexp.MustCompile("(?sm)^`([^`\n]+/[^`\n]+)`[^\n]*(?:\n[^\n]+)?:\n\n```yaml\n(.*?)^```")
	// shownStory matches a story on a page.
	shownStory = regexp.MustCompile("(?s)\nWhat happens:\n\n```\n(.*?)```")
)

// TestThePipelinesOnThePageOnOtherToolsAreValidAndPlay holds docs/migrate.md true: each pipeline is valid without a
// warning, and the story below it happens as it is written there.
func TestThePipelinesOnThePageOnOtherToolsAreValidAndPlay(t *testing.T) {
	page, err := os.ReadFile("../../docs/migrate.md")
	require.NoError(t, err)
	sections := strings.Split(string(page), "\n## ")[1:]
	require.Len(t, sections, 4)
	for _, section := range sections {
		title, _, _ := strings.Cut(section, "\n")
		t.Run(title, func(t *testing.T) {
			archive, files := "", map[string]string{}
			for _, m := range shownFile.FindAllStringSubmatch(section, -1) {
				files[m[1]] = m[2]
				archive += "-- " + m[1] + " --\n" + m[2]
			}
			require.Len(t, files, strings.Count(section, "```yaml\n"), "each block is a file")
			_, problems := config.Load(config.Sources{
				Home: story.Home, Branch: story.Branch, Pipeline: []byte(files[config.PipelinePath]),
			})
			require.Empty(t, problems.String())
			told := shownStory.FindStringSubmatch(section)
			require.NotNil(t, told, "there is a story")
			written, err := story.Parse(title, []byte(archive+"-- story --\n"+told[1]))
			require.NoError(t, err)
			world, err := core.New(written)
			require.NoError(t, err)
			played, err := story.Run(t.Context(), written, world)
			require.NoError(t, err)
			require.Empty(t, story.Diff(written, played))
		})
	}
}
