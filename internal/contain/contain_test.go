package contain

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPanicIsAnErrorThatQuotesNothingFromOutside(t *testing.T) {
	var list []int
	for claim, c := range map[string]struct {
		fn   func() error
		says string
	}{
		"the runtime": {func() error { list[len(list)] = 0; return nil },
			"panic: runtime error: index out of range [0] with length 0"},
		"a sentence": {func() error { panic("unreachable") }, "panic: unreachable"},
		"an error":   {func() error { panic(errors.New("secret")) }, "panic: a value of type *errors.errorString"},
		"no panic":   {func() error { return errors.New("no") }, "no"},
	} {
		require.EqualError(t, Do(c.fn), c.says, claim)
	}
	require.NoError(t, Do(func() error { return nil }))
	var p *Panic
	require.ErrorAs(t, Do(func() error { panic("x") }), &p)
	require.Contains(t, string(p.Stack), "contain_test.go")
}
