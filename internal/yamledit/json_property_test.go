package yamledit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waybill/internal/keypath"
	"waybill/internal/yamledit"
)

// blank writes white space that is allowed between the tokens of a JSON file.
func (w *written) blank(t *rapid.T) {
	w.text.WriteString(rapid.SampledFrom([]string{"", "", " ", "\t", w.eol, w.eol + "    "}).Draw(t, "blank"))
}

// json writes a value, nested to some depth.
func (w *written) json(t *rapid.T, depth int, path string, keys []any) {
	w.blank(t)
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 2).Draw(t, "kind")
	}
	switch kind {
	case 0:
		start := w.text.Len()
		w.text.WriteString(rapid.SampledFrom([]string{
			`"v1"`, `""`, `"é\u00e9\"\\"`, "1", "-1.50", "12E+4", "true", "null", `"[{,:"`,
		}).Draw(t, "old"))
		w.values = append(w.values, place{path: path, keys: keys, start: start, end: w.text.Len()})
	case 1:
		w.text.WriteByte('{')
		w.several(t, func(i int) {
			key := fmt.Sprintf("k%d", i)
			w.text.WriteString(`"` + key + `"`)
			w.blank(t)
			w.text.WriteByte(':')
			w.json(t, depth-1, join(path, key), append(append([]any{}, keys...), key))
		})
		w.text.WriteByte('}')
	case 2:
		w.text.WriteByte('[')
		w.several(t, func(i int) {
			w.json(t, depth-1, fmt.Sprintf("%s[%d]", path, i), append(append([]any{}, keys...), i))
		})
		w.text.WriteByte(']')
	}
	w.blank(t)
}

func (w *written) several(t *rapid.T, one func(i int)) {
	for i := range rapid.IntRange(1, 3).Draw(t, "members") {
		if i > 0 {
			w.text.WriteByte(',')
		}
		w.blank(t)
		one(i)
	}
}

func TestAfterSetJSONTheValueIsThereAndEveryOtherByteIsUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := written{eol: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")}
		w.text.WriteString(`{"root":`)
		w.json(t, 3, "root", []any{"root"})
		w.text.WriteString("}" + w.eol)
		content := w.text.String()
		at := rapid.SampledFrom(w.values).Draw(t, "place")
		value := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"true", "null", "12e4567", "142", "1.50"})).Draw(t,
			"value")

		result, err := yamledit.SetJSON([]byte(content), []keypath.Assignment{{Path: at.path, Value: value}})
		if err != nil {
			t.Fatalf("set %s to %q in\n%s\n%v", at.path, value, content, err)
		}
		got := string(result)
		if !strings.HasPrefix(got, content[:at.start]) || !strings.HasSuffix(got, content[at.end:]) ||
			len(got) < len(content)-(at.end-at.start) {
			t.Fatalf("setting %s to %q changed other bytes:\n%s\n%s", at.path, value, content, got)
		}
		var tree any
		decoder := json.NewDecoder(strings.NewReader(got))
		decoder.UseNumber()
		if err := decoder.Decode(&tree); err != nil {
			t.Fatalf("the result is not JSON: %v\n%s", err, got)
		}
		for _, k := range at.keys {
			switch k := k.(type) {
			case string:
				tree = tree.(map[string]any)[k]
			case int:
				tree = tree.([]any)[k]
			}
		}
		if fmt.Sprint(tree) != value {
			t.Fatalf("%s is %q and not %q in\n%s", at.path, tree, value, got)
		}
	})
}
