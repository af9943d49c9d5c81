package decide

import (
	"testing"
	"time"

	"waybill/promotion"
	"waybill/promotion/say"

	"github.com/stretchr/testify/require"
)

// inQueue is a promotion whose pull request is in GitHub's merge queue.
func inQueue() *promotion.Snapshot {
	s := inState(promotion.WaitingForMerge)
	s.Pulls[0].Queue = promotion.InQueue
	return s
}

func TestWhatStandsInTheMergeQueueIsLeftToIt(t *testing.T) { // T38
	s := inQueue()
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, promotion.Enqueued, Waits(s, noon)[0].Reason.Code)
}

func TestASignalBeforeAMergeCountsOnlyWhereTheMergeMadeTheCommit(t *testing.T) { // semantics 7.2
	for _, made := range []bool{true, false} {
		s := inQueue()
		s.Pulls[0].State, s.Pulls[0].MergeSHA, s.Pulls[0].MergedAt = promotion.PullMerged, "m1", noon.Add(3*time.Second)
		s.Pulls[0].NewCommit = made
		d := Decide(s, noon.Add(4*time.Second))
		require.Equal(t, "p1 verifying", told(d))
		s = apply(s, d)
		run := smokeRun(1, "success")
		run.Started = noon // of a merge queue, or GitHub has dated its answer late
		hear(s, run)
		d = Decide(s, noon.Add(5*time.Second))
		if !made {
			require.Equal(t, "", told(d))
			continue
		}
		require.Equal(t, "p1 succeeded", told(d))
		require.Equal(t, noon.Add(3*time.Second), d.Deployments[0].Judged, "nothing is verified before it is merged")
	}
}

func TestAHoldTakesAPullRequestOutOfTheMergeQueueAndItsEndPutsItBack(t *testing.T) { // T31
	s := inQueue()
	s.Holds = []promotion.Hold{{ID: 1, Stage: "dev", By: ann}}
	require.Equal(t, "dequeue p1", told(Decide(s, noon)))
	s.Pulls[0].Queue = promotion.OutOfQueue
	require.Equal(t, "", told(Decide(s, noon.Add(time.Second))))
	s.Holds = nil
	require.Equal(t, "merge p1", told(Decide(s, noon.Add(time.Minute))))
}

func TestWhatPeopleMergeTheyMayEnqueue(t *testing.T) { // T38
	s := inQueue()
	s.Stage.Merge.By = promotion.MergeManual
	s.Holds = []promotion.Hold{{ID: 1, Stage: "dev", By: ann}}
	require.Equal(t, "", told(Decide(s, noon)))
}

func TestWhatTheMergeQueueHasThrownOutWaitsForSomethingNew(t *testing.T) { // T38
	s := inQueue()
	s.Pulls[0].Queue, s.Pulls[0].Revision = promotion.OutOfQueue, 3
	s.Attempts[0].RefuseMerge(3, say.Dequeued("CI_FAILURE", promotion.Actor{}))
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, "GitHub does not let it be merged yet: it was taken out of the merge queue: its checks failed there",
		say.Sentence(Waits(s, noon)[0].Reason))
	s.Pulls[0].Revision = 4
	require.Equal(t, "merge p1", told(Decide(s, noon)))
}
