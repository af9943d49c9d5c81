package keypath_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"waybill/internal/keypath"
)

func TestAPathThatCannotBeReadSaysWhy(t *testing.T) {
	tests := []struct{ path, want string }{
		{"", `the path lacks a key before ""`},
		{".a", `the path lacks a key before ".a"`},
		{"a.", `the path lacks a key before ""`},
		{"a]", `the path cannot go on with "]" here`},
		{"a=b", `the path cannot go on with "=b" here`},
		{`a"b"`, `the path cannot go on with "\"b\"" here`},
		{"a[", `the path lacks an index or key=value before ""`},
		{"a[]", `the path lacks an index or key=value before "]"`},
		{"a[0", "the path has a [ that is not closed by ]"},
		{"a[x]", `"x" in brackets is neither an index such as [0] nor a match such as [name=app]`},
		{"a[-1]", `"-1" in brackets is neither an index such as [0] nor a match such as [name=app]`},
		{"a[01]", `"01" in brackets is neither an index such as [0] nor a match such as [name=app]`},
		{"a[x.y]", "the path has no = behind the key in brackets"},
		{"a[x.=y]", `the path lacks a key before "=y]"`},
		{"a[name=]", "the path has no value after = in brackets"},
		{"a[name=b", "the path has no value after = in brackets"},
		{"a[n=x].n", `the path finds an element by its key "n" and would change that, so that it is not found again: find ` +
			`it by another key`},
		{"[m.n=x].m.n", `the path finds an element by its key "m.n" and would change that, so that it is not found again: ` +
			`find it by another key`},
		{`a."b`, `the path has a " that is not closed`},
		{`a."b\`, `the path has a " that is not closed`},
	}
	for _, test := range tests {
		_, err := keypath.Parse(test.path)
		require.EqualError(t, err, test.want, test.path)
	}
}

func TestAPathIsPrintedAsItIsRead(t *testing.T) {
	for _, path := range []string{
		"a", "a.b.c", "a[0].b", "[0][1].c", "a[name=x].b", `a."b.c"."d\"e\\"`, `a[name="x]y"]`, `"".é`,
		"[metadata.name=api].spec", `i[name=ghcr.io/acme/api].t`, `a["b.c"=d].m.n`, "[m.n=x].m",
	} {
		parsed, err := keypath.Parse(path)
		require.NoError(t, err)
		require.Equal(t, path, parsed.String())
	}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`([ab."\\=\[\]0]|\[0\]|\[a=b\]){1,8}`).Draw(t, "path")
		parsed, err := keypath.Parse(path)
		if err != nil {
			return
		}
		again, err := keypath.Parse(parsed.String())
		if err != nil || again.String() != parsed.String() {
			t.Fatalf("%q is printed as %q, which reads as %q, %v", path, parsed, again, err)
		}
	})
}
