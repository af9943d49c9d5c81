package yamledit_test

import (
	"bytes"
	"slices"
	"testing"

	"go.yaml.in/yaml/v4"

	"waybill/internal/keypath"
	"waybill/internal/spent"
	"waybill/internal/yamledit"
)

// FuzzSet sets a value in any bytes: Set never panics, and its result is YAML with the new value, every comment that
// was in the file, and no more lines.
func FuzzSet(f *testing.F) {
	f.Add([]byte("a: v1 # x\n"), "a", "v2")
	f.Add([]byte("a: &x !!str\r\n  'v1'\nb: [*x, {c: \"\\\"\"}]\n"), "a", "1e3")
	f.Add([]byte("- n: x\n  v:\n- n: y\n  v: |\n    z\n"), "[n=x].v", "a: b")
	f.Add([]byte("{a: , ? b, \"c\":v1}"), `"c"`, "\x00")
	f.Add([]byte("kind: A\nm: {n: x}\n---\n# b\nkind: B\nm: {n: v1}\n---\n"), "[kind=B].m.n", "v2")
	f.Add([]byte("a: v1\n...\n--- |\n  a\n---\r\n- b\n"), "[2][0]", "v2")
	f.Fuzz(func(t *testing.T, content []byte, path, value string) {
		var result []byte
		var err error
		spent.Bound{Base: 1 << 20, PerByte: 4 << 10}.Check(t, len(content)+len(path)+len(value), func() {
			result, err = yamledit.Set(content, []keypath.Assignment{{Path: path, Value: value}})
		})
		if err != nil {
			return
		}
		is := remarks(t, result)
		for _, remark := range remarks(t, content) {
			if !slices.Contains(is, remark) {
				t.Fatalf("%q became %q, which has lost %q", content, result, remark)
			}
		}
		if out, in := changed(content, result); bytes.Count(in, lineEnd) > bytes.Count(out, lineEnd) {
			t.Fatalf("%q became %q, with more lines", content, result)
		}
		again, err := yamledit.Set(result, []keypath.Assignment{{Path: path, Value: value}})
		if err != nil || string(again) != string(result) {
			t.Fatalf("%q set again is %q, %v", result, again, err)
		}
		parsed, err := keypath.Parse(path)
		if again, _ := keypath.Parse(parsed.String()); err != nil || again.String() != parsed.String() {
			t.Fatalf("%q is printed as %q, which is read as %q, %v", path, parsed, again, err)
		}
	})
}

var lineEnd = []byte("\n")

// changed returns the parts of two texts that remain without their common prefix and suffix.
func changed(before, after []byte) (out, in []byte) {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return before, after
}

// remarks returns all comments that the parser finds in a file. The parser misses some comments where a value is
// missing.
func remarks(t *testing.T, file []byte) []string {
	var root yaml.Node
	if err := yaml.Unmarshal(file, &root); err != nil {
		t.Fatalf("%q is not YAML: %v", file, err)
	}
	var all []string
	var collect func(*yaml.Node)
	collect = func(n *yaml.Node) {
		all = append(all, n.HeadComment, n.LineComment, n.FootComment)
		for _, inside := range n.Content {
			collect(inside)
		}
	}
	collect(&root)
	return slices.DeleteFunc(all, func(remark string) bool { return remark == "" })
}
