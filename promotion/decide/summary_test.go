package decide

import (
	"testing"

	"waybill/promotion"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

func TestEverySurfaceTellsHowTheTargetsOfARolloutStand(t *testing.T) { // semantics 5.8
	r := newRide(t, clusters(t, [2]int{1, 1}, [2]int{2, 2}, [2]int{12, 1}))
	r.absent = []promotion.TargetName{"t3"}
	r.results["t4"] = "failure"
	r.on()
	at := func() promotion.FreightStatus { return Why(r.s, r.promotion().Freight.ID, r.now) }
	require.Equal(t, "**`api#1`** in **`dev`**: Verification failed (2/15 verified, 1 failed, 1 waiting, 11 to come): "+
		"`smoke t4` failed.\n\n- failed: `t4` (`smoke t4` failed)\n- waiting: `t3`\n"+
		"- to come: `t5`, `t6`, `t7`, `t8`, `t9`, `t10`, `t11`, `t12`, `t13`, `t14`, 1 more\n- verified: `t1`, `t2`\n\n"+
		"Promotion 1, automatic.\n\nWaybill holds the stage: `/unhold dev` lifts the hold.\n", say.Summary(at(), "dev"),
		"there is nothing to go back to")
	require.Equal(t, "api#1 (failed: 2/15 verified, 1 failed, 1 waiting, 11 to come)",
		say.StageRow(Explain(r.s, r.now))[1])
	require.Contains(t, say.PullBody(at(), promotion.Freight{}, nil),
		"\nStep 3 of its rollout, in batch 3 of 3, `b3`: `t4`.\n")

	r.results["t4"] = "success"
	r.check("m1-3", "t4")
	r.on()
	require.Equal(t, "/retry dev", say.Next(at()), "what failed is good now, and there is more to come")
}
