package yamledit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/keypath"
	"waybill/internal/yamledit"
)

func TestASketchHasAValueAtEachPath(t *testing.T) {
	paths := []string{"image.tag", "image.digest", "args[1]", `containers[name=app].image`, `"a.b"`}
	sketch, err := yamledit.Sketch(paths, "none")
	require.NoError(t, err)
	var set []keypath.Assignment
	for _, p := range paths {
		set = append(set, keypath.Assignment{Path: p, Value: "new"})
	}
	_, err = yamledit.Set(sketch, set)
	require.NoError(t, err, string(sketch))
}

func TestASketchOfPathsThatContradictEachOtherIsAnError(t *testing.T) {
	for _, paths := range [][]string{{"a", "a.b"}, {"a.b", "a"}, {"a[0]", "a.b"}, {"a..b"}} {
		_, err := yamledit.Sketch(paths, "none")
		require.Error(t, err, paths)
	}
}
