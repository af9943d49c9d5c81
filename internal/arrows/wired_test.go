package arrows

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEachEventThatWebhooksTellOfIsTaken compares the types of events that package handlers returns with the types that
// the learners of app/intake and the GitHub surface accept.
func TestEachEventThatWebhooksTellOfIsTaken(t *testing.T) {
	s := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	told, taken := map[string]bool{}, map[string]bool{}
	s.eachNode(t, "handlers", func(n ast.Node, info *types.Info) {
		if call, is := n.(*ast.CallExpr); is && nameOf(call.Fun) == "tell" {
			told[info.TypeOf(call.Args[0]).String()] = true
		}
	})
	s.eachNode(t, "app/intake", func(n ast.Node, info *types.Info) {
		if call, is := n.(*ast.CallExpr); is && nameOf(call.Fun) == "on" {
			params := info.TypeOf(call.Args[0]).(*types.Signature).Params()
			taken[params.At(params.Len()-1).Type().String()] = true
		}
	})
	s.eachNode(t, "app/show/ongithub", func(n ast.Node, info *types.Info) {
		if each, is := n.(*ast.CaseClause); is {
			for _, e := range each.List {
				if info.Types[e].IsType() {
					taken[info.TypeOf(e).String()] = true
				}
			}
		}
	})
	for event := range told {
		require.True(t, taken[event], "%s has no learner in app/intake/learners.go, and no case in Identify of "+
			"app/show/ongithub", event)
	}
	for event := range taken {
		require.True(t, told[event], "%s: package handlers never tells of one", event)
	}
}

// TestEachSurfaceIsWired compares the packages below app/show with the surfaces that package app lists, and with the
// sources of deliveries that the database allows.
func TestEachSurfaceIsWired(t *testing.T) {
	s := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	wired := map[string]bool{} // by its folder
	s.eachNode(t, "app", func(n ast.Node, info *types.Info) {
		if list, is := n.(*ast.CompositeLit); is && isNamed(info.TypeOf(list), "Surfaces") {
			for _, e := range list.Elts {
				of := info.TypeOf(e).(*types.Pointer).Elem().(*types.Named).Obj().Pkg().Path()
				wired[strings.TrimPrefix(of, module+"/")] = true
			}
		}
	})
	schema, err := os.ReadFile("../../store/schema.sql")
	require.NoError(t, err)
	taken := regexp.MustCompile(`\bsource +TEXT NOT NULL CHECK \(source IN \((.*)\)\)`).FindSubmatch(schema)
	require.NotNil(t, taken)
	for folder, name := range s.surfaces(t) {
		require.True(t, wired[folder], "%s is not among the surfaces of app/app.go", folder)
		require.Contains(t, string(taken[1]), "'"+name+"'", "store/schema.sql takes no deliveries of %s", name)
	}
}

// TestEachKindOfViewHasASurface compares the kinds of views with the rows that describe how they are shown, and these
// rows with the surfaces.
func TestEachKindOfViewHasASurface(t *testing.T) {
	s := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	shownBy := map[string]string{} // kind to surface
	s.eachNode(t, "app/surface", func(n ast.Node, info *types.Info) {
		row, is := n.(*ast.KeyValueExpr)
		if !is || !isNamed(info.TypeOf(row.Value), "Kind") {
			return
		}
		for _, e := range row.Value.(*ast.CompositeLit).Elts {
			if field := e.(*ast.KeyValueExpr); nameOf(field.Key) == "Surface" {
				shownBy[nameOf(row.Key)] = textOf(t, info, field.Value)
			}
		}
	})
	declared, err := s.Import(module + "/app/surface")
	require.NoError(t, err)
	for _, name := range declared.Scope().Names() {
		if _, is := declared.Scope().Lookup(name).(*types.Const); is && strings.HasPrefix(name, "Kind") {
			require.Contains(t, shownBy, name, "Kinds of app/surface/kinds.go has no row for it")
		}
	}
	surfaces := slices.Collect(maps.Values(s.surfaces(t)))
	for kind, name := range shownBy {
		require.Contains(t, surfaces, name, "%s of app/surface/kinds.go is shown by no surface", kind)
	}
}

// surfaces returns the names of the surfaces by their folders.
func (s sources) surfaces(t *testing.T) map[string]string {
	entries, err := os.ReadDir("../../app/show")
	require.NoError(t, err)
	names := map[string]string{}
	for _, e := range entries {
		if e.IsDir() {
			names["app/show/"+e.Name()] = s.surfaceName(t, "app/show/"+e.Name())
		}
	}
	require.NotEmpty(t, names)
	return names
}

// surfaceName returns the result of the method Name of a surface.
func (s sources) surfaceName(t *testing.T, folder string) (name string) {
	s.eachNode(t, folder, func(n ast.Node, info *types.Info) {
		if f, is := n.(*ast.FuncDecl); is && f.Name.Name == "Name" && f.Recv != nil {
			name = textOf(t, info, f.Body.List[0].(*ast.ReturnStmt).Results[0])
		}
	})
	require.NotEmpty(t, name, "%s has no surface", folder)
	return name
}

// eachNode visits the syntax of a package.
func (s sources) eachNode(t *testing.T, folder string, visit func(ast.Node, *types.Info)) {
	files, info := s.check(t, folder)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			visit(n, info)
			return true
		})
	}
}

// textOf returns the text that a constant expression stands for.
func textOf(t *testing.T, info *types.Info, e ast.Expr) string {
	value := info.Types[e].Value
	require.NotNil(t, value, "%s is no constant", types.ExprString(e))
	text, err := strconv.Unquote(value.ExactString())
	require.NoError(t, err)
	return text
}

func isNamed(t types.Type, name string) bool {
	named, is := t.(*types.Named)
	return is && named.Obj().Name() == name
}

// TestEachKindOfWarehouseIsDescribed looks for each kind of warehouse in the documentation, and in the generator of
// random histories.
func TestEachKindOfWarehouseIsDescribed(t *testing.T) {
	s := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	declared, err := s.Import(core)
	require.NoError(t, err)
	drawn := regexp.MustCompile(`(?m)^var kinds = .*$`).FindString(read(t, "internal/torture/shape/shape.go"))
	told := regexp.MustCompile(`(?m)^\s+Kind .*$`).FindString(read(t, "app/api/pipelines.go"))
	for _, name := range declared.Scope().Names() {
		kind, is := declared.Scope().Lookup(name).(*types.Const)
		if !is || !isNamed(kind.Type(), "WarehouseKind") {
			continue
		}
		key, err := strconv.Unquote(kind.Val().ExactString())
		require.NoError(t, err)
		require.Contains(t, read(t, "docs/warehouses.md"), "\n| `"+key+"` |")
		require.Contains(t, told, key, "app/api/pipelines.go")
		require.Contains(t, drawn, `"`+key+`"`, "internal/torture/shape/shape.go")
	}
}
