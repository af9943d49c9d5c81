package yamledit_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"waybill/internal/keypath"
	"waybill/internal/yamledit"
)

// written is a generated YAML file, with the position of every value in it.
type written struct {
	text   strings.Builder
	eol    string
	values []place
}

type place struct {
	path       string
	keys       []any // the path, for walking through the decoded file
	start, end int
}

// block writes a mapping in block style, nested to some depth.
func (w *written) block(t *rapid.T, depth, indent int, path string, keys []any) {
	n := rapid.IntRange(1, 3).Draw(t, "keys")
	for i := range n {
		key := fmt.Sprintf("k%d", i)
		at, below := join(path, key), append(append([]any{}, keys...), key)
		w.filler(t, indent)
		fmt.Fprintf(&w.text, "%s%s:", strings.Repeat(" ", indent), key)
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			if depth > 0 {
				w.text.WriteString(w.eol)
				w.block(t, depth-1, indent+2, at, below)
				continue
			}
			fallthrough
		case 1:
			w.text.WriteString(" {x: 1, y: ")
			w.scalar(t, at+".y", append(below, "y"))
			w.text.WriteString(" , z: [é, ")
			w.scalar(t, at+".z[1]", append(append([]any{}, below...), "z", 1))
			w.text.WriteString("]}")
		default:
			w.text.WriteString(rapid.SampledFrom([]string{" ", "   "}).Draw(t, "gap"))
			w.scalar(t, at, below)
		}
		w.text.WriteString(rapid.SampledFrom([]string{"", "  ", " # ü: x", "\t# 'x"}).Draw(t, "tail") + w.eol)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// filler writes text between keys that has no meaning: blank lines and comments.
func (w *written) filler(t *rapid.T, indent int) {
	switch rapid.IntRange(0, 5).Draw(t, "filler") {
	case 0:
		w.text.WriteString(w.eol)
	case 1:
		w.text.WriteString(strings.Repeat(" ", indent) + "# \"x: [" + w.eol)
	}
}

func (w *written) scalar(t *rapid.T, path string, keys []any) {
	text := rapid.SampledFrom([]string{
		"v1", "1", "1.5", "true", "null", "012", "'it''s'", `"a\"b"`, `'ö'`, `"\u00e9"`, "a b", "''",
	}).Draw(t, "old")
	start := w.text.Len()
	w.text.WriteString(text)
	w.values = append(w.values, place{path: path, keys: keys, start: start, end: w.text.Len()})
}

func TestAfterSetTheValueIsThereAndEveryOtherByteIsUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := written{eol: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")}
		documents := rapid.IntRange(1, 3).Draw(t, "documents")
		for i := range documents {
			if documents > 1 {
				w.text.WriteString(rapid.SampledFrom([]string{
					"---", "# x" + w.eol + "---", "---" + w.eol + "---", "..." + w.eol + "---",
				}).Draw(t, "marker") + w.eol)
				w.block(t, 2, 0, fmt.Sprintf("[%d]", i), []any{i})
			} else {
				w.block(t, 3, 0, "", []any{0})
			}
		}
		content := w.text.String()
		at := rapid.SampledFrom(w.values).Draw(t, "place")
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-f0-9.:v#, -]{0,9}`),
			rapid.SampledFrom([]string{"true", "null", "12e4567", "0x1f", "142"})).Draw(t, "value")

		result, err := yamledit.Set([]byte(content), []keypath.Assignment{{Path: at.path, Value: value}})
		if err != nil {
			t.Fatalf("set %s to %q in\n%s\n%v", at.path, value, content, err)
		}
		before, after := content[:at.start], content[at.end:]
		got := string(result)
		if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) || len(got) < len(before)+len(after) {
			t.Fatalf("setting %s to %q changed other bytes:\n%s\n%s", at.path, value, content, got)
		}
		if is := walk(decoded(t, result), at.keys); fmt.Sprint(is) != value {
			t.Fatalf("%s is %q and not %q in\n%s", at.path, is, value, got)
		}
	})
}

// decoded returns the documents of a file, without empty ones.
func decoded(t *rapid.T, file []byte) []any {
	var all []any
	for decoder := yaml.NewDecoder(bytes.NewReader(file)); ; {
		var document any
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("the result is not YAML: %v\n%s", err, file)
		case document != nil:
			all = append(all, document)
		}
	}
}

func walk(documents []any, keys []any) any {
	var tree any = documents
	for _, k := range keys {
		switch k := k.(type) {
		case string:
			tree = tree.(map[string]any)[k]
		case int:
			tree = tree.([]any)[k]
		}
	}
	return tree
}
