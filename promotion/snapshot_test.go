package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestTheAddressOfAPromotion(t *testing.T) {
	s := fixture.InState(promotion.WaitingForMerge)
	s.Attempts[0].Made.URL = "https://x"
	require.Equal(t, promotion.Link{What: promotion.OnPull, URL: "https://x"}, s.Link(1))
	require.Zero(t, s.Link(2))
}
