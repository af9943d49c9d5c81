package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryMutantIsInOnePart(t *testing.T) {
	t.Parallel()
	tried := make([]int, 20)
	for _, text := range []string{"1/3", "2/3", "3/3"} {
		var p part
		require.NoError(t, p.Set(text))
		for i := range tried {
			if p.next() {
				tried[i]++
			}
		}
	}
	for i, times := range tried {
		require.Equal(t, 1, times, i)
	}
	var all part
	for range 3 {
		require.True(t, all.next())
	}
}

func TestWhatIsNoPartIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "3", "0/3", "4/3", "1/0", "1/3/5", "a/b"} {
		require.Error(t, new(part).Set(text), text)
	}
}
