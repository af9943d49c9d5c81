package decide

import (
	"testing"
	"time"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

func TestWhenAFreightHasSoaked(t *testing.T) {
	for _, c := range []struct {
		name string
		r    promotion.Record
		want instant
	}{
		{"never, when it is not verified", promotion.Record{}, never},
		{"never, when it is bad, however long it has been there", promotion.Record{Verdict: promotion.Bad, Longest: 5 * time.Hour}, never},
		{"an hour after it was verified", promotion.Record{Verdict: promotion.Passed, Since: noon}, instantOf(noon.Add(time.Hour))},
		{"always, when it once stayed for an hour", promotion.Record{Verdict: promotion.Passed, Longest: time.Hour}, always},
		{"never, when it left after 59 minutes", promotion.Record{Verdict: promotion.Passed, Longest: 59 * time.Minute}, never},
		{"an hour after it was verified again", promotion.Record{Verdict: promotion.Passed, Longest: 59 * time.Minute, Since: noon}, instantOf(noon.Add(time.Hour))},
	} {
		require.Equal(t, c.want, soakedFrom(&c.r, time.Hour), c.name)
	}
	left := promotion.Record{Verdict: promotion.Passed}
	require.Equal(t, always, soakedFrom(&left, 0), "without soak a verdict is enough")
}
