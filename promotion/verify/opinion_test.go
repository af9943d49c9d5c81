package verify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/verify"
)

func TestAStageIsWhatItsMatchersSayTogether(t *testing.T) { // semantics 7.4
	all := []promotion.Verdict{promotion.Passed, promotion.Pending, promotion.Undecided, promotion.Bad}
	for i, a := range all {
		for j, b := range all {
			require.Equal(t, all[max(i, j)], verify.Opinion{Verdict: a}.And(verify.Opinion{Verdict: b}).Verdict,
				"%q and %q", a, b)
			require.Equal(t, all[max(i, j)],
				verify.Opinion{Verdict: a}.And(verify.Opinion{Verdict: b, At: fixture.Noon}).Verdict, "%q and then %q",
				a, b)
			require.Equal(t, all[max(i, j)],
				verify.Opinion{Verdict: a, At: fixture.Noon}.And(verify.Opinion{Verdict: b}).Verdict, "%q after %q", a,
				b)
		}
	}
}
