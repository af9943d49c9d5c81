package spent

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// told notes that a test was failed.
type told struct {
	testing.TB
	said string
}

func (t *told) Helper()                      {}
func (t *told) Fatalf(text string, a ...any) { t.said = fmt.Sprintf(text, a...) }

var kept []byte

func TestWhatCostsMoreThanItsInputFailsTheTest(t *testing.T) {
	b := Bound{Base: 1 << 20, PerByte: 100}
	fails := func(input, allocated int) string {
		t := &told{TB: t}
		b.Check(t, input, func() { kept = make([]byte, allocated) })
		return t.said
	}
	require.Empty(t, fails(10, 1<<19))
	require.Empty(t, fails(1<<20, 50<<20))
	require.Contains(t, fails(10, 2<<20), "10 bytes of input had")
	require.NotEmpty(t, kept)
}
