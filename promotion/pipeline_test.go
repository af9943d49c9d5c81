package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion/internal/fixture"
)

func TestAPipelineFindsByName(t *testing.T) {
	p := fixture.DevPipeline()
	require.Same(t, p.Stages[1], p.Stage("prod"))
	require.Nil(t, p.Stage("qa"))
	require.Same(t, p.Warehouses[0], p.Warehouse("api"))
	require.Nil(t, p.Warehouse("web"))
	_, takes := p.Stages[0].Source("web")
	require.False(t, takes)
	require.True(t, p.Stages[0].Touches("dev.yaml"))
	require.False(t, p.Stages[0].Touches("prod.yaml"))
}
