package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"

	"waybill/internal/layout"
)

// asker asks the person at a terminal.
type asker struct {
	in     io.Reader
	out    io.Writer
	silent bool // it asks nobody, and takes the defaults
}

// isTerminal reports whether a person types what is read there.
func isTerminal(in io.Reader) bool {
	f, is := in.(*os.File)
	return is && isatty.IsTerminal(f.Fd())
}

// line asks a question and returns the answer, or what holds without one.
func (a *asker) line(question, otherwise string) (string, error) {
	if a.silent {
		return otherwise, nil
	}
	fmt.Fprint(a.out, question)
	if otherwise != "" {
		fmt.Fprintf(a.out, " [%s]", otherwise)
	}
	fmt.Fprint(a.out, " ")
	buffered, is := a.in.(*bufio.Reader)
	if !is {
		buffered = bufio.NewReader(a.in)
		a.in = buffered // what it has read ahead is the next answer
	}
	answer, err := buffered.ReadString('\n')
	switch {
	case errors.Is(err, io.EOF): // nobody answers
		a.silent = true
		fmt.Fprintln(a.out)
	case err != nil:
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return cmp.Or(strings.TrimSpace(answer), otherwise), nil
}

// choose decides what cannot be seen in the repository: by the flags, or by asking.
func (i *initial) choose(found layout.Found, builds bool) (c layout.Choice, err error) {
	if c.Kind, err = i.kind(); err != nil {
		return c, err
	}
	if c.App, err = i.chooseApp(found); err != nil {
		return c, err
	}
	if c.Source, err = i.chooseSource(c.App, builds); err != nil {
		return c, err
	}
	for _, written := range i.verify {
		check, err := layout.ParseCheck(written)
		if err != nil {
			return c, misused("--verify: %w", err)
		}
		if all := c.App.StageNames(); check.Stage != "" && !slices.Contains(all, check.Stage) {
			return c, misused("--verify: there is no stage %q; there are %s", check.Stage, strings.Join(all, ", "))
		}
		c.Checks = append(c.Checks, check)
	}
	for _, s := range c.App.Stages {
		if slices.ContainsFunc(c.Checks, func(c layout.Check) bool { return c.Verifies(s.Name) }) {
			continue
		}
		checks, err := i.chooseChecks(found, s)
		if err != nil {
			return c, err
		}
		c.Checks = append(c.Checks, checks...)
	}
	if i.owner == "" && !i.print {
		i.owner, err = i.ask.line("Who reviews changes of Waybill's files, as @owner/team (nothing: nobody has to)?", "")
	}
	if err == nil && i.owner != "" && !strings.HasPrefix(i.owner, "@") {
		return c, misused("--owner must be a person or a team as CODEOWNERS has it, such as @acme/platform, not %q", i.owner)
	}
	return c, err
}

// kind reads what is promoted.
func (i *initial) kind() (string, error) {
	switch i.freight {
	case "", layout.OfMerges, layout.OfTags:
		return i.freight, nil
	}
	return "", misused("--freight is %s or %s, not %q", layout.OfMerges, layout.OfTags, i.freight)
}

// chooseApp chooses one of the applications that were found.
func (i *initial) chooseApp(found layout.Found) (layout.App, error) {
	var names []string
	for _, a := range found.Apps {
		names = append(names, a.Name)
	}
	name := i.app
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	if name == "" {
		var err error
		question := fmt.Sprintf("Several applications are found: %s. Which one is to be promoted?", strings.Join(names, ", "))
		if name, err = i.ask.line(question, ""); err != nil {
			return layout.App{}, err
		}
	}
	at := slices.Index(names, name)
	switch {
	case at >= 0:
		return found.Apps[at], nil
	case name == "":
		return layout.App{}, misused("several applications are found: choose one with --app, of %s",
			strings.Join(names, ", "))
	}
	return layout.App{}, misused("no application %q is found; found are %s", name, strings.Join(names, ", "))
}

// chooseSource decides where the application comes from; "" is the repository itself.
func (i *initial) chooseSource(app layout.App, builds bool) (string, error) {
	source := i.source
	if source == "" && builds {
		source = "."
	}
	if source == "" {
		var err error
		question := "In which repository do people merge changes of " + app.Name + ", as owner/name (. is this one)?"
		if source, err = i.ask.line(question, app.Source()); err != nil {
			return "", err
		}
		i.guessed = source != "" && i.ask.silent
	}
	switch {
	case source == "":
		return "", misused("say with --source in which repository people merge changes of %s: OWNER/NAME, or . for this one",
			app.Name)
	case source == "." || strings.EqualFold(source, i.home):
		return "", nil
	}
	return source, isRepo(source)
}

// chooseChecks decides what verifies a stage. Where it is known what has reported, it asks.
func (i *initial) chooseChecks(found layout.Found, s layout.Stage) ([]layout.Check, error) {
	usual, all := found.Checks(s), found.Candidates()
	if i.far == nil || i.ask.silent || len(all) == 0 {
		i.assumed = append(i.assumed, s.Name)
		return usual, nil
	}
	i.list(found, all)
	var numbers []string
	for _, c := range usual {
		at := slices.Index(all, layout.Check{Name: c.Name, Status: c.Status})
		numbers = append(numbers, strconv.Itoa(at+1))
	}
	none := "nothing"
	answer, err := i.ask.line("What verifies "+s.Name+"? Numbers with commas, another name, or "+none,
		cmp.Or(strings.Join(numbers, ","), none))
	if err != nil || answer == none {
		return nil, err
	}
	return answered(s.Name, answer, all)
}

// list lists the checks that may be chosen, once.
func (i *initial) list(found layout.Found, all []layout.Check) {
	if i.listed {
		return
	}
	i.listed = true
	fmt.Fprintf(i.ask.out, "Checks and statuses of the last commits of %s:\n", i.far.base.Branch)
	for n, c := range all {
		note := ""
		if !found.Reported(c) {
			note = "  (a job of a workflow, which has not reported yet)"
		}
		fmt.Fprintf(i.ask.out, "  %2d  %s%s\n", n+1, c, note)
	}
}

// answered reads what a person has answered: numbers of checks, or the name of another.
func answered(stage, answer string, all []layout.Check) (checks []layout.Check, err error) {
	for _, word := range strings.Split(answer, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > len(all) {
			c, err := layout.ParseCheck(stage + "=" + answer)
			if err != nil {
				return nil, misused("%w", err)
			}
			return []layout.Check{c}, nil
		}
		c := all[n-1]
		c.Stage = stage
		checks = append(checks, c)
	}
	return checks, nil
}
