package promotion_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

// tagged is the freight of a tag, published some hours after noon.
func tagged(t *testing.T, w *promotion.Warehouse, tag string, hours int) promotion.Freight {
	t.Helper()
	f, is := w.Versioned(promotion.Tagged{
		Tag: tag, SHA: "0123456789abcdef", At: fixture.Noon.Add(time.Duration(hours) * time.Hour), Release: 7 + hours,
	})
	require.True(t, is, tag)
	return f
}

// TestReleasesAreInTheOrderOfTheirVersions, whenever they were published: the list is in that order, and was published
// the other way round.
func TestReleasesAreInTheOrderOfTheirVersions(t *testing.T) {
	w := &promotion.Warehouse{
		Name: "api", Kind: promotion.FromReleases, Repo: "acme/api", Versions: promotion.Versions{Prereleases: true},
	}
	tags := []string{
		"v0.0.0", "v0.0.1", "v0.9.0", "v1.0.0-5", "v1.0.0-alpha", "v1.0.0-alpha.2", "v1.0.0-beta.1", "v1.0.0-rc.2",
		"v1.0.0-rc.10", "v1.0.0", "v1.9.1", "v1.10.0-snapshot.1000000", "v1.10.0", "v1.10.100000", "v2.0.0",
		"v2.0.20241126", "v2.20241126.0", "v2.20241127.0", "v2024.11.26", "v20241126.0.0", "v20241127.0.0",
	}
	for i := range tags {
		for k := range tags {
			f, g := tagged(t, w, tags[i], -i), tagged(t, w, tags[k], -k)
			require.Equal(t, i < k, f.Before(g), "%s before %s", tags[i], tags[k])
			require.Equal(t, i < k, f.Mark().Before(&g), "%s before %s", tags[i], tags[k])
		}
		f := tagged(t, w, tags[i], i)
		require.Equal(t, fixture.Noon.Add(time.Duration(i)*time.Hour), f.At(), "people are told when it was published")
		require.True(t, f.Merged.Before(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)) && !f.Merged.IsZero())
	}
}

// TestFreightIsPlacedAnewWhenTheOrderChanges: there and back, and as often as one likes.
func TestFreightIsPlacedAnewWhenTheOrderChanges(t *testing.T) {
	byVersion := &promotion.Warehouse{Name: "api", Kind: promotion.FromTags, Repo: "acme/api"}
	byDate := &promotion.Warehouse{
		Name: "api", Kind: promotion.FromTags, Repo: "acme/api", Versions: promotion.Versions{ByDate: true},
	}
	dated, placed := tagged(t, byDate, "v1.9.1", 2), tagged(t, byVersion, "v1.9.1", 2)
	require.NotEqual(t, dated, placed)
	require.Equal(t, placed, byVersion.Placed(dated))
	require.Equal(t, placed, byVersion.Placed(placed))
	require.Equal(t, dated, byDate.Placed(placed))
	require.Equal(t, dated, byDate.Placed(dated))
	require.Equal(t, dated.At(), placed.At())

	pull := fixture.FreightNo(fixture.DevPipeline(), 1)
	require.Equal(t, pull, (&promotion.Warehouse{Name: "api", Kind: promotion.FromPulls}).Placed(pull))
}
