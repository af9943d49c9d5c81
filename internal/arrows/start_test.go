package arrows

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// costly are functions that delay the start of a server noticeably if many packages call them at initialization.
var costly = []string{"regexp.MustCompile", "template.Must"}

func TestPackagesOfTheImageCompileNothingBeforeItIsNeeded(t *testing.T) {
	image := linked(t, imageTags(t))
	seen := 0
	eachFile(t, func(folder, file string, _ []string, tree *ast.File) {
		if !slices.Contains(image, module+"/"+folder) {
			return
		}
		seen++
		for _, declared := range tree.Decls {
			function, is := declared.(*ast.FuncDecl)
			require.False(t, is && function.Recv == nil && function.Name.Name == "init", "%s has an init", file)
			for _, called := range calledAtStart(declared) {
				require.NotContains(t, costly, called, "%s: wrap it in sync.OnceValue", file)
			}
		}
	})
	require.NotZero(t, seen)
}

// calledAtStart returns the functions that the values of package-level variables call. It leaves out calls in function
// literals, which run later.
func calledAtStart(declared ast.Decl) (names []string) {
	variables, is := declared.(*ast.GenDecl)
	if !is || variables.Tok != token.VAR {
		return nil
	}
	ast.Inspect(variables, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if called, is := n.Fun.(*ast.SelectorExpr); is {
				names = append(names, nameOf(called.X)+"."+called.Sel.Name)
			}
		}
		return true
	})
	return names
}
