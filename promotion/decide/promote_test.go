package decide

import (
	"testing"

	"waybill/promotion"

	"github.com/stretchr/testify/require"
)

func TestAPullRequestIsNotMeantByTheNumberOfARelease(t *testing.T) {
	w := &promotion.Warehouse{Name: "api", Kind: promotion.FromReleases, Repo: "acme/api"}
	f, _ := w.Versioned(promotion.Tagged{Tag: "v1.0.0", SHA: "0123456789", At: noon, Release: 7})
	s := work{Snapshot: promotion.Snapshot{Freight: []promotion.Freight{f}}}
	require.Equal(t, -1, s.named("#7"))
	require.Equal(t, -1, s.named("#0"))
	require.Equal(t, 0, s.named("api@v1.0.0"))
	require.Equal(t, 0, s.named("0123456"))
	require.False(t, promotion.Request{Pull: 7, PullRepo: "acme/api"}.StandsOn(&f))
}
