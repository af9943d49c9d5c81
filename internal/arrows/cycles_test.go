package arrows

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFilesOfTheCoreCallInOneDirection checks that the calls between the files of a package of the core have no cycle.
// A reader can then read the files in one direction.
func TestFilesOfTheCoreCallInOneDirection(t *testing.T) {
	checked := sources{set: token.NewFileSet(), packages: map[string]*types.Package{}}
	for room := range allowed {
		if room != "promotion" && filepath.Dir(room) != "promotion" {
			continue
		}
		calls := checked.callsBetweenFiles(t, room)
		for _, cycle := range cyclesOf(calls) {
			t.Errorf("%s: these files call one another in a circle: %s", room, strings.Join(cycle, ", "))
		}
	}
}

// callsBetweenFiles returns for each file of a package the other files whose functions and methods it uses.
func (s sources) callsBetweenFiles(t *testing.T, folder string) map[string][]string {
	files, info := s.check(t, folder)
	home := map[types.Object]string{}
	name := func(f *ast.File) string { return filepath.Base(s.set.Position(f.Pos()).Filename) }
	for _, file := range files {
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is {
				home[info.Defs[f.Name]] = name(file)
			}
		}
	}
	calls := map[string][]string{}
	for _, file := range files {
		from := name(file)
		calls[from] = nil
		ast.Inspect(file, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is {
				if to := home[info.Uses[id]]; to != "" && to != from && !slices.Contains(calls[from], to) {
					calls[from] = append(calls[from], to)
				}
			}
			return true
		})
	}
	return calls
}

// cyclesOf returns the strongly connected components of a graph that have two nodes or more.
func cyclesOf(graph map[string][]string) (cycles [][]string) {
	reach := map[string]map[string]bool{}
	for _, from := range slices.Sorted(maps.Keys(graph)) {
		seen, todo := map[string]bool{}, slices.Clone(graph[from])
		for len(todo) > 0 {
			at := todo[0]
			if todo = todo[1:]; !seen[at] {
				seen[at] = true
				todo = append(todo, graph[at]...)
			}
		}
		reach[from] = seen
	}
	counted := map[string]bool{}
	for _, from := range slices.Sorted(maps.Keys(graph)) {
		var cycle []string
		for _, to := range slices.Sorted(maps.Keys(graph)) {
			if reach[from][to] && reach[to][from] && !counted[to] {
				counted[to] = true
				cycle = append(cycle, to)
			}
		}
		if len(cycle) > 1 {
			cycles = append(cycles, cycle)
		}
	}
	return cycles
}

func TestACircleOfCallsIsFound(t *testing.T) {
	require.Equal(t, [][]string{{"a", "c"}},
		cyclesOf(map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"a"}, "d": nil}))
}
