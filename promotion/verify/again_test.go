package verify_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/internal/fixture"
	"waybill/promotion/verify"
)

func TestAskingAgainConcernsWhatIsVerifiedBeforeWhatCameLast(t *testing.T) {
	s := fixture.InState(promotion.Verifying)
	s.Deployments = append(s.Deployments, promotion.Deployment{Promotion: 9, Warehouse: "web"},
		promotion.Deployment{Promotion: 10, Warehouse: "web", Left: fixture.Noon})
	require.Equal(t, 0, s.Judgeable())
	s.Promotions[0].State = promotion.Succeeded
	require.Equal(t, 1, s.Judgeable())
	require.False(t, verify.JudgingAgain(s))
	s.Requests = []promotion.Request{{Command: promotion.Command{Verb: promotion.CmdVerify}}}
	require.True(t, verify.JudgingAgain(s))
	s.Deployments = nil
	require.Equal(t, -1, s.Judgeable())
	require.False(t, verify.JudgingAgain(s), "there is nothing to judge")
}
