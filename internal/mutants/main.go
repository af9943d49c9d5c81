// Command mutants inverts one comparison at a time in the Go files of a folder and runs the tests that ought to notice.
// It lists the mutants that survive: each is a line whose meaning no test pins down. Nothing in the tree is changed; the
// mutated file reaches the compiler by an overlay.
//
//	mutants [-tests ./promotion,./internal/story] [-every N] FOLDER
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// inverse is what a comparison is replaced by.
var inverse = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==",
	token.LSS: ">=", token.GEQ: "<",
	token.GTR: "<=", token.LEQ: ">",
	token.LAND: "||", token.LOR: "&&",
}

func main() {
	tests := flag.String("tests", "./promotion,./internal/story", "packages whose tests must notice, separated by commas")
	every := flag.Int("every", 1, "try only each n-th mutant")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "mutants: name one folder")
		os.Exit(2)
	}
	survivors, tried, err := hunt(flag.Arg(0), strings.Split(*tests, ","), *every)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	fmt.Printf("%d mutants, %d survived\n", tried, survivors)
	if survivors > 0 {
		os.Exit(1)
	}
}

// hunt tries every mutant of the folder's files and prints those that survive.
func hunt(folder string, tests []string, every int) (survivors, tried int, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return 0, 0, err
	}
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return survivors, tried, err
		}
		mutants, err := mutantsOf(file, source)
		if err != nil {
			return survivors, tried, err
		}
		for _, m := range mutants {
			if seen++; seen%every != 0 {
				continue
			}
			tried++
			killed, err := m.killedBy(tests)
			if err != nil {
				return survivors, tried, err
			}
			if !killed {
				survivors++
				fmt.Printf("survived: %s:%d: %s instead of %s\n", file, m.line, m.now, m.was)
			}
		}
	}
	return survivors, tried, nil
}

// mutant is a file with one operator replaced.
type mutant struct {
	file     string
	line     int
	was, now string
	source   []byte
}

// mutantsOf lists the mutants of one file.
func mutantsOf(file string, source []byte) ([]mutant, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, 0)
	if err != nil {
		return nil, err
	}
	var all []mutant
	ast.Inspect(tree, func(n ast.Node) bool {
		e, ok := n.(*ast.BinaryExpr)
		if !ok || inverse[e.Op] == "" {
			return true
		}
		at := set.Position(e.OpPos)
		changed := string(source[:at.Offset]) + inverse[e.Op] + string(source[at.Offset+len(e.Op.String()):])
		all = append(all, mutant{file: file, line: at.Line, was: e.Op.String(), now: inverse[e.Op], source: []byte(changed)})
		return true
	})
	return all, nil
}

// killedBy reports whether the tests fail with the mutant in place. A mutant that does not end is killed, too.
func (m mutant) killedBy(tests []string) (bool, error) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	changed := filepath.Join(dir, filepath.Base(m.file))
	if err := os.WriteFile(changed, m.source, 0o600); err != nil {
		return false, err
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return false, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	args := append([]string{"test", "-overlay", list, "-timeout", "60s", "-failfast"}, tests...)
	return exec.CommandContext(ctx, "go", args...).Run() != nil, nil
}
