package markedit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/internal/keypath"
	"waybill/internal/markedit"
	"waybill/internal/spent"
)

func set(content, name, value string) (string, error) {
	result, err := markedit.Set([]byte(content), []keypath.Assignment{{Path: name, Value: value}})
	return string(result), err
}

func TestTheValueOfAMarkedLineIsReplacedAndNothingElse(t *testing.T) {
	tests := []struct{ name, content string }{
		{"Terraform", "variable \"x\" {}\n  image_tag = \"OLD\" # waybill: tag\n"},
		{"Terraform, in a list", "tags = [\n  \"OLD\", # waybill: tag\n]\n"},
		{"JSON with comments", "{\n  \"tag\": \"OLD\", // waybill: tag\n}\n"},
		{"an environment file", "A=1\n# waybill: tag\nTAG=OLD\n"},
		{"exported", "export TAG=OLD # waybill: tag\n"},
		{"a Dockerfile", "# waybill: tag\nFROM OLD\n"},
		{"an argument of a Dockerfile", "# waybill: tag\nARG TAG=OLD\n"},
		{"a Makefile", "TAG := OLD # waybill: tag\n"},
		{"YAML", "image:\n  tag: OLD   #waybill:tag\t\n"},
		{"an element of YAML", "- OLD # waybill: tag\n"},
		{"single quotes", "tag='OLD' ; waybill: tag\n"},
		{"SQL", "SELECT 'OLD'; -- waybill: tag\n"},
		{"XML", "<!-- waybill: tag -->\n\tOLD\n"},
		{"a block comment", "let v = f(\"OLD\"); /* waybill: tag*/\n"},
		{"Windows", "A=1\r\nTAG=OLD # waybill: tag\r\nB=2\r\n"},
		{"no newline at the end", "TAG=OLD # waybill: tag"},
		{"a file that is its value", "# waybill: tag\nOLD"},
		{"an address", "url: https://example.com:80/OLD # waybill: tag\n"},
		{"two marks before one line", "# waybill: other\n# waybill: tag\nTAG=OLD\n"},
		{"characters of several bytes before it", "é = \"ü\" \n x = \"OLD\" # waybill: tag\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			old, value := "v1", "v2.0"
			if test.name == "an address" {
				old, value = "https://example.com:80/v1", "https://example.com/v2"
				test.content = strings.Replace(test.content, "https://example.com:80/OLD", "OLD", 1)
			}
			got, err := set(strings.Replace(test.content, "OLD", old, 1), "tag", value)
			require.NoError(t, err)
			require.Equal(t, strings.Replace(test.content, "OLD", value, 1), got)
			says, err := markedit.Get([]byte(got), []string{"tag", "gone"})
			require.NoError(t, err)
			require.Equal(t, map[string]string{"tag": value}, says)
		})
	}
}

func TestALineThatDoesNotSayWhatItsValueIsIsRefused(t *testing.T) {
	const words = "set tag: line 1 does not say which word is its value; put the value in quotes, or write it as " +
		"NAME=VALUE or NAME: VALUE"
	tests := []struct{ content, want string }{
		{"tag = \"v1\"\n", "set tag: no value is marked so; put the comment `# waybill: tag` at the end of the line that " +
			"has it, or alone on the line before"},
		{"a=1 # waybill: tag\nb=2 # waybill: tag\n",
			"set tag: lines 1 and 2 are both marked so; give each a name of its own"},
		{"FROM a AS b # waybill: tag\n", words},
		{"a=b=c # waybill: tag\n", words},
		{"a= # waybill: tag\n", words},
		{"a = \"x\" + y # waybill: tag\n", "set tag: line 1 does not end with a value in plain quotes"},
		{"a = \"x\\\"y\" # waybill: tag\n", "set tag: line 1 does not end with a value in plain quotes"},
		{"a = 'it''s' # waybill: tag\n", "set tag: line 1 does not end with a value in plain quotes"},
		{"a = f\"x\" # waybill: tag\n", "set tag: line 1 does not end with a value in plain quotes"},
		{"a = \" x \" y\" # waybill: tag\n", "set tag: line 1 does not end with a value in plain quotes"},
		{"# waybill: tag\n\nTAG=v1\n", "set tag: line 2 is empty, and has no value"},
		{"# waybill: tag\n", "set tag: no value is marked so; put the comment `# waybill: tag` at the end of the line that " +
			"has it, or alone on the line before"},
		{"a = \"\xff\" # waybill: tag\n", "read lines: the file is not UTF-8"},
		{strings.Repeat("x", 5<<20), "read lines: 5242880 bytes are more than the 4194304 that are read"},
	}
	for _, test := range tests {
		_, err := set(test.content, "tag", "v2")
		require.EqualError(t, err, test.want)
	}
}

func TestAValueThatCouldMeanMoreThanTextIsRefused(t *testing.T) {
	for _, value := range []string{`a"b`, "a'b", "a`b", `a\b`, "$(id)", "${x}", "%{x}", "a\nb", "a\x00"} {
		_, err := set("a = \"v1\" # waybill: tag\n", "tag", value)
		require.EqualError(t, err, `set tag: a marked value has no quotes, no \ $ % { } and nothing that cannot be seen`,
			value)
	}
	for _, value := range []string{"", "api#142", "a b", "-x", "a,b", "a=b"} {
		_, err := set("a=v1 # waybill: tag\n", "tag", value)
		require.EqualError(t, err,
			"set tag: the new value is more than a word, and the file has no quotes around the value; put some there", value)
		got, err := set("a='v1' # waybill: tag\n", "tag", value)
		require.NoError(t, err)
		require.Equal(t, "a='"+value+"' # waybill: tag\n", got)
	}
}

func TestSeveralMarksAreSetAtOnceOrNotAtAll(t *testing.T) {
	const file = "a=1 # waybill: x\nb=2 # waybill: y\n# waybill: z\nc=3 # waybill: zz\n"
	got, err := markedit.Set([]byte(file), []keypath.Assignment{{Path: "y", Value: "20"}, {Path: "x", Value: "10"}})
	require.NoError(t, err)
	require.Equal(t, "a=10 # waybill: x\nb=20 # waybill: y\n# waybill: z\nc=3 # waybill: zz\n", string(got))
	_, err = markedit.Set([]byte(file), []keypath.Assignment{
		{Path: "x", Value: "10"}, {Path: "z", Value: "4"}, {Path: "zz", Value: "5"}, {Path: "y", Value: "$"},
	})
	require.EqualError(t, err, "set zz: another name marks the same value\nset y: a marked value has no quotes, no \\ $ "+
		"% { } and nothing that cannot be seen")
}

func TestASketchHasAMarkedValueForEachName(t *testing.T) {
	sketch, err := markedit.Sketch([]string{"image.tag", "x"}, "none")
	require.NoError(t, err)
	says, err := markedit.Get(sketch, []string{"image.tag", "x"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"image.tag": "none", "x": "none"}, says)
}

// FuzzSet sets a marked value in any bytes: Set never panics and changes one line, and Get then returns the value.
func FuzzSet(f *testing.F) {
	f.Add([]byte("a = \"v1\" # waybill: tag\n"), "tag", "v2")
	f.Add([]byte("A=1\r\n# waybill: a.b\r\nB := v1,\r\n"), "a.b", "é x")
	f.Add([]byte("<!-- waybill: x -->\nFROM v1\nf('y') /* waybill: y*/"), "x", "a:b@c")
	f.Fuzz(func(t *testing.T, content []byte, name, value string) {
		var result []byte
		var err error
		spent.Bound{Base: 1 << 20, PerByte: 4 << 10}.Check(t, len(content)+len(name)+len(value), func() {
			result, err = markedit.Set(content, []keypath.Assignment{{Path: name, Value: value}})
		})
		if err != nil {
			return
		}
		says, err := markedit.Get(result, []string{name})
		if err != nil || says[name] != value {
			t.Fatalf("%q with %s set to %q says %q, %v", content, name, value, says[name], err)
		}
		was, _ := markedit.Get(content, []string{name})
		if back, err := markedit.Set(result, []keypath.Assignment{{Path: name, Value: was[name]}}); err == nil &&
			string(back) != string(content) {
			t.Fatalf("%q became %q and then %q", content, result, back)
		}
		if strings.Count(string(result), "\n") != strings.Count(string(content), "\n") {
			t.Fatalf("%q became %q, with other lines", content, result)
		}
	})
}
