package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

func TestWhenAFreightHasSoaked(t *testing.T) {
	for _, c := range []struct {
		name string
		r    promotion.Record
		want string
	}{
		{"never, when it is not verified", promotion.Record{}, "no: unverified a"},
		{"never, when it is bad, however long it has been there",
			promotion.Record{Verdict: promotion.Bad, Longest: 5 * time.Hour}, "no: failed a verification"},
		{"an hour after it was verified", promotion.Record{Verdict: promotion.Passed, Since: noon},
			"in 1h0m0s: soaking a"},
		{"always, when it once stayed for an hour", promotion.Record{Verdict: promotion.Passed, Longest: time.Hour},
			"yes"},
		{"never, when it left after 59 minutes", promotion.Record{Verdict: promotion.Passed, Longest: 59 * time.Minute},
			"no: left a"},
		{"an hour after it was verified again",
			promotion.Record{Verdict: promotion.Passed, Longest: 59 * time.Minute, Since: noon},
			"in 1h0m0s: soaking a"},
	} {
		require.Equal(t, c.want, newGate(1, c.r).answer(), c.name)
	}
	left := newGate(1, promotion.Record{Verdict: promotion.Passed})
	left.Stage.From[0].After.Soak = 0
	require.Equal(t, "yes", left.answer(), "without soak a verdict is enough")
}
