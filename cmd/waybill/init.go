package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"waybill/internal/layout"
)

func initCommand() *cobra.Command {
	var i initial
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Draft the pipeline file for a repository",
		Long: "Looks at a clone of the repository that says what runs where, recognises its layout, and writes the " +
			"pipeline file, the\npolicy file and a story of one promotion. It validates and simulates what it has written, " +
			"and says what to do next.\nIt asks on a terminal only, and only what it cannot know; it overwrites nothing and " +
			"sends nothing.\nExits with 0 if the files are written or printed, 1 if nothing is recognised, a file exists " +
			"or a promotion would\nnot succeed, 2 if the command line is wrong.",
		Example: "  waybill init\n  waybill init --source acme/api --verify dev=smoke --verify prod=status:argocd/prod\n" +
			"  waybill init --stages alpha,beta,live --print > story.txtar && waybill simulate story.txtar",
		Args: words(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			i.folder = "."
			if len(args) > 0 {
				i.folder = args[0]
			}
			i.story, i.out, i.errs = cmd.OutOrStdout(), harmless{cmd.OutOrStdout()}, harmless{cmd.ErrOrStderr()}
			i.ask = asker{in: cmd.InOrStdin(), out: i.errs, silent: i.yes || !isTerminal(cmd.InOrStdin())}
			return i.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&i.app, "app", "", "the `NAME` of the application, if several are found")
	f.StringVar(&i.source, "source", "",
		"the `OWNER/NAME` of the application's repository, or . for this one (default: by what is found)")
	f.StringVar(&i.freight, "freight", "",
		"what is promoted: `merges` of pull requests, or tags that are versions (default: as the versions look)")
	f.StringSliceVar(&i.stages, "stages", nil,
		"the `NAMES` of the environments in their order, with commas (default: the well-known names)")
	f.StringArrayVar(&i.verify, "verify", nil,
		"a `CHECK` that verifies every stage, or with STAGE=CHECK one; status:NAME for a commit status. Repeatable")
	f.StringVar(&i.owner, "owner", "", "the `@OWNER/TEAM` or @person that reviews changes of Waybill's files (CODEOWNERS)")
	f.StringVar(&i.home, "repo", "", "the `OWNER/NAME` of this repository (default: that of the remote origin)")
	f.BoolVar(&i.print, "print", false, "write no file: print the story, which has the files in it")
	f.BoolVar(&i.yes, "yes", false, "ask nothing, and take the defaults")
	return cmd
}

// initial is one run of the init command.
type initial struct {
	folder, app, source, freight, owner, home string
	stages, verify                            []string
	print, yes                                bool
	guessed                                   bool      // the source
	codeowners                                bool      // the file is written
	story, out, errs                          io.Writer // the story is printed as it is
	ask                                       asker
}

// run looks, asks, writes and checks.
func (i *initial) run(ctx context.Context) error {
	repository, err := openRepository(i.folder)
	if err != nil {
		return err
	}
	defer repository.Close()
	if i.home == "" {
		i.home = layout.Origin(repository)
	}
	if err := i.vacant(repository); err != nil {
		return err
	}
	found, err := layout.Look(repository, i.stages)
	if err != nil {
		return fmt.Errorf("look at %s: %w", i.folder, err)
	}
	report := i.errs // of what was found and done: the standard output is for the story alone, if it is printed
	if !i.print {
		report = i.out
	}
	if len(found.Apps) == 0 {
		return i.nothing(found, report)
	}
	choice, err := i.choose(found, layout.Builds(repository))
	if err != nil {
		return err
	}
	draft, err := found.Draft(ctx, choice)
	if err != nil {
		return err
	}
	summary{report}.found(i.folder, found, choice, len(i.stages) > 0)
	if i.print {
		fmt.Fprint(i.story, draft.Story)
		summary{report}.next(i, found, choice, draft)
		return nil
	}
	if err := i.write(ctx, repository, draft); err != nil {
		return err
	}
	summary{report}.next(i, found, choice, draft)
	return nil
}

// nothing says what was looked for where nothing is recognised.
func (i *initial) nothing(found layout.Found, out io.Writer) error {
	fmt.Fprintf(out, "Found no version of an application in a file of an environment in %s. init looks for\n", i.folder)
	for _, looks := range layout.Looks() {
		fmt.Fprintf(out, "  - %s\n", looks)
	}
	for _, left := range found.Left {
		fmt.Fprintf(out, "Cannot be used: %s\n", left)
	}
	if len(i.stages) == 0 {
		fmt.Fprintf(out, "in folders and files that are named for environments: %s.\n"+
			"If yours have other names, say --stages FIRST,SECOND,THIRD.\n", strings.Join(layout.Environments(), ", "))
	} else {
		fmt.Fprintf(out, "in folders and files that are named %s.\n", strings.Join(i.stages, ", "))
	}
	fmt.Fprintln(out, "docs/recipes has whole set-ups to copy, among them environment branches, which init does not "+
		"draft;\ndocs/pipeline-file.md has every key.")
	return exitCode(codeRefused)
}
