package yamledit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/keypath"
	"waybill/internal/spent"
)

// provenAs plans an edit of a file. It returns whether the edit's line alone proves it, and the result of verifying the
// whole file.
func provenAs(content []byte, path, value string) (planned, byLine bool, whole error) {
	f := format{parseYAML, spell, provenByLine}
	old, err := f.parse(content)
	if err != nil {
		return false, false, nil
	}
	edits, err := f.plan(content, old, []keypath.Assignment{{Path: path, Value: value}})
	if err != nil {
		return false, false, nil
	}
	return true, provenByLine(content, old, edits), f.verify(old.documents, apply(content, edits), edits)
}

func TestWhatALineProves(t *testing.T) {
	tests := []struct {
		content, path string
		want          bool
	}{
		{"a:\n  b: v1 # x\nc: 1\n", "a.b", true},
		{"a:\n- name: x\n  tag: 'v1'\n", "a[name=x].tag", true},
		{"- - {x: 1}\n  - v1\n", "[0][1]", true},
		{"a:\n  v1\nb: 2", "a", true},
		{"a: 1\n---\nb: v1\n", "b", true},
		{"a: &x v1\nb: *x\n", "a", true},
		{"a: {b: v1}\n", "a.b", false},
		{"a: {\n  b: v1\n}\n", "a.b", false},
		{"a: 'v\n  1'\n", "a", false},
		{"a:\nb: 1\n", "a", false},
		{"a: &x\n  - b\nc: {<<: *x, d: v1}\n", "c.d", false},
	}
	for _, test := range tests {
		planned, byLine, whole := provenAs([]byte(test.content), test.path, "v2")
		require.True(t, planned, test.content)
		require.Equal(t, test.want, byLine, test.content)
		require.NoError(t, whole, test.content)
	}
}

// FuzzProof checks that verify accepts every edit that provenByLine accepts.
func FuzzProof(f *testing.F) {
	f.Add([]byte("a:\n  b: v1 # x\n"), "a.b", "v2")
	f.Add([]byte("? a\n: 'v1'\n"), "a", "it's")
	f.Add([]byte("- |\n  a: v1\n- a: v1\n  b:\n  - v1\n--- v1\n"), "[0][1].a", "1e3")
	f.Add([]byte("a: \"v1\"\n# x\n  # y\nb: !!str 1 #z\n"), "b", "x: y")
	f.Fuzz(func(t *testing.T, content []byte, path, value string) {
		var byLine bool
		var whole error
		spent.Bound{Base: 1 << 20, PerByte: 8 << 10}.Check(t, len(content)+len(path)+len(value), func() {
			_, byLine, whole = provenAs(content, path, value)
		})
		if byLine && whole != nil {
			t.Fatalf("%s of %q set to %q is proven by its line, but %v", path, content, value, whole)
		}
	})
}
