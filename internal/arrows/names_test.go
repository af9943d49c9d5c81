package arrows

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestNamesDifferByMoreThanACapital checks that no two functions, types or variables of a package of the core or the
// app, and no two methods of a type, have names that differ only in case: readers would confuse part with Part.
func TestNamesDifferByMoreThanACapital(t *testing.T) {
	checked := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	for room := range allowed {
		if house, _, _ := strings.Cut(room, "/"); house != "promotion" && house != "app" && house != "handlers" {
			continue
		}
		files, _ := checked.check(t, room)
		known := map[string]string{}
		for _, file := range files {
			for _, d := range file.Decls {
				for _, name := range namesIn(d) {
					if other := known[strings.ToLower(name)]; other != "" && other != name {
						t.Errorf("%s: %s and %s differ by a capital", room, other, name)
					}
					known[strings.ToLower(name)] = name
				}
			}
		}
	}
}

// namesIn returns the names that a declaration defines. Names of methods begin with their type.
func namesIn(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		of := ""
		if d.Recv != nil {
			of = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "."
		}
		return []string{of + d.Name.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
