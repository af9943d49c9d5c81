package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"waybill/config"
	"waybill/internal/layout"
)

// summary tells a person what init has found, and what is left to do.
type summary struct{ out io.Writer }

// found lists the stages with the files that promotions change.
func (s summary) found(folder string, found layout.Found, c layout.Choice, given bool) {
	fmt.Fprintf(s.out, "Found in %s: %s, of %s\n", folder, strings.Join(c.App.Layouts, ", "), c.App.Name)
	for _, stage := range c.App.Stages {
		if n := len(stage.Targets); n > 0 {
			fmt.Fprintf(s.out, "  %-12s %d targets, the first of them alone: %s\n", stage.Name, n,
				strings.Join(stage.Targets, ", "))
			continue
		}
		for _, p := range stage.Places {
			fmt.Fprintf(s.out, "  %-12s %s  %s: %s\n", stage.Name, p.File, p.Key, p.Text)
		}
	}
	order := c.App.StageNames()
	by := "by their names; --stages sets another"
	if given {
		by = "as --stages says"
	}
	fmt.Fprintf(s.out, "Order: %s, %s\n", strings.Join(order, " -> "), by)
	for _, left := range found.Left {
		fmt.Fprintf(s.out, "Not used: %s\n", left)
	}
}

// next lists what a person has to do, in order.
func (s summary) next(i *initial, found layout.Found, c layout.Choice, d layout.Draft) {
	fmt.Fprintln(s.out, "Next")
	n := 0
	step := func(format string, args ...any) {
		n++
		fmt.Fprintf(s.out, "  %d. %s\n", n, fmt.Sprintf(format, args...))
	}
	if i.guessed {
		step("Check that people merge changes of %s in %s: init guessed it from the name of the image.\n"+
			"     --source names another.", c.App.Name, cmp.Or(c.Source, i.home))
	}
	for _, mark := range d.Marks {
		step("In %s: Waybill finds the value by it.", mark)
	}
	if len(d.Unlike) > 0 {
		step("Let CI tag images with the first seven characters of the merge commit: a promotion writes that, where\n"+
			"     %s is now. (--freight tags would promote versions.)", strings.Join(d.Unlike, ", "))
	}
	s.unverified(step, found, c)
	if c.Source != "" {
		step("Commit a %s to %s, with which it agrees:\n       version: 1\n       allow: [%s]", config.PipelinePath, c.Source,
			cmp.Or(i.home, "OWNER/NAME of this repository"))
	}
	s.owners(step, i)
	if i.print {
		step("Run init without --print to write the files.")
		return
	}
	at := func(name string) string { return filepath.Join(i.folder, name) }
	step("Read the files, and change what you want otherwise: docs/pipeline-file.md has every key. Then\n"+
		"       waybill validate %s %s\n"+
		"     The story has copies of them, and of the files that promotions change: check that\n"+
		"     everybody may see them. With your changes there,\n"+
		"       waybill simulate --update %s\n     writes what happens then.", at(config.PipelinePath), at(config.PolicyPath),
		at(layout.StoryPath))
	repos := cmp.Or(i.home, "this repository")
	if c.Source != "" {
		repos += " and " + c.Source
	}
	step("Install the App on %s, and merge the files by a pull request: the check\n"+
		"     `waybill / config` on it says what they would do.", repos)
}

// unverified says which stages nothing verifies, and what could.
func (s summary) unverified(step func(string, ...any), found layout.Found, c layout.Choice) {
	var without []string
	for _, stage := range c.App.Stages {
		if !slices.ContainsFunc(c.Checks, func(c layout.Check) bool { return c.Verifies(stage.Name) }) {
			without = append(without, stage.Name)
		}
	}
	if len(without) == 0 {
		return
	}
	jobs := ""
	if all := found.Jobs(); len(all) > 0 {
		jobs = "\n     Jobs that run on a merge here: " + strings.Join(all, ", ") + "."
	}
	jobs += "\n     Argo CD and Flux can report by a commit status, as in docs/recipes: --verify STAGE=status:NAME."
	step("Name the check that verifies %s: `verify: [NAME]` in the pipeline file.\n"+
		"     Until then freight counts as verified there once it is merged, and no later stage promotes by itself.%s",
		strings.Join(without, " and "), jobs)
}

// owners says what to do so that somebody has to review changes of the files.
func (s summary) owners(step func(string, ...any), i *initial) {
	lines := strings.ReplaceAll(strings.TrimSpace(codeownersLines(cmp.Or(i.owner, "@OWNER/TEAM"))), "\n", "\n       ")
	there := hasCodeowners(os.DirFS(i.folder))
	switch {
	case i.codeowners:
		step("Let the rules of the default branch require a review from code owners: the file alone does not.")
	case there != "":
		step("Add to %s, and let the rules of the default branch require a review from code owners:\n       %s", there, lines)
	default:
		step("Have changes of the files reviewed, because whoever may change them may lower every gate: lines in\n"+
			"     %s such as these, and a rule of the default branch that requires a review from code owners:\n       %s",
			codeownersPath, lines)
	}
}
