package keypath_test

import (
	"testing"

	"waybill/internal/keypath"
	"waybill/internal/spent"
)

// FuzzParse parses any text: Parse never panics, and the printed path parses to the same path again.
func FuzzParse(f *testing.F) {
	for _, path := range []string{"a.b[0]", "[metadata.name=api].spec", `a."b.c"[x="]"]`, `"\`, "a[b.c=d=e.f]."} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var path keypath.Path
		var err error
		spent.Bound{Base: 64 << 10, PerByte: 1 << 10}.Check(t, len(text), func() { path, err = keypath.Parse(text) })
		if err != nil {
			return
		}
		again, err := keypath.Parse(path.String())
		if err != nil || again.String() != path.String() || len(again) != len(path) {
			t.Fatalf("%q is printed as %q, which reads as %q, %v", text, path, again, err)
		}
	})
}
