package say

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestEachWayToDeliverHasItsWords(t *testing.T) {
	require.Len(t, deliveryWords, len(promotion.Deliveries))
	for _, d := range promotion.Deliveries {
		require.Contains(t, deliveryWords, d)
	}
}
