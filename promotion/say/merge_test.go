package say_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion/internal/fixture"
	"waybill/promotion/say"
)

func TestWhyTheMergeQueueThrowsSomethingOut(t *testing.T) {
	require.Equal(t, "it was taken out of the merge queue: by ann", say.Dequeued("MANUAL", fixture.Ann))
	require.Equal(t, "it was taken out of the merge queue: git tree invalid", say.Dequeued("GIT_TREE_INVALID", fixture.Ann))
}
