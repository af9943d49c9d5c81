package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/store"
)

func TestEveryCommandIsInTheAuditTrailT40(t *testing.T) {
	t.Parallel()
	s := newSite(t, oneStage)
	s.do("merge #1 by ann", "comment #1 by ann: /hold dev over lunch", "comment #1 by ann: /promote nowhere",
		"comment #1 by eve: /unhold dev")
	type answered struct{ Actor, Word, Outcome string }
	var all []answered
	s.view(func(tx *store.Tx, pipeline int64) error {
		events, err := tx.Audit.Events(pipeline, 0, 1000)
		for _, e := range events {
			if e.Kind != store.EventCommand {
				continue
			}
			all = append(all, answered{string(e.By.Login), e.Word, e.Outcome})
			require.NotZero(t, e.By.ID)
			require.Regexp(t, "^"+home+`#1/\d+$`, e.Source)
			if e.Word == "hold" {
				sum := sha256.Sum256([]byte("/hold dev over lunch"))
				require.Equal(t, hex.EncodeToString(sum[:]), e.Typed)
			}
		}
		require.NoError(t, err)
		_, err = tx.Audit.CheckTrail()
		return err
	})
	require.Equal(t, []answered{{"ann", "hold", "done"}, {"ann", "promote", "refused"}, {"eve", "unhold", "refused"}}, all)
}
