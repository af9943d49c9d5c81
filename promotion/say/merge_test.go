package say

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion/internal/fixture"
)

func TestWhyTheMergeQueueThrowsSomethingOut(t *testing.T) {
	require.Equal(t, "it was taken out of the merge queue: by ann", Dequeued("MANUAL", fixture.Ann))
	require.Equal(t, "it was taken out of the merge queue: git tree invalid", Dequeued("GIT_TREE_INVALID", fixture.Ann))
}
