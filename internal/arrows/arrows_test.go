package arrows

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "waybill"

// allowed lists which packages of this module the files of a folder and its subfolders may import. Tests may import
// more, without a rule.
var allowed = map[string][]string{
	"promotion":         {},
	"promotion/verify":  {"promotion"},
	"promotion/command": {"promotion"},
	"promotion/gate":    {"promotion"},
	"promotion/deliver": {"promotion"},
	"promotion/rollout": {"promotion"},
	"promotion/drift":   {"promotion"},
	"promotion/rules":   {"promotion"},
	"promotion/dora":    {"promotion"},
	"promotion/decide": {"promotion", "promotion/verify", "promotion/command", "promotion/gate",
		"promotion/deliver", "promotion/rollout", "promotion/drift"},
	"promotion/say":              {"promotion", "promotion/command"},
	"promotion/internal/fixture": {"promotion", "promotion/verify"},
	"config":                     {"promotion", "internal/change", "internal/private"},
	"store":                      {"promotion", "promotion/verify", "internal/contain"},
	"handlers":                   {"promotion"},
	"app/quota":                  {},
	"app/work":                   {"internal/contain", "store"},
	"app/pipelines":              {"config", "promotion", "promotion/command", "store"},
	"app/rights":                 {"app/gh", "promotion", "promotion/command", "store"},
	"app/env": {
		"app/gh", "app/pipelines", "app/quota", "app/rights", "app/work", "promotion", "promotion/rules", "store",
	},
	"app/surface": {"app/work", "handlers", "promotion", "promotion/command", "promotion/say", "store"},
	"app/views": {
		"app/gh", "app/surface", "app/work", "promotion", "promotion/decide", "promotion/gate", "promotion/say", "store",
	},
	"app/learn": {
		"app/api", "app/env", "app/gh", "app/pipelines", "app/quota", "app/surface", "app/views", "app/work", "config",
		"handlers", "internal/change", "promotion", "promotion/command", "promotion/decide", "store",
	},
	"app/intake": {
		"app/api", "app/env", "app/gh", "app/learn", "app/pipelines", "app/surface", "app/views", "app/work", "config",
		"handlers", "promotion", "promotion/decide", "promotion/say", "store",
	},
	"app/act": {
		"app/env", "app/gh", "app/learn", "app/surface", "app/views", "app/work", "internal/change", "promotion",
		"promotion/command", "promotion/decide", "promotion/gate", "promotion/rules", "promotion/say", "store",
	},
	"app/resync": {
		"app/env", "app/gh", "app/learn", "app/pipelines", "app/surface", "app/views", "app/work", "config", "handlers",
		"internal/contain", "promotion", "store",
	},
	"app/show": {"app/env", "app/surface", "app/work", "store"},
	"app/show/ongithub": {
		"app/env", "app/gh", "app/surface", "app/views", "app/work", "handlers", "promotion", "promotion/command",
		"promotion/say", "store",
	},
	"app/show/inslack": {
		"app/api", "app/env", "app/gh", "app/quota", "app/slack", "app/surface", "app/work", "handlers", "promotion",
		"promotion/command", "promotion/decide", "promotion/gate", "promotion/say", "store",
	},
	"app/show/inapi": {
		"app/api", "app/env", "app/learn", "app/surface", "app/work", "config", "handlers", "promotion",
		"promotion/command", "promotion/say", "store",
	},
	"app/loop": {
		"app/env", "app/gh", "app/surface", "app/work", "promotion", "promotion/decide", "promotion/gate", "store",
	},
	"app/notify": {"app/api", "app/env", "app/work", "store"},
	"app/health": {"app/api", "app/env", "app/gh", "app/slack", "app/work", "promotion", "store"},
	"app/setup":  {"app/api", "app/gh", "app/health", "app/slack", "handlers"},
	"app/gh":     {"promotion"},
	"app/slack":  {},
	"app/page":   {"app/api", "promotion", "promotion/command"},
	"app/api": {
		"app/quota", "internal/private", "promotion", "promotion/command", "promotion/decide", "promotion/dora",
		"promotion/gate", "promotion/rollout", "promotion/say", "store",
	},
	"app": {
		"app/act", "app/api", "app/env", "app/gh", "app/health", "app/intake", "app/learn", "app/loop", "app/notify",
		"app/page", "app/pipelines", "app/resync",
		"app/show", "app/show/inapi", "app/show/inslack", "app/show/ongithub", "app/slack", "app/surface", "app/work",
		"config", "handlers", "internal/contain", "promotion", "store",
	},
	"internal/change":   {"promotion", "internal/keypath", "internal/markedit", "internal/yamledit"},
	"internal/contain":  {},
	"internal/private":  {},
	"internal/golden":   {},
	"internal/grown":    {},
	"internal/pgtest":   {},
	"internal/cable":    {},
	"internal/sbom":     {},
	"internal/spent":    {},
	"internal/keypath":  {},
	"internal/markedit": {"internal/keypath"},
	"internal/yamledit": {"internal/keypath"},
	"internal/shown":    {},
	"internal/wireless": {},
	"internal/githubsim": {
		"internal/githubsim/access", "internal/githubsim/contract", "internal/githubsim/gitstore",
		"internal/githubsim/graphql", "internal/githubsim/hooks", "internal/githubsim/hub", "internal/githubsim/render",
		"internal/githubsim/rest", "internal/githubsim/signin", "internal/githubsim/wire", "internal/wireless",
	},
	"internal/githubsim/access":   {"internal/githubsim/hub"},
	"internal/githubsim/contract": {},
	"internal/githubsim/gitstore": {},
	"internal/githubsim/graph":    {},
	"internal/githubsim/graphql": {
		"internal/githubsim/access", "internal/githubsim/contract", "internal/githubsim/gitstore",
		"internal/githubsim/graph", "internal/githubsim/hub", "internal/githubsim/render", "internal/githubsim/wire",
	},
	"internal/githubsim/hooks":  {"internal/wireless"},
	"internal/githubsim/hub":    {"internal/githubsim/gitstore"},
	"internal/githubsim/record": {"internal/githubsim"},
	"internal/githubsim/render": {"internal/githubsim/gitstore", "internal/githubsim/hub"},
	"internal/githubsim/rest": {
		"internal/githubsim/access", "internal/githubsim/contract", "internal/githubsim/gitstore",
		"internal/githubsim/hooks", "internal/githubsim/hub", "internal/githubsim/render", "internal/githubsim/wire",
	},
	"internal/githubsim/signin": {"internal/githubsim/access", "internal/githubsim/hooks", "internal/githubsim/hub"},
	"internal/githubsim/wire":   {"internal/wireless"},
	"internal/slacksim":         {"internal/wireless"},
	"internal/slacksim/record":  {"internal/githubsim/record", "internal/slacksim"},
	"internal/layout":           {"promotion", "config", "internal/keypath", "internal/story", "internal/yamledit"},
	"internal/story": {"promotion", "promotion/verify", "promotion/command", "promotion/gate", "promotion/decide",
		"promotion/say", "config", "internal/change"},
	"internal/sandbox": {"promotion", "promotion/rollout", "promotion/decide", "promotion/say", "config", "store",
		"handlers", "app", "app/api", "internal/githubsim", "internal/slacksim", "internal/story",
		"internal/wireless"},
	"internal/torture": {"promotion", "config", "store", "handlers", "app", "app/api", "internal/githubsim",
		"internal/slacksim", "internal/wireless", "internal/torture/act", "internal/torture/invariant",
		"internal/torture/ledger", "internal/torture/plan", "internal/torture/shape"},
	"internal/torture/act": {"promotion", "handlers", "app/api", "internal/githubsim", "internal/slacksim",
		"internal/wireless", "internal/torture/ledger", "internal/torture/plan", "internal/torture/shape"},
	"internal/torture/invariant": {"internal/githubsim", "internal/shown", "internal/slacksim",
		"internal/torture/ledger", "internal/torture/shape"},
	"internal/torture/ledger": {"internal/githubsim", "internal/slacksim", "internal/torture/shape"},
	"internal/torture/plan":   {},
	"internal/torture/shape":  {},
	"internal/mutants":        {},
	"internal/walk":           {"internal/sandbox", "internal/story"},
	"internal/arrows":         {},
	"cmd": {"promotion", "promotion/command", "promotion/say", "config", "store", "handlers", "app", "app/api", "app/gh",
		"app/setup", "internal/layout", "internal/story", "internal/sandbox", "internal/private"},
}

// forbidden are the imports that would make the core impure.
var forbidden = []string{
	"os", "net", "net/http", "database/sql", "math/rand", "math/rand/v2", "log", "log/slog", "github.com/rs/zerolog",
}

func TestImportArrowsPointOneWay(t *testing.T) {
	eachFile(t, func(folder, file string, imports []string, _ *ast.File) {
		may, known := allowed[room(folder)]
		require.True(t, known, "%s: no room of the house is called %s; say in arrows_test.go what it may import", file,
			folder)
		for _, path := range imports {
			ours, is := strings.CutPrefix(path, module+"/")
			if !is || room(ours) == room(folder) {
				continue
			}
			require.Contains(t, may, room(ours), "%s must not import %s", file, path)
		}
	})
}

func TestImportsOfTheCoreArePure(t *testing.T) {
	eachFile(t, func(folder, file string, imports []string, tree *ast.File) {
		if folder != "promotion" && !strings.HasPrefix(folder, "promotion/") {
			return
		}
		for _, path := range imports {
			require.NotContains(t, forbidden, path, file)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" {
					require.NotContains(t, []string{"Now", "Since", "Until", "Sleep", "After", "NewTimer"}, sel.Sel.Name, file)
				}
			}
			return true
		})
	})
}

func TestImportsOfTheSimulatorStayInTheSandbox(t *testing.T) {
	eachFile(t, func(folder, file string, imports []string, _ *ast.File) {
		for _, path := range imports {
			if strings.HasPrefix(path, module+"/internal/sandbox") &&
				!slices.Contains([]string{"internal/sandbox", "internal/walk"}, room(folder)) {
				require.Equal(t, "sandbox.go", filepath.Base(file), "only the sandbox command starts the simulators")
			}
		}
	})
}

// sandboxOnly are packages that only the sandbox and the tests need, with all packages below them.
var sandboxOnly = []string{
	module + "/internal/sandbox", module + "/internal/githubsim", module + "/internal/slacksim",
	module + "/internal/wireless",
	"github.com/getkin/kin-openapi", "github.com/vektah/gqlparser", "github.com/santhosh-tekuri/jsonschema",
}

func TestImportsOfTheImageHaveNoSimulator(t *testing.T) {
	image, whole := linked(t, imageTags(t)), linked(t, "")
	for _, only := range sandboxOnly {
		below := func(path string) bool { return path == only || strings.HasPrefix(path, only+"/") }
		require.False(t, slices.ContainsFunc(image, below), "the image has %s", only)
		require.True(t, slices.ContainsFunc(whole, below), "the sandbox does not have %s: it need not be named here", only)
	}
}

// imageTags returns the build tags of the image's binary.
func imageTags(t *testing.T) string {
	dockerfile, err := os.ReadFile("../../Dockerfile")
	require.NoError(t, err)
	tags := regexp.MustCompile(`go build -tags (\S+) .*\./cmd/waybill`).FindSubmatch(dockerfile)
	require.NotNil(t, tags, "the Dockerfile builds ./cmd/waybill without tags")
	return string(tags[1])
}

// linked returns the packages in the binary with these build tags.
func linked(t *testing.T, tags string) []string {
	list := exec.Command("go", "list", "-deps", "-tags", tags, module+"/cmd/waybill")
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// starters are the packages that may start other programs: tools that only developers and tests run, and the sandbox's
// Git.
var starters = []string{"internal/mutants", "internal/pgtest", "internal/githubsim/gitstore"}

func TestImportsStartNoOtherProgramT10(t *testing.T) {
	eachFile(t, func(folder, file string, imports []string, tree *ast.File) {
		if slices.Contains(starters, folder) {
			return
		}
		for _, path := range imports {
			require.NotContains(t, []string{"os/exec", "plugin"}, path, file)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				require.NotContains(t, []string{"StartProcess", "ForkExec", "Exec"}, startedBy(sel), file)
			}
			return true
		})
	})
}

// startedBy returns the name that a selector uses of os, syscall or unix, which can start programs, or "".
func startedBy(sel *ast.SelectorExpr) string {
	if pkg, ok := sel.X.(*ast.Ident); ok && (pkg.Name == "os" || pkg.Name == "syscall" || pkg.Name == "unix") {
		return sel.Sel.Name
	}
	return ""
}

// room returns the entry of allowed for a folder: the longest that is the folder or one of its parents.
func room(folder string) string {
	for f := folder; f != "."; f = filepath.Dir(f) {
		if _, ok := allowed[f]; ok {
			return f
		}
	}
	return folder
}

// eachFile visits every Go file of the product, tests and test data aside.
func eachFile(t *testing.T, visit func(folder, file string, imports []string, tree *ast.File)) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	instead := overlaid(t)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(cmp.Or(instead[path], path))
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range tree.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, p)
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		visit(folder, path, imports, tree)
		return nil
	})
	require.NoError(t, err)
}

// overlaid returns the files that the compiler reads in place of others, while internal/mutants breaks a rule.
func overlaid(t *testing.T) map[string]string {
	var overlay struct{ Replace map[string]string }
	if list := os.Getenv("WAYBILL_OVERLAY"); list != "" {
		text, err := os.ReadFile(list)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &overlay))
	}
	return overlay.Replace
}
