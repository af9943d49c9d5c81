package promotion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAReportIsFreightOfAllThatItSays(t *testing.T) {
	w := &Warehouse{Name: "api", Kind: FromReports, Repo: "acme/api"}
	r := Build{Version: "1.4.2", Commit: "0123456789abcdef", Image: "ghcr.io/acme/api", Digest: "sha256:1"}
	commit := Head{Title: "Better", Author: Actor{ID: 7, Login: "ann"}}
	f := w.Reported(r, commit, Freight{}, noon)
	require.Equal(t, Freight{
		ID: f.ID, Warehouse: "api", Name: "api@1.4.2", Merged: noon, Number: 1, Repo: "acme/api", SHA: r.Commit, Author: commit.Author, Title: "Better",
		Contents: Contents{Version: "1.4.2", Image: "ghcr.io/acme/api", Digest: "sha256:1"},
	}, f)
	for key, want := range map[string]string{
		"version": "1.4.2", "image": "ghcr.io/acme/api", "digest": "sha256:1", "commit": "0123456789abcdef", "short": "0123456", "name": "api@1.4.2",
	} {
		got, has := f.Value(key)
		require.True(t, has, key)
		require.Equal(t, want, got, key)
		require.Contains(t, w.Keys(), key)
	}
	require.Len(t, w.Keys(), 6)
	require.Equal(t, f.ID, w.Reported(r, commit, f, noon.Add(time.Hour)).ID, "however often it is reported")
	for _, other := range []Build{
		{"1.4.3", r.Commit, r.Image, r.Digest}, {r.Version, "1123456789abcdef", r.Image, r.Digest}, {r.Version, r.Commit, "ghcr.io/acme/web", r.Digest},
		{r.Version, r.Commit, r.Image, "sha256:2"}, {r.Version, r.Commit, r.Image + r.Digest, ""},
	} {
		require.NotEqual(t, f.ID, w.Reported(other, commit, f, noon).ID, other)
	}
}

func TestReportsAreInTheOrderInWhichTheyCome(t *testing.T) {
	w := &Warehouse{Name: "api", Kind: FromReports}
	first := w.Reported(Build{Version: "2"}, Head{}, Freight{}, noon)
	second := w.Reported(Build{Version: "1"}, Head{}, first, noon)
	third := w.Reported(Build{Version: "3"}, Head{}, second, noon.Add(-time.Hour))
	require.True(t, first.Before(second), "at the same time")
	require.True(t, second.Before(third), "though the clock was set back")
}

func TestAReportLacksWhatStagesWrite(t *testing.T) {
	value := func(s string) Assignment {
		parsed, err := ParseTemplate(s)
		require.NoError(t, err)
		return Assignment{Value: parsed}
	}
	p := &Pipeline{Stages: []*Stage{
		{Changes: []Change{{Set: []Assignment{value("${api.image}@${api.digest}"), value("${api.version}"), value("${web.digest}")}}}},
		{Changes: []Change{{Set: []Assignment{value("${api.digest} in ${stage}")}}}},
	}}
	w := &Warehouse{Name: "api", Kind: FromReports}
	require.Equal(t, []string{"digest", "image"}, p.Lacks(w.Reported(Build{Version: "1"}, Head{}, Freight{}, noon)))
	require.Empty(t, p.Lacks(w.Reported(Build{Version: "1", Image: "i", Digest: "d"}, Head{}, Freight{}, noon)))
}
