package story_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/story"
	"waybill/internal/story/core"
	"waybill/promotion"
)

const warehouses = "version: 1\nwarehouses:\n  api: {pull-requests: {branch: main, paths: [src/**]}}\nstages:\n"

func parse(t *testing.T, text string) story.Story {
	t.Helper()
	s, err := story.Parse("x", []byte(text))
	require.NoError(t, err)
	return s
}

func TestAFileThatAStageChangesAndTheArchiveLacksHasNoneAtEachPath(t *testing.T) {
	s := parse(t, "-- .github/waybill.yml --\n"+warehouses+
		"  dev: {from: api, set: {dev.yaml: {image.tag: \"${api.short}\", \"args[0]\": \"${api.name}\"}}}\n-- story --\n")
	scene, err := s.Scene()
	require.NoError(t, err)
	require.YAMLEq(t, "{image: {tag: none}, args: [none]}", scene.Files["dev.yaml"])
}

func TestWithoutAPolicyFileEveryStageIsAutomatic(t *testing.T) {
	pipeline := "-- .github/waybill.yml --\n" + warehouses +
		"  dev: {from: api, set: {dev.yaml: {tag: \"${api.short}\"}}}\n"
	scene, err := parse(t, pipeline+"-- story --\n").Scene()
	require.NoError(t, err)
	require.True(t, scene.Pipeline.Stages[0].Policy.Automatic)
	scene, err = parse(t, pipeline+"-- .github/waybill.policy.yml --\nversion: 1\n-- story --\n").Scene()
	require.NoError(t, err)
	require.False(t, scene.Pipeline.Stages[0].Policy.Automatic)
}

func TestAStoryWithoutAPipelineFileIsAnError(t *testing.T) {
	_, err := parse(t, "-- story --\n").Scene()
	require.EqualError(t, err, "x: there is no file named .github/waybill.yml in this archive")
}

func TestAStoryWithABadPipelineFileIsAnErrorWithItsPlace(t *testing.T) {
	_, err := core.New(parse(t, "-- .github/waybill.yml --\n"+warehouses+"  dev: {from: nowhere}\n-- story --\n"))
	require.ErrorContains(t, err, "x: .github/waybill.yml:5:")
}

func TestASourcePullRequestChangesAFileThatEveryWarehouseAccepts(t *testing.T) {
	warehouse := func(repo promotion.Repo, paths ...string) *promotion.Warehouse {
		return &promotion.Warehouse{Kind: promotion.FromPulls, Repo: repo, Paths: paths, Except: []string{"change-1.txt"}}
	}
	for _, c := range []struct {
		repo       promotion.Repo
		warehouses []*promotion.Warehouse
		want       string
	}{
		{"", []*promotion.Warehouse{warehouse("acme/deploy", "src/**")}, "src/change-1"},
		{"web", []*promotion.Warehouse{warehouse("acme/web", "{a,b}/?[xy]*.go")}, "a/xxchange-1.go"},
		{"acme/web", []*promotion.Warehouse{warehouse("acme/web", "**", "!**/*.md"), warehouse("acme/web", "cmd/**")},
			"cmd/change-1"},
	} {
		p := &promotion.Pipeline{Home: "acme/deploy", Warehouses: c.warehouses}
		got, err := story.SourceFile(p, c.repo, 1)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	p := &promotion.Pipeline{Home: "acme/deploy", Warehouses: []*promotion.Warehouse{
		warehouse("acme/deploy", "api/**"), warehouse("acme/deploy", "web/**"),
	}}
	_, err := story.SourceFile(p, "", 1)
	require.EqualError(t, err, "there is no file that every warehouse of acme/deploy accepts")
}

func TestWhatCannotHappenIsAnErrorWithItsLine(t *testing.T) {
	pipeline := "-- .github/waybill.yml --\n" + warehouses +
		"  dev: {from: api, set: {dev.yaml: {tag: \"${api.short}\"}}, merge: manual}\n-- story --\n"
	for _, c := range []struct{ script, want string }{
		{"> close p1 by ann\n", "x:8: > close p1 by ann: there is no promotion p1 yet"},
		{"> merge acme/web#1 by ann\n", "no warehouse takes pull requests of acme/web"},
		{"> check smoke success on dev\n", "nothing has been promoted into dev"},
		{"> check smoke success at c1\n", "pull request #1 has not been merged"},
		{"> merge #1 by ann\n> check smoke success at m1\n", "the promotion has not been merged"},
		{"> merge #1 by ann\n> reopen p1 by ann\n", "its pull request is open"},
		{"> merge #1 by ann\n> close p1 by ann\n> merge p1 by ann\n", "its pull request is closed"},
		{"> config none.yml by ann\n", "there is no file named none.yml in this archive"},
		{"> why qa\n", "there is no stage qa"},
		{"> why dev api#7\n", "dev has no freight api#7"},
		{"> image ghcr.io/acme/api:1\n", `"ghcr.io/acme/api:1" says not what was pushed`},
		{"> image ghcr.io/acme/api@c1\n", "pull request #1 has not been merged"},
		{"> press retry dev by ann\n", "no check run of dev has a button retry now"},
	} {
		s := parse(t, pipeline+c.script)
		world, err := core.New(s)
		require.NoError(t, err)
		_, err = story.Run(context.Background(), s, world)
		require.ErrorContains(t, err, c.want, c.script)
	}
}
