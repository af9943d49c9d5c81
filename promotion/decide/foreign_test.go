package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// mergedByBob is a snapshot of dev whose pull request was merged with a head that is not ours.
func mergedByBob() *promotion.Snapshot {
	s := inState(promotion.WaitingForMerge)
	s.Attempts[0].Plan.Values = []promotion.Value{{Path: "dev.yaml", Key: "tag", Text: "1"}}
	on := &s.Pulls[0]
	on.State, on.HeadSHA, on.MergeSHA, on.MergedAt, on.By = promotion.PullMerged, "x", "m1", noon, bob
	on.URL = "https://github.test/pull/7"
	return s
}

func TestNothingFollowsFromAMergeOfAHeadOfOthersBeforeItIsCompared(t *testing.T) { // F14
	s := mergedByBob()
	require.Equal(t, "compare p1", told(Decide(s, noon)))
	require.Equal(t, promotion.Waiting, Waits(s, noon)[0].Reason.Code)
	s.Attempts[0].Compared = promotion.Comparison{Head: "another"}
	require.Equal(t, "compare p1", told(Decide(s, noon)))
	s.Requests = []promotion.Request{{ID: 1, By: ann, Permission: promotion.Admin,
		Command: promotion.Command{Verb: promotion.CmdCancel, Stage: "dev"}}}
	d := Decide(s, noon)
	require.NotContains(t, told(d), "cancelled", "what is merged cannot be cancelled")
	require.Contains(t, told(d), "compare p1")
}

func TestAMergeOfForeignContentsFailsAndHoldsTheStage(t *testing.T) { // F14
	s := mergedByBob()
	s.Attempts[0].Compared = promotion.Comparison{Head: "x", Foreign: []string{"dev.yaml", "evil.yaml"}}
	d := Decide(s, noon)
	require.Equal(t, "p1 failed because foreign dev.yaml evil.yaml, held, tell failed", told(d))
	require.Empty(t, d.Deployments, "the stage does not host it")
	whole := promotion.Hold{ID: d.Holds[0].ID, Stage: "dev", Reason: d.Promotions[0].Reason, Promotion: 1, At: noon}
	require.Equal(t, whole, d.Holds[0], "all of the stage is held, whatever the warehouse")
	require.Equal(t, "https://github.test/pull/7/files", d.Promotions[0].Reason.URL)
}

func TestAMergeOfWhatWasPlannedIsOursWhoeverMadeTheCommit(t *testing.T) { // F14
	s := mergedByBob()
	s.Attempts[0].Compared = promotion.Comparison{Head: "x"}
	d := Decide(s, noon)
	require.Contains(t, told(d), "p1 verifying")
	require.Equal(t, s.Attempts[0].Plan.Values, d.Deployments[0].Wrote)
}
