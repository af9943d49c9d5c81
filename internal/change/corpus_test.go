package change

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"waybill/promotion"
)

// specimen is a realistic file, the change to make in it, and the expected result.
type specimen struct {
	name          string
	set           []promotion.Assignment
	before, after string
}

// corpus reads the archives in testdata: `change` has a line KIND KEY VALUE for each value.
func corpus(t *testing.T) []specimen {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	var all []specimen
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		one := specimen{name: strings.TrimSuffix(filepath.Base(name), ".txtar")}
		for _, f := range archive.Files {
			switch f.Name {
			case "change":
				one.set = written(t, string(f.Data))
			case "before":
				one.before = string(f.Data)
			case "after":
				one.after = string(f.Data)
			}
		}
		all = append(all, one)
	}
	return all
}

func written(t *testing.T, lines string) (all []promotion.Assignment) {
	for line := range strings.Lines(lines) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		at := strings.LastIndex(rest, " ")
		key, err := Key(promotion.ChangeKind(kind), rest[:at])
		require.NoError(t, err)
		value, err := promotion.ParseTemplate(rest[at+1:])
		require.NoError(t, err)
		all = append(all, promotion.Assignment{Kind: promotion.ChangeKind(kind), Key: key, Value: value})
	}
	return all
}

func TestFilesSuchAsPeopleHaveAreChangedWhereTheyMustAndNowhereElse(t *testing.T) {
	for _, one := range corpus(t) {
		t.Run(one.name, func(t *testing.T) {
			for _, ends := range []string{"\n", "\r\n"} {
				before, after := strings.ReplaceAll(one.before, "\n", ends), strings.ReplaceAll(one.after, "\n", ends)
				s := promotion.OnePlace(&promotion.Stage{Name: "dev"},
					promotion.Target{Changes: []promotion.Change{{Path: "file", Set: one.set}}})
				r := Work(s, api142, reading(map[string]string{"file": before}), nil)
				require.True(t, r.Problem.IsZero(), r.Problem)
				require.Equal(t, after, r.Contents["file"])
				require.ElementsMatch(t, r.Values, Values(s, reading(r.Contents), nil))
			}
		})
	}
}

// TestOneValueChangesOnePlaceOfItsFile sets one value of a specimen to any text. Either Edit refuses the value, or the
// file has it on the line where the old value was, and every other byte is unchanged.
func TestOneValueChangesOnePlaceOfItsFile(t *testing.T) {
	files := corpus(t)
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.SampledFrom(files).Draw(t, "file")
		a := rapid.SampledFrom(file.set).Draw(t, "place")
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-f0-9.:v#/ -]{0,12}`),
			rapid.SampledFrom([]string{"1.2.3", "true", "null", "0123456", "142"})).Draw(t, "value")
		if Refuse(a.Kind, a.Key, value) != "" {
			return
		}
		result, err := Edit(a.Kind, []byte(file.before), a.Key, value)
		if err != nil {
			return
		}
		out, in := difference(file.before, string(result))
		if strings.Contains(out, "\n") || strings.Contains(in, "\n") {
			t.Fatalf("%s set to %q: %q became %q", a.Key, value, out, in)
		}
		for _, other := range file.set {
			was, is := says(t, other, file.before), says(t, other, string(result))
			if other.Key == a.Key {
				was = value
			}
			if is != was {
				t.Fatalf("%s set to %q: %s says %q and not %q", a.Key, value, other.Key, is, was)
			}
		}
	})
}

func says(t *rapid.T, a promotion.Assignment, content string) string {
	texts, err := kinds[a.Kind].get([]byte(content), []string{a.Key})
	text, found := texts[a.Key]
	if err != nil || !found {
		t.Fatalf("%s cannot be read: %v", a.Key, err)
	}
	return text
}

// difference returns the parts of two texts that remain without their common prefix and suffix.
func difference(before, after string) (out, in string) {
	for before != "" && after != "" && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for before != "" && after != "" && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return before, after
}
