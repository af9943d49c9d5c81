package layout

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// drafted returns the pipeline that is drafted for a repository with these files.
func drafted(t *testing.T, files map[string]string) string {
	t.Helper()
	repository := fstest.MapFS{}
	for name, text := range files {
		repository[name] = &fstest.MapFile{Data: []byte(text)}
	}
	found, err := Look(repository, nil)
	require.NoError(t, err)
	require.Len(t, found.Apps, 1)
	d, err := found.Draft(t.Context(), Choice{App: found.Apps[0], Source: "acme/api"})
	require.NoError(t, err)
	return d.Pipeline
}

func TestRegionsWithTheSameFilesAreTargetsOfOneStage(t *testing.T) {
	got := drafted(t, map[string]string{
		"prod/eu-1/values.yaml": "image: {tag: sha-0a1b2c3}\n", "prod/us-1/values.yaml": "image: {tag: latest}\n",
	})
	require.Contains(t, got, `    targets: [eu-1, us-1]
    set:
      "prod/${target.name}/values.yaml":
        image.tag: "sha-${api.short}"
    rollout:
      - {name: first, targets: [eu-1], wait: 15m}   # the time to look at it
      - {name: rest}
`)
}

func TestRegionsWithImagesOfTheirOwnKeepThem(t *testing.T) {
	got := drafted(t, map[string]string{
		"prod/eu-1/values.yaml": "image: eu.example/acme/api:0a1b2c3\n",
		"prod/us-1/values.yaml": "image: us.example/acme/api:0a1b2c3\n",
	})
	require.NotContains(t, got, "targets")
	require.Contains(t, got, `    set:
      prod/eu-1/values.yaml:
        image: "eu.example/acme/api:${api.short}"
      prod/us-1/values.yaml:
        image: "us.example/acme/api:${api.short}"
`)
}

func TestASingleRegionIsNoTarget(t *testing.T) {
	got := drafted(t, map[string]string{"prod/eu-1/values.yaml": "image: {tag: 0a1b2c3}\n"})
	require.NotContains(t, got, "targets")
	require.Contains(t, got, "      prod/eu-1/values.yaml:\n")
}
