// Command mutants breaks the program on purpose and runs the tests that should notice. It lists the mutants that
// survive: no test depends on the meaning of their lines. The tree itself is not changed; an overlay gives the mutated
// file to the compiler.
//
//	mutants [-seeds N] [-rule WORDS] [-part K/N]        break one rule after the other, those of rules.go
//	mutants [-tests ./promotion/...,./internal/story/core] [-part K/N] FOLDER
//	    invert one comparison after the other in the files of a folder and below
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// inverse maps each comparison to its replacement.
var inverse = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==",
	token.LSS: ">=", token.GEQ: "<",
	token.GTR: "<=", token.LEQ: ">",
	token.LAND: "||", token.LOR: "&&",
}

func main() {
	tests := flag.String("tests", "./promotion/...,./internal/story/core",
		"packages whose tests must notice, separated by commas")
	var some part
	flag.Var(&some, "part", "try only the K-th of N parts of the mutants: K/N")
	seeds := flag.Int("seeds", 400, "how many histories are played where the stories notice nothing; 0: none")
	word := flag.String("rule", "", "break only the rules whose name has these words in it: a regular expression")
	flag.Parse()
	survivors, tried, err := 0, 0, error(nil)
	if flag.NArg() == 0 {
		survivors, tried, err = breakRules(*word, *seeds, &some)
	} else {
		survivors, tried, err = hunt(flag.Arg(0), strings.Split(*tests, ","), &some)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	fmt.Printf("%d mutants, %d survived\n", tried, survivors)
	if survivors > 0 {
		os.Exit(1)
	}
}

// hunt tries every mutant of the files in a folder and below, and prints those that survive.
func hunt(folder string, tests []string, some *part) (survivors, tried int, err error) {
	files, err := filesBelow(folder)
	if err != nil {
		return 0, 0, err
	}
	if (overlay{}).noticed(time.Minute, nil, tests...) {
		return 0, 0, fmt.Errorf("the tests fail with nothing changed: mend that first")
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return survivors, tried, err
		}
		mutants, err := mutantsOf(file, source)
		if err != nil {
			return survivors, tried, err
		}
		for _, m := range mutants {
			if !some.next() {
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

// filesBelow lists the Go files in a folder and below, without tests.
func filesBelow(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	return files, err
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

// killedBy reports whether the tests fail with the mutant in place. A mutant that does not compile counts as killed.
func (m mutant) killedBy(tests []string) (bool, error) {
	o, err := lay(m.file, m.source)
	if err != nil {
		return false, err
	}
	defer o.remove()
	if _, ok := o.builds(); !ok {
		return true, nil
	}
	return o.noticed(time.Minute, nil, tests...), nil
}
