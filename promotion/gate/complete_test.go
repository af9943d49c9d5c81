package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

func TestFreightWithoutItsImagesIsIncompleteAndOverdueAfterAnHour(t *testing.T) {
	s := fixture.InState(promotion.Queued)
	s.Pipeline.Warehouses[0].Images = []promotion.Awaited{{Image: "ghcr.io/acme/api"},
		{Name: "web", Image: "ghcr.io/acme/web"}}
	has := promotion.Artifact{Image: "ghcr.io/acme/web"}
	s.Freight = []promotion.Freight{
		fixture.FreightNo(s.Pipeline, -5).With(has).With(promotion.Artifact{Image: "ghcr.io/acme/api"}), // has all
		// merged at eleven
		fixture.FreightNo(s.Pipeline, 0).With(has),
		fixture.FreightNo(s.Pipeline, 10),
		fixture.FreightNo(s.Pipeline, 20),
	}
	k := gate.KeeperOf(s, noon)
	require.True(t, k.Incomplete(0).IsZero())
	require.Equal(t, "incomplete ghcr.io/acme/api", k.Incomplete(1).String())
	require.Contains(t, k.Incomplete(1).Detail, "more than an hour")
	require.Equal(t, "incomplete ghcr.io/acme/api ghcr.io/acme/web", k.Incomplete(2).String())
	require.Empty(t, k.Incomplete(2).Detail, "its builds may take so long")
	require.True(t, k.Available(0))
	require.False(t, k.Available(1))

	require.Equal(t, noon, k.Overdue())
	require.Equal(t, noon.Add(10*time.Minute), k.NextOverdue())
	before := gate.KeeperOf(s, noon.Add(-time.Nanosecond))
	require.Zero(t, before.Overdue())
	require.Equal(t, noon, before.NextOverdue())
	after := gate.KeeperOf(s, noon.Add(time.Hour))
	require.Equal(t, noon.Add(20*time.Minute), after.Overdue(), "the latest counts")
	require.Zero(t, after.NextOverdue())
}
