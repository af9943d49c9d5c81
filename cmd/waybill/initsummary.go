package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"waybill/config"
	"waybill/internal/layout"
	"waybill/promotion/say"
)

// summary tells people what init has found and decided, and what is left to do.
type summary struct {
	*initial
	out        io.Writer
	repository fs.FS
	found      layout.Found
	choice     layout.Choice
	draft      layout.Draft
}

// print prints lines.
func (s summary) print(lines []string) { fmt.Fprintln(s.out, strings.Join(lines, "\n")) }

// findings lists the stages with the files that promotions change.
func (s summary) findings() (lines []string) {
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	app := s.choice.App
	line("Found in %s: %s, of %s", s.place(), strings.Join(app.Layouts, ", "), app.Name)
	for _, stage := range app.Stages {
		if n := len(stage.Targets); n > 0 {
			line("  %-12s %d targets, the first of them alone: %s", stage.Name, n, strings.Join(stage.Targets, ", "))
			continue
		}
		for _, p := range stage.Places {
			line("  %-12s %s  %s: %s", stage.Name, p.File, p.Key, p.Text)
		}
	}
	by := "by their names; --stages sets another"
	if len(s.stages) > 0 {
		by = "as --stages says"
	}
	line("Order: %s, %s", strings.Join(app.StageNames(), " -> "), by)
	for _, left := range s.found.Left {
		line("Not used: %s", left)
	}
	if s.far != nil {
		lines = append(lines, s.far.unread...)
	}
	return lines
}

// guesses lists what was decided without anybody having said it, and why.
func (s summary) guesses() (all []string) {
	guess := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	app := s.choice.App
	if len(s.stages) == 0 {
		guess("The order of the stages, %s, is that of their names.", strings.Join(app.StageNames(), " -> "))
	}
	if s.guessed {
		guess("People merge changes of %s in %s: the image is called so.", app.Name, cmp.Or(s.choice.Source, s.home))
	}
	switch {
	case s.freight != "":
	case s.draft.Freight == layout.OfTags:
		guess("Tags are promoted, because all versions look like 1.4.2 or v1.4.2.")
	default:
		guess("Merged pull requests are promoted, because not all versions look like 1.4.2.")
	}
	for _, c := range s.choice.Checks {
		if slices.Contains(s.assumed, c.Stage) {
			guess("%s is verified by %s, which is named for it.", c.Stage, c.Name)
		}
	}
	if len(s.draft.Automatic) > 0 {
		guess("Automatic: %s, which are the stages before production up to the first that nothing verifies. People promote "+
			"into the others.", strings.Join(s.draft.Automatic, " and "))
	}
	return all
}

// next prints what a person has to do, in order.
func (s summary) next() {
	lines := []string{"Next"}
	for n, step := range s.steps() {
		indent := fmt.Sprintf("  %d. ", n+1)
		for _, line := range wrap(step.Text, 100) {
			lines = append(lines, indent+line)
			indent = "     "
		}
		for _, line := range step.Code {
			lines = append(lines, indent+"  "+line)
		}
	}
	s.print(lines)
}

// steps returns what a person has to do, in order.
func (s summary) steps() (all []say.Step) {
	step := func(format string, args ...any) { all = append(all, say.Step{Text: fmt.Sprintf(format, args...)}) }
	code := func(lines ...string) { all[len(all)-1].Code = lines }
	app := s.choice.App
	if s.guessed {
		step("Check that people merge changes of %s in %s: init guessed it from the name of the image. "+
			"--source names another.", app.Name, cmp.Or(s.choice.Source, s.home))
	}
	for _, mark := range s.draft.Marks {
		step("In %s: Waybill finds the value by it.", mark)
	}
	if len(s.draft.Unlike) > 0 {
		step("Let CI tag images with the first seven characters of the merge commit: a promotion writes that, where %s is "+
			"now. (--freight tags would promote versions.)", strings.Join(s.draft.Unlike, ", "))
	}
	all = append(all, s.unverified()...)
	if s.choice.Source != "" {
		step("Commit a %s to %s, with which it agrees:", config.PipelinePath, s.choice.Source)
		code("version: 1", "allow: ["+cmp.Or(s.home, "OWNER/NAME of this repository")+"]")
	}
	all = append(all, s.owners())
	if s.initial.print {
		if s.far != nil {
			step("Run init with --pull-request in the place of --print to propose the files.")
		} else {
			step("Run init without --print to write the files.")
		}
		return all
	}
	step("Read the files, and change what you want otherwise: docs/pipeline-file.md has every key. Then%s", s.inClone())
	code("waybill validate " + s.at(config.PipelinePath) + " " + s.at(config.PolicyPath))
	step("The story has copies of them, and of the files that promotions change: check that everybody may see them. " +
		"With your changes there, this writes what happens then:")
	code("waybill simulate --update " + s.at(layout.StoryPath))
	repos := cmp.Or(s.home, "this repository")
	if s.choice.Source != "" {
		repos += " and " + s.choice.Source
	}
	what := "merge the files by a pull request: the check `waybill / config` on it says"
	if s.far != nil {
		what = "merge the pull request: the check `waybill / config` on it says"
	}
	step("Install the App on %s, and %s what they would do.", repos, what)
	return all
}

// inClone says where to run a command, if it is not here.
func (s summary) inClone() string {
	if s.far != nil {
		return ", in a clone with the branch " + branchOfInit
	}
	return ""
}

// unverified says which stages nothing verifies, and what could; and which checks nobody has seen yet.
func (s summary) unverified() (all []say.Step) {
	var without []string
	for _, stage := range s.choice.App.Stages {
		if !slices.ContainsFunc(s.choice.Checks, func(c layout.Check) bool { return c.Verifies(stage.Name) }) {
			without = append(without, stage.Name)
		}
	}
	if len(without) > 0 {
		all = append(all, say.Step{Text: fmt.Sprintf("Name the check that verifies %s: `verify: [NAME]` in the pipeline "+
			"file. Until then freight counts as verified there once it is merged, and no later stage promotes by "+
			"itself.%s Argo CD and Flux can report by a commit status, as in docs/recipes: --verify STAGE=status:NAME.",
			strings.Join(without, " and "), s.couldVerify())})
	}
	if s.far == nil {
		return all
	}
	var unseen []string
	for _, c := range s.choice.Checks {
		if !s.found.Reported(c) && !slices.Contains(unseen, c.Name) && !strings.Contains(c.Name, "${") {
			unseen = append(unseen, c.Name)
		}
	}
	if len(unseen) > 0 {
		all = append(all, say.Step{Text: fmt.Sprintf("Check the name of %s: nothing of that name has reported on the last "+
			"commits of %s. Promotions wait for it in vain if it is misspelt.", strings.Join(unseen, ", "), s.far.base.Branch)})
	}
	return all
}

// couldVerify lists the names that could verify a stage.
func (s summary) couldVerify() string {
	if s.far != nil {
		if all := s.found.Candidates(); len(all) > 0 {
			return fmt.Sprintf(" Seen on the last commits of %s, or in workflows: %s.", s.far.base.Branch, joined(all))
		}
		return ""
	}
	if all := s.found.Jobs(); len(all) > 0 {
		return " Jobs that run on a merge here: " + strings.Join(all, ", ") + "."
	}
	return ""
}

// mostListed is how many checks a sentence lists.
const mostListed = 50

// joined lists checks.
func joined(all []layout.Check) string {
	var names []string
	for _, c := range all[:min(mostListed, len(all))] {
		names = append(names, c.String())
	}
	if len(all) > mostListed {
		names = append(names, "others")
	}
	return strings.Join(names, ", ")
}

// owners says what to do so that somebody has to review changes of the files.
func (s summary) owners() say.Step {
	lines := strings.Split(strings.TrimSpace(codeownersLines(cmp.Or(s.owner, "@OWNER/TEAM"))), "\n")
	there := hasCodeowners(s.repository)
	switch {
	case s.codeowners:
		return say.Step{
			Text: "Let the rules of the default branch require a review from code owners: the file alone does not."}
	case there != "":
		return say.Step{Code: lines, Text: "Add to " + there +
			", and let the rules of the default branch require a review from code owners:"}
	}
	return say.Step{Code: lines, Text: "Have changes of the files reviewed, because whoever may change them may lower " +
		"every gate: lines in " + codeownersPath + " such as these, and a rule of the default branch that requires a " +
		"review from code owners:"}
}
