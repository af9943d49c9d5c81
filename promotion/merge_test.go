package promotion

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// inQueue is a promotion whose pull request stands in GitHub's merge queue.
func inQueue() *Snapshot {
	s := inState(WaitingForMerge)
	s.Pulls[0].Queue = InQueue
	return s
}

func TestWhatStandsInTheMergeQueueIsLeftToIt(t *testing.T) { // T38
	s := inQueue()
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, Enqueued, Waits(s, noon)[0].Reason.Code)
}

func TestAHoldTakesAPullRequestOutOfTheMergeQueueAndItsEndPutsItBack(t *testing.T) { // T31
	s := inQueue()
	s.Holds = []Hold{{ID: 1, Stage: "dev", By: ann}}
	require.Equal(t, "dequeue p1", told(Decide(s, noon)))
	s.Pulls[0].Queue = OutOfQueue
	require.Equal(t, "", told(Decide(s, noon.Add(time.Second))))
	s.Holds = nil
	require.Equal(t, "merge p1", told(Decide(s, noon.Add(time.Minute))))
}

func TestWhatPeopleMergeTheyMayEnqueue(t *testing.T) { // T38
	s := inQueue()
	s.Stage.Merge = MergeManual
	s.Holds = []Hold{{ID: 1, Stage: "dev", By: ann}}
	require.Equal(t, "", told(Decide(s, noon)))
}

func TestWhatTheMergeQueueHasThrownOutWaitsForSomethingNew(t *testing.T) { // T38
	s := inQueue()
	s.Pulls[0].Queue, s.Pulls[0].Revision = OutOfQueue, 3
	s.Attempts[0].Unmergeable, s.Attempts[0].Tried = Dequeued("CI_FAILURE", Actor{}), 3
	require.Equal(t, "", told(Decide(s, noon)))
	require.Equal(t, "GitHub does not let it be merged yet: it was taken out of the merge queue: its checks failed there", Waits(s, noon)[0].Reason.Sentence())
	s.Pulls[0].Revision = 4
	require.Equal(t, "merge p1", told(Decide(s, noon)))
}

func TestWhyTheMergeQueueThrowsSomethingOut(t *testing.T) {
	require.Equal(t, "it was taken out of the merge queue: by ann", Dequeued("MANUAL", ann))
	require.Equal(t, "it was taken out of the merge queue: git tree invalid", Dequeued("GIT_TREE_INVALID", ann))
}
