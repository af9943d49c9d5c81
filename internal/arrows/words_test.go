package arrows

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWordsAreNotMadeOfSnapshots checks that promotion/say receives no snapshots: it describes decisions and makes
// none.
func TestWordsAreNotMadeOfSnapshots(t *testing.T) {
	seen := 0
	eachFile(t, func(folder, file string, _ []string, tree *ast.File) {
		if folder != "promotion/say" {
			return
		}
		seen++
		ast.Inspect(tree, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				require.NotEqual(t, "Snapshot", sel.Sel.Name, "%s: take a promotion.Status or a promotion.FreightStatus", file)
			}
			return true
		})
	})
	require.NotZero(t, seen)
}
