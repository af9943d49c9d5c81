package arrows

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unbounded are the fuzz tests that bound no cost: another one bounds that of the same call.
var unbounded = map[string]string{"FuzzSchema": "FuzzLoad"}

// TestFuzzingBoundsWhatForeignInputCosts checks that each fuzz test bounds time and memory (internal/spent): a parser
// must not only return.
func TestFuzzingBoundsWhatForeignInputCosts(t *testing.T) {
	bounded := map[string]bool{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range tree.Decls {
			if f, is := d.(*ast.FuncDecl); is && strings.HasPrefix(f.Name.Name, "Fuzz") {
				body := text[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset]
				bounded[f.Name.Name] = strings.Contains(string(body), "spent.Bound{")
				require.True(t, bounded[f.Name.Name] || unbounded[f.Name.Name] != "", "%s bounds no cost", f.Name.Name)
			}
		}
		return nil
	}))
	for _, other := range unbounded {
		require.True(t, bounded[other], other)
	}
}
