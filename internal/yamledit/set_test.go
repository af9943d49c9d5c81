package yamledit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/keypath"
	"waybill/internal/yamledit"
)

func set(t *testing.T, content, path, value string) (string, error) {
	t.Helper()
	before := content
	result, err := yamledit.Set([]byte(content), []keypath.Assignment{{Path: path, Value: value}})
	require.Equal(t, before, content)
	return string(result), err
}

func TestAValueIsReplacedAndNothingElse(t *testing.T) {
	tests := []struct{ name, content, path, value, want string }{
		{"nested key", "image:\n  repo: x\n  tag: v1\n", "image.tag", "v2", "image:\n  repo: x\n  tag: v2\n"},
		{"comments and blanks", "# top\nimage:   # why\n    tag:   v1   # {\"policy\": \"x\"}\t\n\n# end", "image.tag", "v2",
			"# top\nimage:   # why\n    tag:   v2   # {\"policy\": \"x\"}\t\n\n# end"},
		{"windows line ends", "a: 1\r\nb: v1\r\nc: 3\r\n", "b", "v2", "a: 1\r\nb: v2\r\nc: 3\r\n"},
		{"no newline at the end", "a: v1", "a", "v2", "a: v2"},
		{"byte order mark", "\ufeffa: v1\n", "a", "v2", "\ufeffa: v2\n"},
		{"characters of several bytes before it", "é: {ü: \"ö\", a: v1}\n", "é.a", "v2", "é: {ü: \"ö\", a: v2}\n"},
		{"line breaks other than newlines", "a: 'x\u2028y'\u0085b: v1\n", "b", "v2", "a: 'x\u2028y'\u0085b: v2\n"},
		{"index", "a:\n- b: x\n- b: v1\n", "a[1].b", "v2", "a:\n- b: x\n- b: v2\n"},
		{"index of an index", "[[a, b], [c, v1]]", "[1][1]", "v2", "[[a, b], [c, v2]]"},
		{"match", "c:\n- {name: web, image: w1}\n- {name: app, image: v1}\n", "c[name=app].image", "v2",
			"c:\n- {name: web, image: w1}\n- {name: app, image: v2}\n"},
		{"match of a value with dots", "i:\n- name: ghcr.io/acme/api\n  newTag: v1\n", "i[name=ghcr.io/acme/api].newTag",
			"v2",
			"i:\n- name: ghcr.io/acme/api\n  newTag: v2\n"},
		{"key with dots", "annotations:\n  example.com/rev: v1\n", `annotations."example.com/rev"`, "v2",
			"annotations:\n  example.com/rev: v2\n"},
		{"key that is not text", "1: {true: v1}", "1.true", "v2", "1: {true: v2}"},
		{"single quotes", "a: 'v1' # x", "a", "it's", "a: 'it''s' # x"},
		{"double quotes", `a: "v\"1" # x`, "a", `say "\`, `a: "say \"\\" # x`},
		{"single quotes over several lines", "a: 'v\n  1'\nb: 2\n", "a", "v2", "a: 'v2'\nb: 2\n"},
		{"JSON", `{"a":{"b":"v1","c":[1,2]}}`, "a.b", "v2", `{"a":{"b":"v2","c":[1,2]}}`},
		{"JSON without blanks", `{"a":v1}`, "a", "v2", `{"a":v2}`},
		{"empty value", "a:\nb: 1\n", "a", "v2", "a: v2\nb: 1\n"},
		{"empty value before a comment", "a: # later\n", "a", "v2", "a: v2 # later\n"},
		{"empty element", "a:\n-\n- x\n", "a[0]", "v2", "a:\n- v2\n- x\n"},
		{"empty value in brackets", "{a: , b: 1}", "a", "v2", "{a: v2, b: 1}"},
		{"anchored value", "a: &x v1\nb: *x\n", "a", "v2", "a: &x v2\nb: *x\n"},
		{"anchored and empty", "a: &x\nb: *x\n", "a", "v2", "a: &x v2\nb: *x\n"},
		{"value on the line after its anchor", "a: &x # y\n  v1\n", "a", "v2", "a: &x # y\n  v2\n"},
		{"text by its tag", "a: !!str 1\n", "a", "2", "a: !!str \"2\"\n"},
		{"document markers", "%YAML 1.1\n---\na: v1\n...\n", "a", "v2", "%YAML 1.1\n---\na: v2\n...\n"},
		{"already there", "a: 'v1'\nb: v1, v2\n", "b", "v1, v2", "a: 'v1'\nb: v1, v2\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := set(t, test.content, test.path, test.value)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestTextStaysTextForEveryReader(t *testing.T) {
	quotes := []string{
		"1234567", "12e4567", "1e3", "012", "089", "0x1f", "0b1", "0o7", "1_000", "1.10", "1.", "true", "False", "null",
		"Null", "~", "yes", "NO", "on", "off", "y", "N", "2024-01-02", "2024-1-2T03:04:05Z", "12:30", "1:20.5", ".5", ".inf",
		"nan", "-1", "+1", "-", "", " x", "x ", "a: b", "a #b", "a:", "#a", "@a", "`a`", "*a", "&a", "!a", "%a", "|", ">",
		"? a", "- a", "{a}", "[a]", "a, b", "'a'", `"a"`, "a\nb", "a\tb", "---", "...", "<<", "=", "a\u0085b", "é\u200b", "ü",
		"\x00", "😀",
	}
	for _, value := range quotes {
		got, err := set(t, "a: v1 # x\n", "a", value)
		require.NoError(t, err, "%q", value)
		require.True(t, strings.HasPrefix(got, `a: "`) && strings.HasSuffix(got, "\" # x\n"), "%q became %q", value, got)
	}
	plain := []string{"v1", "1.4.2", "v1.4.2-rc.1+5", "abcdef1", "1a2b3c4", "0abc123", "e123456", "ghcr.io/acme/api:1.2",
		"api@sha256:0123abcd", "https://example.com/x", "hello world", "nullable", "trueish", "10.0.0.1:80",
		"01234567890123456789012345678901234567ab"}
	for _, value := range plain {
		for _, around := range []string{"a: V # x\n", "{a: V}\n", "[{a: V}, b]\n"} {
			path := strings.TrimPrefix("[0].a", strings.Repeat("[0].", map[bool]int{true: 1}[around[0] != '[']))
			got, err := set(t, strings.Replace(around, "V", "old", 1), path, value)
			require.NoError(t, err, "%q", value)
			require.Equal(t, strings.Replace(around, "V", value, 1), got)
		}
	}
}

func TestAValueKeepsItsKindWhenTheNewOneIsOfThatKind(t *testing.T) {
	tests := []struct{ old, value, want string }{
		{"3", "142", "142"},
		{"3", "-1", "-1"},
		{"1.5", "2.25", "2.25"},
		{"1", "1.5", "1.5"},
		{"true", "false", "false"},
		{"1234567", "7654321", "7654321"},
		{"1234567", "abcdef1", "abcdef1"},
		{"1234567", "12e4567", `"12e4567"`},
		{"1234567", "0123456", `"0123456"`},
		{"1.25", "1.10", `"1.10"`},
		{"3", "1e3", `"1e3"`},
		{"3", "+3", `"+3"`},
		{"3", "9007199254740993", `"9007199254740993"`},
		{"3", "10000000000000000000000", `"10000000000000000000000"`},
		{"3", "true", `"true"`},
		{"true", "1", `"1"`},
		{"true", "yes", `"yes"`},
		{"null", "1", `"1"`},
		{"~", "null", `"null"`},
		{"none", "1", `"1"`},
		{"012", "012", `"012"`},
		{"'3'", "4", "'4'"},
		{`"3"`, "4", `"4"`},
		{"2024-01-02", "2024-01-03", `"2024-01-03"`},
	}
	for _, test := range tests {
		got, err := set(t, "a: "+test.old+"\n", "a", test.value)
		require.NoError(t, err)
		require.Equal(t, "a: "+test.want+"\n", got, "%s set to %s", test.old, test.value)
	}
}

func TestWhatCannotBeSetIsRefusedWithTheReason(t *testing.T) {
	tests := []struct{ name, content, path, want string }{
		{"no such key", "image:\n  tag: v1\n", "image.tga", `set image.tga: image has no key "tga"`},
		{"no such key at the top", "a: 1", "b", `set b: the file has no key "b"`},
		{"no such index", "a: [1, 2]", "a[2]", "set a[2]: a has 2 elements and no [2]"},
		{"no such match", "a: [{n: x}]", "a[n=y].b", "set a[n=y].b: a has no element [n=y]"},
		{"several matches", "a: [{n: x}, {n: x}]", "a[n=x].m",
			"set a[n=x].m: a has 2 elements [n=x], and only one can be meant"},
		{"key of a list", "a: [1]", "a.b", `set a.b: a is a list, which has no key "b"`},
		{"key of a value", "a: 1", "a.b", `set a.b: a is a single value, which has no key "b"`},
		{"key of nothing", "a:", "a.b", `set a.b: a is empty, which has no key "b"`},
		{"index of a mapping", "a: {b: 1}", "a[0]", "set a[0]: a is a mapping, which has no element [0]"},
		{"a mapping", "a: {b: 1}", "a", "set a: a is a mapping, and only a single value can be set"},
		{"a list", "a: [1]", "a", "set a: a is a list, and only a single value can be set"},
		{"a repeated key", "a: 1\na: 2\n", "a", `set a: the file has the key "a" more than once`},
		{"an alias", "a: &x v1\nb: *x\n", "b",
			"set b: b is the alias *x, and setting it would change what stands at the anchor"},
		{"behind an alias", "a: &x {c: v1}\nb: *x\n", "b.c",
			"set b.c: b is the alias *x, and setting it would change what stands at the anchor"},
		{"a merged key", "a: &x {c: v1}\nb: {<<: *x}\n", "b.c",
			`set b.c: b has no key "c" of its own (what << brings in cannot be set)`},
		{"a literal block", "a: |\n  v1\n", "a",
			"set a: it is a block of text (| or >); write it as a value on one line to have it set"},
		{"a folded block", "a: >-\n  v1\n", "a",
			"set a: it is a block of text (| or >); write it as a value on one line to have it set"},
		{"text over several lines", "a: v1\n  v2\n", "a",
			"set a: it is text without quotes over several lines; write it on one line to have it set"},
		{"another tag", "a: !vault x\n", "a", "set a: it has the tag !vault, and only plain values and !!str can be set"},
		{"a key without a value", "{a}", "a", "set a: line 1 would change its meaning too"},
		{"bad path", "a: 1", "a..b", `set a..b: the path lacks a key before ".b"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := set(t, test.content, test.path, "v2")
			var problem *keypath.Error
			require.ErrorAs(t, err, &problem)
			require.Equal(t, test.path, problem.Path)
			require.True(t, strings.HasPrefix(err.Error(), test.want), "got %q", err)
		})
	}
}

func TestAFileThatIsNotYAMLIsRefused(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"empty", "", "read YAML: the file is empty"},
		{"only a comment", "# x\n", "read YAML: the file is empty"},
		{"not YAML", "a: b: c\n", "read YAML: "},
		{"not YAML behind the first document", "a: 1\n---\n- b: [\n", "read YAML: "},
		{"not UTF-8", "a: \xff\n", "read YAML: "},
		{"too large", strings.Repeat("#", 5<<20), "read YAML: 5242880 bytes are more than the 4194304 that are read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := set(t, test.content, "a", "v2")
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := set(t, "a: 1\n", "a", "\xff")
	require.EqualError(t, err, "set a: the new value is not valid UTF-8")
}

func TestSeveralValuesAreSetAtOnceOrNotAtAll(t *testing.T) {
	content := []byte("a: v1\nb: {c: v1, d: \"v1\"}\n")
	got, err := yamledit.Set(content,
		[]keypath.Assignment{{Path: "b.d", Value: "longer"}, {Path: "a", Value: "2.0"}, {Path: "b.c", Value: "x"}})
	require.NoError(t, err)
	require.Equal(t, "a: \"2.0\"\nb: {c: x, d: \"longer\"}\n", string(got))

	_, err = yamledit.Set(content,
		[]keypath.Assignment{{Path: "a", Value: "v2"}, {Path: "b.x", Value: "1"}, {Path: `"a"`, Value: "v3"}})
	require.EqualError(t, err, "set b.x: b has no key \"x\"\nset \"a\": a sets the same value")

	got, err = yamledit.Set(content, nil)
	require.NoError(t, err)
	require.Equal(t, content, got)
}
