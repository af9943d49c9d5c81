package yamledit_test

import (
	"testing"

	"go.yaml.in/yaml/v4"

	"waybill/internal/yamledit"
)

// FuzzSet sets a value in any bytes: Set never panics, and what it returns is YAML that says the new value.
func FuzzSet(f *testing.F) {
	f.Add([]byte("a: v1 # x\n"), "a", "v2")
	f.Add([]byte("a: &x !!str\r\n  'v1'\nb: [*x, {c: \"\\\"\"}]\n"), "a", "1e3")
	f.Add([]byte("- n: x\n  v:\n- n: y\n  v: |\n    z\n"), "[n=x].v", "a: b")
	f.Add([]byte("{a: , ? b, \"c\":v1}"), `"c"`, "\x00")
	f.Fuzz(func(t *testing.T, content []byte, path, value string) {
		result, err := yamledit.Set(content, []yamledit.Assignment{{Path: path, Value: value}})
		if err != nil {
			return
		}
		var document yaml.Node
		if err := yaml.Unmarshal(result, &document); err != nil {
			t.Fatalf("%q is not YAML: %v", result, err)
		}
		again, err := yamledit.Set(result, []yamledit.Assignment{{Path: path, Value: value}})
		if err != nil || string(again) != string(result) {
			t.Fatalf("%q set again is %q, %v", result, again, err)
		}
	})
}
