package promotion_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestAReportIsFreightOfAllThatItSays(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Kind: promotion.FromReports, Repo: "acme/api"}
	r := promotion.Build{Version: "1.4.2", Commit: "0123456789abcdef", Image: "ghcr.io/acme/api", Digest: "sha256:1"}
	commit := promotion.Head{Title: "Better", Author: promotion.Actor{ID: 7, Login: "ann"}}
	f := w.Reported(r, commit, promotion.Freight{}, fixture.Noon)
	require.Equal(t, promotion.Freight{
		ID: f.ID, Warehouse: "api", Name: "api@1.4.2", Merged: fixture.Noon, Number: 1, Repo: "acme/api", SHA: r.Commit,
		Author: commit.Author, Title: "Better",
		Hands: promotion.Hands{Unread: true,
			All: []promotion.Hand{{Part: promotion.ReporterPart, Text: "no webhook has told"}}},
		Contents: promotion.Contents{Version: "1.4.2", Image: "ghcr.io/acme/api", Digest: "sha256:1"},
	}, f)
	for key, want := range map[string]string{
		"version": "1.4.2", "image": "ghcr.io/acme/api", "digest": "sha256:1", "commit": "0123456789abcdef",
		"short": "0123456", "name": "api@1.4.2",
	} {
		got, has := f.Value(key)
		require.True(t, has, key)
		require.Equal(t, want, got, key)
		require.Contains(t, w.Keys(), key)
	}
	require.Len(t, w.Keys(), 6)
	require.Equal(t, f.ID, w.Reported(r, commit, f, fixture.Noon.Add(time.Hour)).ID, "however often it is reported")
	for _, other := range []promotion.Build{
		{Version: "1.4.3", Commit: r.Commit, Image: r.Image, Digest: r.Digest},
		{Version: r.Version, Commit: "1123456789abcdef", Image: r.Image, Digest: r.Digest},
		{Version: r.Version, Commit: r.Commit, Image: "ghcr.io/acme/web", Digest: r.Digest},
		{Version: r.Version, Commit: r.Commit, Image: r.Image, Digest: "sha256:2"},
		{Version: r.Version, Commit: r.Commit, Image: r.Image + r.Digest},
	} {
		require.NotEqual(t, f.ID, w.Reported(other, commit, f, fixture.Noon).ID, other)
	}
}

func TestReportsAreInTheOrderInWhichTheyCome(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Kind: promotion.FromReports}
	first := w.Reported(promotion.Build{Version: "2"}, promotion.Head{}, promotion.Freight{}, fixture.Noon)
	second := w.Reported(promotion.Build{Version: "1"}, promotion.Head{}, first, fixture.Noon)
	third := w.Reported(promotion.Build{Version: "3"}, promotion.Head{}, second, fixture.Noon.Add(-time.Hour))
	require.True(t, first.Before(second), "at the same time")
	require.True(t, second.Before(third), "though the clock was set back")
}

func TestAReportLacksWhatStagesWrite(t *testing.T) {
	value := func(s string) promotion.Assignment {
		parsed, err := promotion.ParseTemplate(s)
		require.NoError(t, err)
		return promotion.Assignment{Value: parsed}
	}
	p := &promotion.Pipeline{Stages: []*promotion.Stage{
		{Delivery: promotion.DeliveryPullRequest, Targets: []promotion.Target{{Changes: []promotion.Change{
			{Set: []promotion.Assignment{value("${api.image}@${api.digest}"), value("${api.version}"), value("${web.digest}")}},
		}}}},
		{Delivery: promotion.DeliveryPullRequest, Targets: []promotion.Target{
			{Changes: []promotion.Change{{Set: []promotion.Assignment{value("${api.digest} in ${stage}")}}}},
		}},
	}}
	w := &promotion.Warehouse{Name: "api", Kind: promotion.FromReports}
	require.Equal(t, []string{"digest", "image"},
		p.Lacks(w.Reported(promotion.Build{Version: "1"}, promotion.Head{}, promotion.Freight{}, fixture.Noon)))
	require.Empty(t, p.Lacks(w.Reported(promotion.Build{Version: "1", Image: "i", Digest: "d"}, promotion.Head{},
		promotion.Freight{}, fixture.Noon)))
}
