package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
)

func TestARejectReachesWhatComesLaterUntilItIsRepaired(t *testing.T) {
	p := &promotion.Pipeline{Warehouses: []*promotion.Warehouse{{Name: "api"}}}
	of := func(n int) *promotion.Freight { return new(fixture.FreightNo(p, n)) }
	bad := promotion.Reject{Stage: "dev", Freight: of(2).Ref(), From: of(2).Mark(), By: fixture.Bob, Text: "it burns"}
	reached := func(r promotion.Reject) (all []int) {
		s := promotion.Snapshot{Rejects: []promotion.Reject{r}}
		for n := 1; n < 6; n++ {
			if s.Rejected("dev", of(n)) != nil {
				all = append(all, n)
			}
		}
		return all
	}
	require.Equal(t, []int{2, 3, 4, 5}, reached(bad))
	fixed := bad
	fixed.FixedBy, fixed.Fixed = of(4).Name, of(4).Mark()
	require.Equal(t, []int{2, 3}, reached(fixed))
	lifted := bad
	lifted.Lifted = fixture.Noon
	require.Empty(t, reached(lifted))
	elsewhere := bad
	elsewhere.Stage = "prod"
	require.Empty(t, reached(elsewhere))
	everywhere := bad
	everywhere.Stage = ""
	require.Equal(t, []int{2, 3, 4, 5}, reached(everywhere))
	web := *of(3)
	web.Warehouse = "web"
	require.False(t, bad.Reaches(&web))
	require.Equal(t, promotion.Because(promotion.Rejected, "api#2", "bob").With("it burns"), bad.Because())
	s := promotion.Snapshot{Rejects: []promotion.Reject{bad}}
	require.Equal(t, "does not count it as verified (bob rejected api#2: it burns)", s.RejectedWords("dev", of(3)))
	require.Empty(t, s.RejectedWords("dev", of(1)))
}
