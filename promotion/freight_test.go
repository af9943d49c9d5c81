package promotion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheOrderOfFreightIsThatOfGitHub(t *testing.T) {
	w := &Warehouse{Name: "api", Repo: "acme/api"}
	first := NewFreight(w, 7, "a", noon)
	for _, c := range []struct {
		name   string
		second Freight
		before bool
	}{
		{"merged later", NewFreight(w, 3, "b", noon.Add(time.Second)), true},
		{"merged earlier", NewFreight(w, 9, "b", noon.Add(-time.Second)), false},
		{"at the same time, with a larger number", NewFreight(w, 8, "b", noon), true},
		{"at the same time, with a smaller number", NewFreight(w, 6, "b", noon), false},
		{"at the same time elsewhere, with a larger number", NewFreight(w, 8, "b", noon.In(time.FixedZone("x", 3600))), true},
		{"itself", first, false},
	} {
		require.Equal(t, c.before, first.Before(c.second), c.name)
		m := Mark{Warehouse: "api", Merged: first.Merged, Number: first.Number}
		require.Equal(t, c.before, m.before(&c.second), "the mark of it: %s", c.name)
	}
}

func TestFreightIsWhatItContains(t *testing.T) {
	w := &Warehouse{Name: "api", Repo: "acme/api"}
	f := NewFreight(w, 142, "0123456789abcdef", noon.In(time.FixedZone("x", 3600)))
	require.Equal(t, "api#142", f.Name)
	require.Equal(t, time.UTC, f.Merged.Location())
	require.Equal(t, f.ID, NewFreight(w, 142, "0123456789abcdef", noon.Add(time.Hour)).ID, "however often and late it is heard of")
	for name, other := range map[string]Freight{
		"another commit":     NewFreight(w, 142, "1123456789abcdef", noon),
		"another warehouse":  NewFreight(&Warehouse{Name: "web", Repo: "acme/api"}, 142, "0123456789abcdef", noon),
		"another repository": NewFreight(&Warehouse{Name: "api", Repo: "acme/web"}, 142, "0123456789abcdef", noon),
		"names run together": NewFreight(&Warehouse{Name: "apia", Repo: "cme/api"}, 142, "0123456789abcdef", noon),
	} {
		require.NotEqual(t, f.ID, other.ID, name)
	}
}

func TestWhatFreightHasToOffer(t *testing.T) {
	w := &Warehouse{Name: "api", Kind: FromPulls}
	f := NewFreight(w, 142, "0123456789abcdef", noon)
	for key, want := range map[string]string{"commit": "0123456789abcdef", "short": "0123456", "number": "142", "name": "api#142"} {
		got, has := f.Value(key)
		require.True(t, has, key)
		require.Equal(t, want, got, key)
		require.Contains(t, w.Keys(), key)
	}
	require.Len(t, w.Keys(), 4)
	_, has := f.Value("tag")
	require.False(t, has)
	short, _ := NewFreight(&Warehouse{}, 1, "abc", noon).Value("short")
	require.Equal(t, "abc", short)
}
