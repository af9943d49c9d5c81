// Package walk compares the walks in docs/architecture.md with a trace of the program: the functions that are entered
// while the scene of a walk is played.
package walk_test

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// player plays the scenes.
const player = "internal/walk/play"

// The packages through which the walks lead. In the packages passed, a walk names each file that its scene enters and a
// usual day does not; in the packages touched, it names the main files.
var (
	passed = []string{
		"handlers", "app/intake", "app/learn", "app/loop", "app/act", "app/show", "app/show/ongithub",
	}
	touched = []string{"app/views", "app/gh", "promotion/decide"}
)

// scenes maps the headings of the walks to the player's names for their scenes.
var scenes = map[string]string{"A merged pull request": "merge", "A check run": "check", "A command": "command"}

const usual = "usual"

func TestTheWalksAreWhatIsEntered(t *testing.T) {
	played := play(t)
	everyDay := entered(t, filepath.Join(played, usual))
	all := walks(t)
	require.ElementsMatch(t, slices.Collect(maps.Keys(scenes)), slices.Collect(maps.Keys(all)), "the walks of the page")
	for heading, walk := range all {
		trace := entered(t, filepath.Join(played, scenes[heading]))
		named := map[string]bool{}
		for _, s := range walk {
			assert.False(t, named[s.file], "%s: %s is named twice", heading, s.file)
			named[s.file] = true
			assert.True(t, trace[s], "%s: %s of %s is not entered", heading, s.function, s.file)
		}
		for s := range trace {
			if slices.Contains(passed, path.Dir(s.file)) && !everyDay[s] {
				assert.True(t, named[s.file], "%s: %s is entered (%s) and not named", heading, s.file, s.function)
			}
		}
	}
}

// step is a step of a walk: a function, by its name in its file.
type step struct{ file, function string }

// listed matches a step on the page: "3. `app/intake/intake.go` `Next`: takes the delivery".
var listed = regexp.MustCompile("^\\d+\\. `([\\w/]+\\.go)` `(\\w+)`: ")

// walks reads the walks from the page, by their headings.
func walks(t *testing.T) map[string][]step {
	page, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## A walk\n")
	require.True(t, found, "the page has walks")
	section, _, _ = strings.Cut(section, "\n## ")
	all, heading := map[string][]step{}, ""
	for line := range strings.Lines(section) {
		if title, is := strings.CutPrefix(line, "### "); is {
			heading = strings.TrimSpace(title)
		} else if m := listed.FindStringSubmatch(line); m != nil {
			all[heading] = append(all[heading], step{m[1], m[2]})
		}
	}
	return all
}

// play builds the player with coverage counters and runs it. It returns the directory that has one directory for each
// scene.
func play(t *testing.T) string {
	packages := []string{"waybill/" + player}
	for _, room := range slices.Concat(passed, touched) {
		packages = append(packages, "waybill/"+room)
	}
	binary, dir := filepath.Join(t.TempDir(), "play"), t.TempDir()
	run(t, exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg="+strings.Join(packages, ","), "-o",
		binary,
		"waybill/"+player))
	scenes := exec.Command(binary, dir)
	scenes.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir()) // for the coverage files that are written at exit
	t.Logf("%s", run(t, scenes))
	return dir
}

func run(t *testing.T, c *exec.Cmd) []byte {
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", c, out)
	return out
}

// entered returns the functions that a scene entered: those whose first block was executed.
func entered(t *testing.T, scene string) map[step]bool {
	file := filepath.Join(t.TempDir(), "blocks")
	run(t, exec.Command("go", "tool", "covdata", "textfmt", "-i="+scene, "-o="+file))
	all := map[step]bool{}
	for file, blocks := range blocksOf(t, file) {
		for _, f := range functionsOf(t, file) {
			if first, found := f.first(blocks); found && blocks[first] {
				all[step{file, f.name}] = true
			}
		}
	}
	require.NotEmpty(t, all, scene)
	return all
}

// place is a place in a file.
type place struct{ line, column int }

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// blocksOf returns the start of each block of each file, and whether it was executed.
func blocksOf(t *testing.T, profile string) map[string]map[place]bool {
	text, err := os.ReadFile(profile)
	require.NoError(t, err)
	all := map[string]map[place]bool{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		file, block, is := strings.Cut(strings.TrimPrefix(lines.Text(), "waybill/"), ".go:")
		if !is {
			continue // the line with the coverage mode
		}
		var begin, end place
		var statements, count int
		_, err := fmt.Sscanf(block, "%d.%d,%d.%d %d %d", &begin.line, &begin.column, &end.line, &end.column, &statements,
			&count)
		require.NoError(t, err, lines.Text())
		file += ".go"
		if all[file] == nil {
			all[file] = map[place]bool{}
		}
		all[file][begin] = all[file][begin] || count > 0
	}
	return all
}

// function is a function of a file with the position of its body.
type function struct {
	name       string
	begin, end place
}

// first returns the first block inside the function.
func (f function) first(blocks map[place]bool) (first place, found bool) {
	for p := range blocks {
		if !p.before(f.begin) && p.before(f.end) && (!found || p.before(first)) {
			first, found = p, true
		}
	}
	return first, found
}

// functionsOf returns the functions and methods of a file.
func functionsOf(t *testing.T, file string) (all []function) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, filepath.Join(root, file), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	at := func(p token.Pos) place { return place{files.Position(p).Line, files.Position(p).Column} }
	for _, d := range tree.Decls {
		if f, is := d.(*ast.FuncDecl); is && f.Body != nil {
			all = append(all, function{f.Name.Name, at(f.Body.Lbrace), at(f.Body.End())})
		}
	}
	return all
}
