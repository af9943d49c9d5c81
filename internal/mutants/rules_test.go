package main

import (
	"bytes"
	"go/parser"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestEveryRuleStandsWhereItIsBroken checks that each rule is in exactly one place of its file, and that its package
// compiles with its replacement. Otherwise a rule whose file has moved or changed would no longer be broken.
func TestEveryRuleStandsWhereItIsBroken(t *testing.T) {
	all := slices.Clone(rules)
	for _, r := range tested {
		all = append(all, r.rule)
	}
	packages, names := load(t, all), map[string]bool{}
	for _, r := range all {
		assert.False(t, names[r.name], "%s: two rules have this name", r.name)
		names[r.name] = true
		source, err := os.ReadFile(filepath.Join("../..", r.file))
		require.NoError(t, err, r.name)
		assert.Equal(t, 1, bytes.Count(source, []byte(r.old)), "%s: in %s", r.name, r.file)
		broken := bytes.Replace(source, []byte(r.old), []byte(r.new), 1)
		assert.NoError(t, compiles(packages[filepath.Dir(r.file)], r.file, broken), r.name)
	}
}

// load parses the packages of the files of some rules, by their folders.
func load(t *testing.T, all []rule) map[string]*packages.Package {
	folders := map[string]bool{}
	for _, r := range all {
		folders["./"+filepath.Dir(r.file)] = true
	}
	loaded, err := packages.Load(&packages.Config{
		Dir: "../..", Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax,
	}, slices.Sorted(maps.Keys(folders))...)
	require.NoError(t, err)
	byFolder := map[string]*packages.Package{}
	for _, p := range loaded {
		require.Empty(t, p.Errors, p.PkgPath)
		byFolder[strings.TrimPrefix(p.PkgPath, "waybill/")] = p
	}
	return byFolder
}

// compiles returns why a package does not compile with another text of one of its files.
func compiles(p *packages.Package, file string, text []byte) error {
	broken, err := parser.ParseFile(p.Fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	files := slices.Clone(p.Syntax)
	for i, one := range p.CompiledGoFiles {
		if filepath.Base(one) == filepath.Base(file) {
			files[i] = broken
		}
	}
	imports := func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		return p.Imports[path].Types, nil
	}
	config := types.Config{Importer: importer(imports), Sizes: p.TypesSizes}
	_, err = config.Check(p.PkgPath, p.Fset, files, nil)
	return err
}

// importer finds the packages that a package imports.
type importer func(path string) (*types.Package, error)

// Import implements types.Importer.
func (find importer) Import(path string) (*types.Package, error) { return find(path) }

// TestEveryNamedTestExists checks that the tests that must notice a broken rule are there. Under a name that no test
// has, none would run.
func TestEveryNamedTestExists(t *testing.T) {
	for _, r := range tested {
		files, err := filepath.Glob(filepath.Join("../..", r.folder, "*_test.go"))
		require.NoError(t, err)
		test, story, ofStory := strings.Cut(r.test, "/")
		there := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			there = there || bytes.Contains(source, []byte("\nfunc "+test+"("))
		}
		assert.True(t, there, "%s: no %s in %s", r.name, test, r.folder)
		if ofStory {
			assert.FileExists(t, filepath.Join("../../promotion/testdata/stories", story+".txtar"), r.name)
		}
	}
}
