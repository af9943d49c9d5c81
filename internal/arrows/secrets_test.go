package arrows

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// secretive matches names of values that an attacker could guess step by step if they were compared byte by byte.
var secretive = regexp.MustCompile(`(?i)secret|signature|password|token$|^mac$|verifier`)

// byteByByte are functions that stop at the first difference.
var byteByByte = map[string]bool{"bytes.Equal": true, "bytes.Compare": true, "strings.EqualFold": true,
	"strings.Compare": true, "slices.Equal": true, "reflect.DeepEqual": true}

func TestSecretsAreComparedInConstantTime(t *testing.T) {
	eachFile(t, func(folder, file string, _ []string, tree *ast.File) {
		if strings.HasPrefix(folder, "internal/githubsim") {
			return // it has no secrets
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			for _, compared := range comparedIn(n) {
				require.NotRegexp(t, secretive, nameOf(compared), "%s: compare it with crypto/subtle or hmac.Equal", file)
			}
			return true
		})
	})
}

// comparedIn returns the expressions that a node compares in a time that depends on their values. A comparison with an
// empty or nil value is allowed.
func comparedIn(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if (n.Op == token.EQL || n.Op == token.NEQ) && !constant(n.X) && !constant(n.Y) {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CallExpr:
		if f, is := n.Fun.(*ast.SelectorExpr); is && byteByByte[nameOf(f.X)+"."+f.Sel.Name] {
			return n.Args
		}
	}
	return nil
}

func constant(e ast.Expr) bool {
	if call, is := e.(*ast.CallExpr); is {
		return nameOf(call.Fun) == "len"
	}
	_, literal := e.(*ast.BasicLit)
	return literal || nameOf(e) == "nil"
}

// nameOf returns the last name in an expression, without conversions and slices.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return nameOf(e.X)
	case *ast.SliceExpr:
		return nameOf(e.X)
	case *ast.ParenExpr:
		return nameOf(e.X)
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return nameOf(e.Args[0])
		}
		return nameOf(e.Fun)
	}
	return ""
}
