package surface_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/app/surface"
	"waybill/store"
)

// TestTheInputOfTwoEventsIsAllOfBoth joins two inputs, as for a delivery with two events: a review, for instance, is an
// approval and a comment.
func TestTheInputOfTwoEventsIsAllOfBoth(t *testing.T) {
	var done []string
	input := func(name string) surface.Input {
		return surface.Input{
			Requests: []surface.Request{{Typed: name}},
			Record:   func(*store.Tx) error { done = append(done, "record "+name); return nil },
			After:    func(context.Context, bool) { done = append(done, "after "+name) },
		}
	}
	both := surface.Input{}.And(input("a")).And(surface.Input{}).And(input("b"))
	require.Equal(t, []surface.Request{{Typed: "a"}, {Typed: "b"}}, both.Requests)
	require.NoError(t, both.Record(nil))
	both.After(t.Context(), true)
	require.Equal(t, []string{"record a", "record b", "after a", "after b"}, done)
	require.Nil(t, surface.Input{}.And(surface.Input{}).After)
}
