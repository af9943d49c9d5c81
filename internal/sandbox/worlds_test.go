package sandbox_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/sandbox"
	"waybill/internal/story"
	"waybill/internal/story/core"
	"waybill/internal/story/play"
)

// everything is the beginning of a story in which every happening of the documentation can be written.
const everything = `-- .github/waybill.yml --
version: 1
warehouses:
  api: {pull-requests: {branch: main, paths: [src/**]}}
  web: {releases: {repo: acme/web}}
  cli: {reports: {}}
stages:
  dev: {from: api, set: {dev.yaml: {image.tag: "${api.short}"}}, merge: manual, verify: [smoke]}
  prod:
    from: api
    after: dev
    targets: [{name: eu-1, path: eu}, {name: us-1, path: us}]
    set: {"${target.path}.yaml": {tag: "${api.short}"}}
    rollout: [{name: all}]
    ready: [{environment: "${target.name}"}]
-- waybill.yml --
version: 1
warehouses: {api: {pull-requests: {}}}
stages: {dev: {from: api, set: {dev.yaml: {image.tag: "${api.short}"}}}}
-- story --
> merge #142 by ann
> `

// happeningRow and happeningSpan find the happenings in the documentation, and those that it says are refused.
var (
	happeningRow  = regexp.MustCompile("(?m)^\\| (`.*`) \\| (.*) \\|$")
	happeningSpan = regexp.MustCompile("`([^`]*)`")
)

// TestEveryHappeningPlaysInBothWorldsOrIsRefusedByName tries each happening of docs/stories.md in the core and on the
// whole program. A world plays it, or reports that it cannot happen in this story, unless the documentation says that
// it is refused.
func TestEveryHappeningPlaysInBothWorldsOrIsRefusedByName(t *testing.T) {
	doc, err := os.ReadFile("../../docs/stories.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(doc), "| happening | meaning |")
	table, _, _ = strings.Cut(table, "| place or name | meaning |")
	tried := 0
	for _, r := range happeningRow.FindAllStringSubmatch(table, -1) {
		for _, span := range happeningSpan.FindAllStringSubmatch(r[1], -1) {
			tried++
			tries(t, span[1], strings.Contains(r[2], "refused by name"))
		}
	}
	require.Greater(t, tried, 40)
	for _, effect := range []string{"open", "merge", "commit", "dispatch", "close", "observe", "tell", "reply"} {
		tries(t, "crash before "+effect, false)
		tries(t, "crash after "+effect, false)
		tries(t, "github fails "+effect+" 502", false)
	}
}

// tries plays a happening in both worlds.
func tries(t *testing.T, happening string, refused bool) {
	t.Run(strings.ReplaceAll(happening, "#", ""), func(t *testing.T) { // a database's path must not contain it
		t.Parallel()
		s, err := story.Parse("everything", []byte(everything+happening+"\n"))
		require.NoError(t, err)
		for name, err := range both(t, s, func(story.Story) {}) {
			var no play.Refused
			require.Equal(t, refused, errors.As(err, &no), "%s: %v", name, err)
		}
	})
}

// both plays a story in both worlds and returns the errors.
func both(t *testing.T, s story.Story, look func(played story.Story)) map[string]error {
	t.Helper()
	whole, err := sandbox.NewQuietWorld(context.Background(), s, t.TempDir(), func(violation error) { t.Error(violation) })
	require.NoError(t, err)
	defer func() { require.NoError(t, whole.Close()) }()
	alone, err := core.New(s)
	require.NoError(t, err)
	errs := map[string]error{}
	for name, w := range map[string]story.World{"the whole program": whole, "the core": alone} {
		played, err := story.Run(context.Background(), s, w)
		errs[name] = err
		look(played)
	}
	return errs
}

// TestARegularResyncFindsWhatWasLostR1R2 in both worlds, though not in the same minute.
func TestARegularResyncFindsWhatWasLostR1R2(t *testing.T) {
	t.Parallel()
	script, _, _ := strings.Cut(everything, "> merge")
	s, err := story.Parse("lost", []byte(script+"> lose webhooks\n> merge #1 by ann\n> wait 10h\n"))
	require.NoError(t, err)
	errs := both(t, s, func(played story.Story) {
		require.Empty(t, played.Steps[1].Outcomes)
		found := played.Steps[2].Outcomes
		require.Len(t, found, 1)
		require.Equal(t, "api#1", found[0].Freight)
		require.Equal(t, "waiting-for-merge", found[0].Acts[len(found[0].Acts)-1].Word)
	})
	for name, err := range errs {
		require.NoError(t, err, name)
	}
}
