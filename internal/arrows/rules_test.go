package arrows

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rulebook is the page that defines every rule. The heading of a section defines it, the bold number at the beginning
// of a paragraph defines a rule, and the first cell of a row defines an example or a case.
const rulebook = "docs/semantics.md"

// stories is the folder of the stories of the rules.
const stories = "promotion/testdata/stories/"

var definition = regexp.MustCompile(`(?m)^(?:## ([1-9])\. |\*\*([1-9]\.\d{1,2})\*\* |\| ([AFQRT]\d{1,2}) \|)`)

// definitions counts how often a text defines each id.
func definitions(text string) map[string]int {
	defined := map[string]int{}
	for _, m := range definition.FindAllStringSubmatch(text, -1) {
		defined[m[1]+m[2]+m[3]]++
	}
	return defined
}

func TestEveryRuleThatIsCitedIsDefined(t *testing.T) {
	defined := definitions(read(t, rulebook))
	families := map[byte]bool{}
	var wrong []string
	eachText(t, func(path, text string) {
		ids := citations(path, text)
		slices.Sort(ids)
		ids = slices.Compact(ids)
		for _, id := range ids {
			families[id[0]] = true
		}
		for _, id := range undefined(ids, defined) {
			wrong = append(wrong, fmt.Sprintf("%s cites %s, which %s does not define", path, id, rulebook))
		}
		if section := stranger.FindString(text); section != "" {
			wrong = append(wrong, fmt.Sprintf("%s cites %q, a document that the repository does not have", path, section))
		}
	})
	require.Empty(t, wrong, strings.Join(wrong, "\n"))
	for _, family := range "AFQRT1234567" {
		require.True(t, families[byte(family)], "no rule of %c is cited: the search is broken", family)
	}
}

// undefined returns the ids without a definition.
func undefined(ids []string, defined map[string]int) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return defined[id] > 0 })
}

func TestEveryRuleIsDefinedOnce(t *testing.T) {
	defined := definitions(read(t, rulebook))
	for id, times := range defined {
		require.Equal(t, 1, times, "%s is defined %d times", id, times)
		require.Contains(t, defined, before(id), "%s is defined, and the one before it is not", id)
	}
}

func TestEveryExampleHasAStory(t *testing.T) {
	told := map[string]bool{}
	eachText(t, func(path, _ string) {
		for _, id := range citedByFile(path) {
			told[id] = true
		}
	})
	for id := range definitions(read(t, rulebook)) {
		if id[0] == 'A' || id[0] == 'Q' {
			require.True(t, told[id], "no story in %s is named for %s", stories, id)
		}
	}
}

// before returns the id that must be defined before an id: A1 before A2, 7 before 7.1. For the first it returns the id
// itself.
func before(id string) string {
	var number int
	family := id[:1]
	switch _, err := fmt.Sscanf(id[1:], "%d", &number); {
	case strings.Contains(id, "."):
		return family
	case err != nil || number == 1:
		return id
	}
	return fmt.Sprintf("%s%d", family, number-1)
}

// The forms in which texts cite rules: A1; semantics 7.1; (A1, 7.1); and in names of tests and stories A1 or S71.
var (
	caseWord  = regexp.MustCompile(`\b[AFQRT]\d{1,2}\b`)
	byNumber  = regexp.MustCompile(`(?i)\bsemantics (\d(?:\.\d+)?(?:(?:, | and | to )\d(?:\.\d+)?)*)`)
	number    = regexp.MustCompile(`\d(?:\.\d+)?`)
	bracketed = regexp.MustCompile(`\(([^()]+)\)`)
	item      = regexp.MustCompile(`^(?:[AFQRT]\d{1,2}|[1-9](?:\.\d{1,2})?)$`)
	inName    = regexp.MustCompile(`[AFQRST]\d+`)
	fileName  = regexp.MustCompile(`^(?:[afqrst]\d+-)+`)
	codeSpan  = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	// stranger is the citation of a section of a document that is named in capitals; the rulebook is not.
	stranger = regexp.MustCompile(`\b[A-Z]{5,}\s(?://\s)?\d\.\d+\b`)
)

// citations returns the ids that a file cites, by its kind.
func citations(path, text string) []string {
	switch filepath.Ext(path) {
	case ".go":
		return citedInGo(path, text)
	case ".md":
		prose := codeSpan.ReplaceAllString(text, " ")
		return slices.Concat(caseWord.FindAllString(prose, -1), numbers(prose), inBrackets(prose, isRule))
	case ".txtar":
		prose, _, _ := strings.Cut(text, "\n-- ")
		return slices.Concat(citedByFile(path), caseWord.FindAllString(prose, -1), numbers(prose), inBrackets(prose, isAny))
	}
	return slices.Concat(numbers(text), inBrackets(text, isCase))
}

// citedInGo returns the ids in comments, in the names of tests, and in brackets in texts such as the names of subtests.
func citedInGo(path, source string) (ids []string) {
	tree, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments)
	if err != nil {
		return []string{"what does not parse: " + err.Error()}
	}
	for _, group := range tree.Comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		ids = slices.Concat(ids, caseWord.FindAllString(text, -1), numbers(text), inBrackets(text, isRule))
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				ids = slices.Concat(ids, numbers(n.Value), inBrackets(n.Value, isCase))
			}
		case *ast.FuncDecl:
			ids = slices.Concat(ids, citedByName(n.Name.Name))
		}
		return true
	})
	return ids
}

// numbers returns the numbers of rules that stand behind the name of the rulebook.
func numbers(text string) (ids []string) {
	for _, m := range byNumber.FindAllStringSubmatch(text, -1) {
		ids = append(ids, number.FindAllString(m[1], -1)...)
	}
	return ids
}

// A list in brackets cites rules if each of its items looks like one, and one of them cannot be anything else: in a
// story that is any item, in prose and comments an id or a rule's number, and in texts of programs an id.
var (
	isAny  = regexp.MustCompile(`.`)
	isRule = regexp.MustCompile(`[.A-Z]`)
	isCase = regexp.MustCompile(`[A-Z]`)
)

// inBrackets returns the items of the lists in brackets that cite rules.
func inBrackets(text string, certain *regexp.Regexp) (ids []string) {
	for _, m := range bracketed.FindAllStringSubmatch(text, -1) {
		items := strings.Split(strings.Join(strings.Fields(m[1]), " "), ", ")
		strange := slices.ContainsFunc(items, func(s string) bool { return !item.MatchString(s) })
		if !strange && slices.ContainsFunc(items, certain.MatchString) {
			ids = append(ids, items...)
		}
	}
	return ids
}

// citedByName returns the ids in the name of a test: words of one capital and digits.
func citedByName(name string) (ids []string) {
	rest, test := strings.CutPrefix(name, "Test")
	if !test {
		return nil
	}
	for _, at := range inName.FindAllStringIndex(rest, -1) {
		word := rest[at[0]:at[1]]
		inside := at[0] > 0 && rest[at[0]-1] >= 'A' && rest[at[0]-1] <= 'Z'
		if !inside && len(word) <= 3+strings.Count(word, "S") {
			ids = append(ids, section(word))
		}
	}
	return ids
}

// citedByFile returns the ids that begin the name of a story.
func citedByFile(path string) (ids []string) {
	if filepath.Ext(path) != ".txtar" {
		return nil
	}
	for _, word := range inName.FindAllString(strings.ToUpper(fileName.FindString(filepath.Base(path))), -1) {
		ids = append(ids, section(word))
	}
	return ids
}

// section returns the id that a word in a name means: S71 is rule 7.1, and zeros before a number say nothing.
func section(word string) string {
	digits, is := strings.CutPrefix(word, "S")
	switch {
	case !is:
		return word[:1] + strings.TrimLeft(word[1:], "0")
	case len(digits) == 1:
		return digits
	}
	return digits[:1] + "." + digits[1:]
}

func TestCitationsAreFoundAndNothingElseIsTakenForOne(t *testing.T) {
	for _, c := range []struct {
		path, text string
		want       []string
	}{
		{"a.go", "package a\n\n// one does it (Q4, F41). It is\n// as semantics 7.1 to 7.4 say.",
			[]string{"Q4", "F41", "7.1", "7.4", "Q4", "F41"}},
		{"a.go", "package a\n\n// broken by lines (semantics\n// 6.4).", []string{"6.4"}},
		{"a.go", "package a\n\n// both (7.1, 12.5) and (see A1) and (2)", []string{"A1"}},
		{"a.go", "package a\n\nfunc F[T16 any](S3 T16) { _ = 0xF32 }", nil},
		{"a.go", "package a\n\nvar x = []string{\"T1\", \"f32a A1b\", \"(2)\", \"S3://x\", \"#F32\"}", nil},
		{"a.go", "package a\n\nvar x = []string{\"(F3, T21)\", \"(semantics 7.1)\"}", []string{"F3", "T21", "7.1"}},
		{"a.go", "package a\n\n// sha256, SHA256, 0xF32, RFC 7636 and S256, UTF8, T16x", nil},
		{"a.go", "package a\n\nfunc TestOnceF2T39() {}\nfunc TestT28AButton() {}\nfunc TestItS71() {}\nfunc TestTheQ3() {}",
			[]string{"F2", "T39", "T28", "7.1", "Q3"}},
		{"a.go", "package a\n\nfunc TestA405IsUTF8OfSHA256() {}\nfunc DoF2() {}", nil},
		{"a.md", "Q4 and `F99`\n```\nT98\n```\n(1.5), (3) and semantics 2", []string{"Q4", "2", "1.5"}},
		{"q01-q04-s64-it-is-so.txtar", "It is so (4, T31; or not), (4, T31).\n-- story --\nA99 (1.2)",
			[]string{"Q1", "Q4", "6.4", "T31", "T31", "4", "T31"}},
		{"a.sql", "-- as (semantics 5.2, 5.10) say (F5), not (2)", []string{"5.2", "5.10", "F5"}},
	} {
		require.Equal(t, c.want, citations(c.path, c.text), c.text)
	}
	require.Regexp(t, stranger, "as RULES"+" 4.2 say")
	require.NotRegexp(t, stranger, "HTTP 1.1, semantics 4.2")
}

func TestDefinitionsAreFoundAndCounted(t *testing.T) {
	defined := definitions("## 2. Availability\n\n**2.1** It is.\nAs **2.9** is not.\n\n" +
		"| id | x |\n| A1 | yes |\n| A1 | no |\n| see A2 | A3 |\n")
	require.Equal(t, map[string]int{"2": 1, "2.1": 1, "A1": 2}, defined)
	require.Equal(t, []string{"A2", "3"}, undefined([]string{"A1", "A2", "2.1", "3"}, defined))
}

// read returns a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", path))
	require.NoError(t, err)
	return string(text)
}

// eachText visits every file of the repository that may cite rules, tests and stories included.
func eachText(t *testing.T, visit func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".md", ".txtar", ".sql"}, filepath.Ext(path)):
			return nil
		}
		name, err := filepath.Rel("../..", path)
		if err == nil {
			visit(filepath.ToSlash(name), read(t, name))
		}
		return err
	})
	require.NoError(t, err)
}
