package story_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/internal/story/core"
)

func TestTheStoryInTheDocumentationHappensAsWritten(t *testing.T) {
	doc, err := os.ReadFile("../../docs/stories.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(doc), "```\n")
	require.True(t, found)
	text, _, _ := strings.Cut(rest, "```")
	s := parse(t, text)
	world, err := core.New(s)
	require.NoError(t, err)
	played, err := story.Run(context.Background(), s, world)
	require.NoError(t, err)
	require.Empty(t, story.Diff(s, played))
}
