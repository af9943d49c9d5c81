package gh

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARepositoryLeavesAsManySlotsToTheOthersAsItTakes(t *testing.T) {
	s := newSlots(8)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	enters := func(share string) (n int) {
		for {
			if _, err := s.enter(over, share); err != nil {
				return n
			}
			n++
		}
	}
	require.Equal(t, 4, enters("slow"))
	require.Equal(t, 2, enters("slower"))
	require.Equal(t, 1, enters("slowest"))
	require.Equal(t, 1, enters("fast"), "there is one for somebody else")
	s.leave("slow")
	require.Zero(t, enters("slow"))
	require.Equal(t, 1, enters("another"))
}

func TestASlotGoesToWhoeverMayHaveItFirst(t *testing.T) {
	s := newSlots(2)
	leave, err := s.enter(t.Context(), "a")
	require.NoError(t, err)
	var order []string
	done := make(chan string)
	enter := func(share string) {
		go func() {
			out, err := s.enter(t.Context(), share)
			require.NoError(t, err)
			done <- share
			out()
		}()
	}
	enter("a") // has all its slots
	enter("b")
	order = append(order, <-done)
	leave()
	order = append(order, <-done)
	require.Equal(t, []string{"b", "a"}, order)
}

func TestWhoWaitsNoLongerTakesNoSlot(t *testing.T) {
	s := newSlots(1)
	leave, err := s.enter(t.Context(), "a")
	require.NoError(t, err)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.enter(over, "b")
	require.ErrorIs(t, err, context.Canceled)
	leave()
	_, err = s.enter(over, "c")
	require.NoError(t, err)
}
