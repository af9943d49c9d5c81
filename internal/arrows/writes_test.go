package arrows

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// core is the package whose values are protected from writes.
const core = module + "/promotion"

// writing are the packages and files of the core that may write: decide drafts a decision, and two files of command
// fill in commands.
var writing = []string{"promotion/decide", "promotion/command/parse.go", "promotion/command/together.go"}

// TestRoomsOfTheCoreWriteNothing checks that no other package of the core assigns to a value of promotion through a
// pointer, or to an element of a slice or map parameter. It sees assignments, not the effects of calls.
func TestRoomsOfTheCoreWriteNothing(t *testing.T) {
	checked := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	for room := range allowed {
		if filepath.Dir(room) != "promotion" || slices.Contains(writing, room) {
			continue
		}
		files, info := checked.check(t, room)
		for _, file := range files {
			name := filepath.Base(checked.set.Position(file.Pos()).Filename)
			if slices.Contains(writing, room+"/"+name) {
				continue
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if f, ok := n.(*ast.FuncDecl); ok {
					for _, at := range writesIn(f, info) {
						t.Errorf("%s: %s writes to what it is asked about", checked.set.Position(at), f.Name.Name)
					}
				}
				return true
			})
		}
	}
}

// TestADecisionIsWrittenThroughItsDraft checks that functions of decide without a draft write to none of their
// parameters. Functions that have the draft and, by the first words of their comment, report or return something write
// nothing either, and call no function that does.
func TestADecisionIsWrittenThroughItsDraft(t *testing.T) {
	checked := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	files, info := checked.check(t, "promotion/decide")
	functions := map[types.Object]*ast.FuncDecl{}
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions[info.Defs[f.Name]] = f
			}
		}
	}
	writes := writers(functions, info)
	require.NotEmpty(t, writes)
	for function, f := range functions {
		at := checked.set.Position(f.Pos())
		if len(draftsOf(f, info)) == 0 {
			require.Empty(t, writesIn(f, info), "%s: %s writes to what it is asked about", at, f.Name.Name)
			continue
		}
		_, says, _ := strings.Cut(f.Doc.Text(), " ")
		if strings.HasPrefix(says, "reports ") || strings.HasPrefix(says, "returns ") {
			require.False(t, writes[function], "%s: %s writes", at, f.Name.Name)
		}
	}
}

// TestStatesChangeInTransitions checks that decide assigns to the state of a promotion only in transitions.go.
func TestStatesChangeInTransitions(t *testing.T) {
	checked := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	files, info := checked.check(t, "promotion/decide")
	found := 0
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			if !ok {
				return true
			}
			eachTarget(f, func(e ast.Expr) {
				s, ok := e.(*ast.SelectorExpr)
				if !ok || s.Sel.Name != "State" || info.TypeOf(s).String() != core+".State" {
					return
				}
				at := checked.set.Position(s.Pos())
				require.Equal(t, "transitions.go", filepath.Base(at.Filename), "%s: a state changes", at)
				found++
			})
			return false
		})
	}
	require.NotZero(t, found)
}

// writers returns the functions that write to a draft parameter, or call such a function.
func writers(functions map[types.Object]*ast.FuncDecl, info *types.Info) map[types.Object]bool {
	writes := map[types.Object]bool{}
	for more := true; more; {
		more = false
		for function, f := range functions {
			if !writes[function] && (writesTo(f, info) || calls(f, info, writes)) {
				writes[function], more = true, true
			}
		}
	}
	return writes
}

// draftsOf returns the receiver and the parameters of a function that are drafts.
func draftsOf(f *ast.FuncDecl, info *types.Info) map[types.Object]bool {
	drafts := map[types.Object]bool{}
	fields := slices.Clone(f.Type.Params.List)
	if f.Recv != nil {
		fields = append(fields, f.Recv.List...)
	}
	for _, field := range fields {
		p, pointer := info.TypeOf(field.Type).(*types.Pointer)
		if !pointer || !strings.HasSuffix(p.Elem().String(), "/decide.draft") {
			continue
		}
		for _, name := range field.Names {
			drafts[info.Defs[name]] = true
		}
	}
	return drafts
}

// writesTo reports whether a function assigns to a part of one of its draft parameters.
func writesTo(f *ast.FuncDecl, info *types.Info) (writes bool) {
	drafts := draftsOf(f, info)
	eachTarget(f, func(e ast.Expr) {
		if root := rootOf(e); root != nil && root != e && drafts[info.Uses[root]] {
			writes = true
		}
	})
	return writes
}

// rootOf returns the variable that an expression is a part of, or nil.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// calls reports whether a function calls one of the given functions.
func calls(f *ast.FuncDecl, info *types.Info, some map[types.Object]bool) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && some[info.Uses[id]] {
			found = true
		}
		return !found
	})
	return found
}

// eachTarget visits each expression to which a function assigns.
func eachTarget(f *ast.FuncDecl, visit func(ast.Expr)) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.AssignStmt:
			for _, e := range s.Lhs {
				visit(e)
			}
		case *ast.IncDecStmt:
			visit(s.X)
		}
		return true
	})
}

// writesIn returns the positions where a function assigns to a value of promotion through a pointer, or to an element
// of a parameter.
func writesIn(f *ast.FuncDecl, info *types.Info) (all []token.Pos) {
	parameters := map[types.Object]bool{}
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			parameters[info.Defs[name]] = true
		}
	}
	eachTarget(f, func(e ast.Expr) {
		if outside(e, info, parameters) {
			all = append(all, e.Pos())
		}
	})
	return all
}

// outside reports whether an assignment to an expression writes to an argument of the function.
func outside(e ast.Expr, info *types.Info, parameters map[types.Object]bool) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return pointsToCore(info.TypeOf(e.X)) || outside(e.X, info, parameters)
	case *ast.StarExpr:
		return pointsToCore(info.TypeOf(e.X)) || outside(e.X, info, parameters)
	case *ast.IndexExpr:
		x, is := e.X.(*ast.Ident)
		return is && parameters[info.Uses[x]] && ofCore(info.TypeOf(e)) || outside(e.X, info, parameters)
	case *ast.ParenExpr:
		return outside(e.X, info, parameters)
	}
	return false
}

// pointsToCore reports whether a type is a pointer to one of promotion.
func pointsToCore(t types.Type) bool {
	p, is := t.(*types.Pointer)
	return is && ofCore(p.Elem())
}

// ofCore reports whether a type is declared by promotion.
func ofCore(t types.Type) bool {
	named, is := types.Unalias(t).(*types.Named)
	return is && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == core
}

// sources checks the types of this module's packages. Names of other modules stay unresolved, and no test needs them.
type sources struct {
	set      *token.FileSet
	packages map[string]*types.Package
}

// check parses the files of a folder and checks their types.
func (s sources) check(t *testing.T, folder string) ([]*ast.File, *types.Info) {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	files, _, err := s.read(folder, info)
	require.NoError(t, err)
	require.NotEmpty(t, files, folder)
	return files, info
}

// read parses a folder and checks the types of its files, without the types of other modules.
func (s sources) read(folder string, info *types.Info) (files []*ast.File, p *types.Package, err error) {
	paths, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(s.set, path, nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	config := types.Config{Importer: s, Error: func(error) {}}
	p, _ = config.Check(module+"/"+folder, s.set, files, info) // the errors are names of other modules
	return files, p, nil
}

// Import returns a package of this module, and an empty package in place of any other.
func (s sources) Import(path string) (*types.Package, error) {
	if p := s.packages[path]; p != nil {
		return p, nil
	}
	p := types.NewPackage(path, filepath.Base(path))
	if folder, ours := strings.CutPrefix(path, module+"/"); ours {
		var err error
		if _, p, err = s.read(folder, nil); err != nil {
			return nil, err
		}
	}
	p.MarkComplete()
	s.packages[path] = p
	return p, nil
}
