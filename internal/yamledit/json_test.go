package yamledit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/keypath"
	"waybill/internal/yamledit"
)

func setJSON(content, path, value string) (string, error) {
	result, err := yamledit.SetJSON([]byte(content), []keypath.Assignment{{Path: path, Value: value}})
	return string(result), err
}

func TestAValueOfAJSONFileIsReplacedAndNothingElse(t *testing.T) {
	tests := []struct{ name, content, path, value, want string }{
		{"text", `{"a": {"b": "v1"}}`, "a.b", "v2", `{"a": {"b": "v2"}}`},
		{"blanks and order", "{\n\t\"z\" :\t\"v1\" ,\r\n  \"a\": [ 1,2 ]\n}\n\n", "z", "v2",
			"{\n\t\"z\" :\t\"v2\" ,\r\n  \"a\": [ 1,2 ]\n}\n\n"},
		{"no newline at the end", `["v1"]`, "[0]", "v2", `["v2"]`},
		{"a byte order mark", "\ufeff{\"a\":\"v1\"}", "a", "v2", "\ufeff{\"a\":\"v2\"}"},
		{"key with dots", `{"@acme/api": "v1", "a.b": {"c": "x"}}`, `"a.b".c`, "y", `{"@acme/api": "v1", "a.b": {"c": "y"}}`},
		{"match", `[{"name": "web", "image": "w"}, {"name": "api", "image": "v1"}]`, "[name=api].image", "v2",
			`[{"name": "web", "image": "w"}, {"name": "api", "image": "v2"}]`},
		{"key that is escaped", `{"\u0061": "v1", "e\"": 1}`, "a", "v2", `{"\u0061": "v2", "e\"": 1}`},
		{"text with what must be escaped", `{"a": "v1"}`, "a", "q\" \\ \n <é>", `{"a": "q\" \\ \n <é>"}`},
		{"text that is there already", `{"a": "\u00e9"}`, "a", "é", `{"a": "\u00e9"}`},
		{"number by number", `{"a": 3}`, "a", "142", `{"a": 142}`},
		{"number by text", `{"a": 1234567}`, "a", "12e4567", `{"a": "12e4567"}`},
		{"number that would lose digits", `{"a": 1.5}`, "a", "1.10", `{"a": "1.10"}`},
		{"truth value", `{"a": true}`, "a", "false", `{"a": false}`},
		{"truth value by text", `{"a": true}`, "a", "yes", `{"a": "yes"}`},
		{"text that looks like a number stays text", `{"a": "1"}`, "a", "2", `{"a": "2"}`},
		{"nothing", `{"a": null}`, "a", "1", `{"a": "1"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := setJSON(test.content, test.path, test.value)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestWhatIsNotJSONIsRefusedWithItsLine(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"empty", " \n", "read JSON: the file is empty"},
		{"a comment", "{\n  // x\n}", "read JSON: line 2: invalid character '/' looking for beginning of object key string " +
			"(JSON has no comments; lines of files that have them can be marked for `replace`)"},
		{"a comma too many", "{\"a\": 1,\n}",
			"read JSON: line 2: invalid character '}' looking for beginning of object key string"},
		{"two values", "{}\n{}", "read JSON: line 2: invalid character '{' after top-level value"},
		{"cut off", "{\"a\":\n", "read JSON: line 1: unexpected end of JSON input"},
		{"not UTF-8", "{\"a\": \"\xff\"}", "read JSON: the file is not UTF-8"},
		{"too deep", strings.Repeat("[", 100_000), "read JSON: line 1: invalid character '[' exceeded max depth"},
		{"too large", strings.Repeat(" ", 5<<20), "read JSON: 5242880 bytes are more than the 4194304 that are read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := setJSON(test.content, "a", "v2")
			require.EqualError(t, err, test.want)
		})
	}
}

func TestAPathIntoJSONThatCannotBeSetIsRefusedWithTheReason(t *testing.T) {
	for path, want := range map[string]string{
		"b":     `the file has no key "b"`,
		"a":     "a is a mapping, and only a single value can be set",
		"a.n.x": `a.n is a single value, which has no key "x"`,
		"d":     `the file has the key "d" more than once`,
	} {
		_, err := setJSON(`{"a": {"n": 1}, "d": 1, "d": 2}`, path, "v2")
		require.EqualError(t, err, "set "+path+": "+want)
	}
}

func TestGetJSONReadsWhatSetWouldReplace(t *testing.T) {
	got, err := yamledit.GetJSON([]byte(`{"a": "\u00e9", "n": 1.50, "t": true, "z": null, "l": [{"k": "x", "v": "y"}]}`),
		[]string{"a", "n", "t", "z", "l[k=x].v", "gone", "l"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "é", "n": "1.50", "t": "true", "z": "null", "l[k=x].v": "y"}, got)
}

func TestASketchOfAJSONFileHasAValueAtEachPath(t *testing.T) {
	paths := []string{"a.b", "list[name=x].v", `"c.d"[1]`}
	sketch, err := yamledit.SketchJSON(paths, "none")
	require.NoError(t, err)
	got, err := yamledit.GetJSON(sketch, paths)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.b": "none", "list[name=x].v": "none", `"c.d"[1]`: "none"}, got)
}
