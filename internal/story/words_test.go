package story

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

// Patterns for the tables of docs/stories.md: rows, and code in their cells.
var (
	row      = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| (.*) \\|$")
	codeSpan = regexp.MustCompile("`([^`]+)`")
)

// described returns the code in the first cells of the tables between two headings of docs/stories.md.
func described(t *testing.T, from, to string) (all []string) {
	t.Helper()
	doc, err := os.ReadFile("../../docs/stories.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(doc), from+"\n")
	require.True(t, found, from)
	text, _, found = strings.Cut(text, to+"\n")
	require.True(t, found, to)
	for _, r := range row.FindAllStringSubmatch(text, -1) {
		for _, span := range codeSpan.FindAllStringSubmatch(r[1], -1) {
			all = append(all, span[1])
		}
	}
	return all
}

// firstWords returns the first words of texts, sorted and without duplicates.
func firstWords(texts []string) (all []string) {
	for _, text := range texts {
		word, _, _ := strings.Cut(text, " ")
		all = append(all, word)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestTheDocumentationDescribesEveryWordOfTheNotationAndNoOther(t *testing.T) {
	for _, result := range []struct {
		from, to string
		known    []string
	}{
		{"| happening | meaning |", "| place or name | meaning |", kinds()},
		{"### States", "### Classes", states()},
		{"### Classes", "### Effects", classes},
		{"### Effects", "### Events", verbs},
		{"### Events", "## Reasons", slices.Concat(stageEvents, freightEvents)},
		{"## Reasons", "## Writing one", codes},
	} {
		require.ElementsMatch(t, firstWords(result.known), firstWords(described(t, result.from, result.to)), result.from)
	}
}

func TestEveryHappeningOfTheDocumentationParses(t *testing.T) {
	for _, text := range described(t, "| happening | meaning |", "| place or name | meaning |") {
		h, err := happening(&scanner{text: text})
		require.NoError(t, err)
		require.Equal(t, text, h.String())
	}
}

// TestTheDocumentationListsEveryResult compares each list of words with the list that the parser offers for an unknown
// word.
func TestTheDocumentationListsEveryResult(t *testing.T) {
	doc, err := os.ReadFile("../../docs/stories.md")
	require.NoError(t, err)
	lists := map[string]bool{}
	for _, r := range row.FindAllStringSubmatch(string(doc), -1) {
		text := strings.Trim(r[1], "`")
		if !strings.Contains(text, "RESULT") {
			continue
		}
		var listed []string
		for _, span := range codeSpan.FindAllStringSubmatch(r[2], -1) {
			listed = append(listed, span[1])
		}
		require.Equal(t, offered(t, text), listed, text)
		lists[strings.Fields(text)[0]] = true
	}
	for _, kind := range []Kind{Check, Status, Deployment, Workflow, Review, Grant, Target, Crash} {
		require.True(t, lists[string(kind)], "the results of %s are not listed", kind)
	}
}

// offered returns the words that the parser accepts in place of RESULT.
func offered(t *testing.T, text string) []string {
	t.Helper()
	_, err := happening(&scanner{text: text})
	require.ErrorContains(t, err, `"RESULT": want one of `)
	_, words, _ := strings.Cut(err.Error(), "want one of ")
	return strings.Split(words, ", ")
}

// TestStoriesKnowEveryReason compares the table of reasons with the core's, so that every printed reason parses.
func TestStoriesKnowEveryReason(t *testing.T) {
	tree, err := goparser.ParseFile(token.NewFileSet(), "../../promotion/reason.go", nil, 0)
	require.NoError(t, err)
	var known []string
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		if typ, named := spec.Type.(*ast.Ident); named && typ.Name == "Code" {
			word, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			known = append(known, word)
		}
		return true
	})
	require.Contains(t, known, string(promotion.Asked))
	require.ElementsMatch(t, known, codes)
}
