package store

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fragment is a text in the source that is a statement or part of one.
type fragment struct {
	place   token.Position
	pattern *regexp.Regexp // has a wildcard for each part known only at run time
}

// keyword tells SQL, with its keywords in capitals, from other texts.
var keyword = regexp.MustCompile(`\b(` +
	`SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|SET|VALUES|AND|OR|NOT|IN|IS|NULL|CASE|EXISTS|` +
	`JOIN|ON|DO|ORDER|GROUP|HAVING|LIMIT|OFFSET|RETURNING|UNION|COALESCE|MIN|MAX|COUNT|SUM)\b`)

// verb matches a verb of fmt.Sprintf.
var verb = regexp.MustCompile(`%(\[\d+\])?[ds]`)

// runs maps each function that runs a statement, alone or in a batch, to the index of its statement argument.
var runs = map[string]int{"exec": 0, "one": 1, "list": 2, "mustChange": 1, "rowInto": 2, "rowsInto": 2}

// fragments returns every text with SQL in the package without its tests. A concatenation of constants is one text.
func fragments(t *testing.T) []fragment {
	t.Helper()
	s := source{
		set: token.NewFileSet(), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}},
		whole: map[ast.Expr]bool{}, read: map[ast.Node]bool{},
	}
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(s.set, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	// Imports are not resolved: this causes errors but leaves the values of constants correct.
	_, _ = (&types.Config{Importer: noImports{}, Error: func(error) {}}).Check("store", s.set, files, s.info)
	for _, file := range files {
		ast.Inspect(file, s.visit)
	}
	return s.found
}

// noImports is an importer that finds no package.
type noImports struct{}

// Import implements types.Importer.
func (noImports) Import(string) (*types.Package, error) { return nil, os.ErrNotExist }

// source is the source of the package during the search.
type source struct {
	set   *token.FileSet
	info  *types.Info
	whole map[ast.Expr]bool // expressions that are whole statements
	read  map[ast.Node]bool // expressions that are part of another one
	found []fragment
}

func (s *source) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if i, ok := runs[nameOf(n.Fun)]; ok && i < len(n.Args) {
			s.whole[n.Args[i]] = true
		}
		s.text(n)
	case *ast.BasicLit:
		s.text(n)
	case *ast.BinaryExpr:
		s.text(n)
	}
	return true
}

// nameOf returns the name of a function or method.
func nameOf(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// text adds an expression to the fragments if it is a text with SQL.
func (s *source) text(e ast.Expr) {
	if s.read[e] {
		return
	}
	pattern, sql := s.pattern(e)
	if !sql {
		return
	}
	if s.whole[e] {
		pattern = "^" + pattern + "$"
	}
	s.found = append(s.found, fragment{s.set.Position(e.Pos()), regexp.MustCompile("(?s)" + pattern)})
}

// pattern returns a regular expression for the values of a Go expression, and reports whether they contain SQL.
func (s *source) pattern(e ast.Expr) (pattern string, sql bool) {
	if v := s.info.Types[e].Value; v != nil && v.Kind() == constant.String {
		ast.Inspect(e, func(n ast.Node) bool { s.read[n] = true; return true })
		return s.constant(constant.StringVal(v))
	}
	s.read[e] = true
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.pattern(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, sql1 := s.pattern(e.X)
			right, sql2 := s.pattern(e.Y)
			return left + right, sql1 || sql2
		}
	case *ast.CallExpr:
		if nameOf(e.Fun) == "Sprintf" {
			return s.pattern(e.Args[0])
		}
	}
	delete(s.read, e)
	return ".*", false
}

func (s *source) constant(text string) (pattern string, sql bool) {
	for i, result := range verb.Split(text, -1) {
		if i > 0 {
			pattern += ".*"
		}
		pattern += regexp.QuoteMeta(result)
	}
	return pattern, keyword.MatchString(text)
}

func (f fragment) String() string { return fmt.Sprintf("%s: %s", f.place, f.pattern) }
