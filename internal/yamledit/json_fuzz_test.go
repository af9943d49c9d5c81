package yamledit_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"waybill/internal/keypath"
	"waybill/internal/spent"
	"waybill/internal/yamledit"
)

// FuzzSetJSON sets a value in any bytes: SetJSON never panics, and its result is JSON with the new value and no more
// lines.
func FuzzSetJSON(f *testing.F) {
	f.Add([]byte(`{"a": "v1", "b": [1, {"c": null}]}`), "b[1].c", "v2")
	f.Add([]byte("\ufeff[\r\n\t1.50 , true]\n"), "[0]", "1e3")
	f.Add([]byte(`[{"n":"x","v":"\ud800\u00e9"}]`), "[n=x].v", "\x00\u2028<")
	f.Fuzz(func(t *testing.T, content []byte, path, value string) {
		var result []byte
		var err error
		spent.Bound{Base: 1 << 20, PerByte: 4 << 10}.Check(t, len(content)+len(path)+len(value), func() {
			result, err = yamledit.SetJSON(content, []keypath.Assignment{{Path: path, Value: value}})
		})
		if err != nil {
			return
		}
		if !json.Valid(bytes.TrimPrefix(result, []byte("\ufeff"))) {
			t.Fatalf("%q became %q, which is not JSON", content, result)
		}
		if out, in := changed(content, result); bytes.Count(in, lineEnd) > 0 || bytes.Count(out, lineEnd) > 0 {
			t.Fatalf("%q became %q, with other lines", content, result)
		}
		says, err := yamledit.GetJSON(result, []string{path})
		if err != nil || says[path] != value {
			t.Fatalf("%q set to %q says %q, %v", content, value, says[path], err)
		}
	})
}
