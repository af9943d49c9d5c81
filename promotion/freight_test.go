package promotion_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestTheOrderOfFreightIsThatOfGitHub(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Repo: "acme/api"}
	first := promotion.NewFreight(w, 7, "a", fixture.Noon)
	for _, c := range []struct {
		name   string
		second promotion.Freight
		before bool
	}{
		{"merged later", promotion.NewFreight(w, 3, "b", fixture.Noon.Add(time.Second)), true},
		{"merged earlier", promotion.NewFreight(w, 9, "b", fixture.Noon.Add(-time.Second)), false},
		{"at the same time, with a larger number", promotion.NewFreight(w, 8, "b", fixture.Noon), true},
		{"at the same time, with a smaller number", promotion.NewFreight(w, 6, "b", fixture.Noon), false},
		{"at the same time elsewhere, with a larger number",
			promotion.NewFreight(w, 8, "b", fixture.Noon.In(time.FixedZone("x", 3600))), true},
		{"itself", first, false},
	} {
		require.Equal(t, c.before, first.Before(c.second), c.name)
		m := promotion.Mark{Warehouse: "api", Merged: first.Merged, Number: first.Number}
		require.Equal(t, c.before, m.Before(&c.second), "the mark of it: %s", c.name)
	}
}

func TestFreightIsWhatItContains(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Repo: "acme/api"}
	f := promotion.NewFreight(w, 142, "0123456789abcdef", fixture.Noon.In(time.FixedZone("x", 3600)))
	require.Equal(t, "api#142", f.Name)
	require.Equal(t, time.UTC, f.Merged.Location())
	require.Equal(t, f.ID, promotion.NewFreight(w, 142, "0123456789abcdef", fixture.Noon.Add(time.Hour)).ID,
		"however often and late it is heard of")
	for name, other := range map[string]promotion.Freight{
		"another commit": promotion.NewFreight(w, 142, "1123456789abcdef", fixture.Noon),
		"another warehouse": promotion.NewFreight(&promotion.Warehouse{Name: "web", Repo: "acme/api"}, 142,
			"0123456789abcdef", fixture.Noon),
		"another repository": promotion.NewFreight(&promotion.Warehouse{Name: "api", Repo: "acme/web"}, 142,
			"0123456789abcdef", fixture.Noon),
		"names run together": promotion.NewFreight(&promotion.Warehouse{Name: "apia", Repo: "cme/api"}, 142,
			"0123456789abcdef", fixture.Noon),
	} {
		require.NotEqual(t, f.ID, other.ID, name)
	}
}

func TestWhatFreightHasToOffer(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Kind: promotion.FromPulls}
	f := promotion.NewFreight(w, 142, "0123456789abcdef", fixture.Noon)
	for key, want := range map[string]string{"commit": "0123456789abcdef", "short": "0123456", "number": "142",
		"name": "api#142"} {
		got, has := f.Value(key)
		require.True(t, has, key)
		require.Equal(t, want, got, key)
		require.Contains(t, w.Keys(), key)
	}
	require.Len(t, w.Keys(), 4)
	_, has := f.Value("tag")
	require.False(t, has)
	short, _ := promotion.NewFreight(&promotion.Warehouse{}, 1, "abc", fixture.Noon).Value("short")
	require.Equal(t, "abc", short)
}
