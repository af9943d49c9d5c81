package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"waybill/internal/layout"
	"waybill/promotion"
)

func initCommand(getenv func(string) string) *cobra.Command {
	i := initial{getenv: getenv}
	cmd := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Draft the pipeline file for a repository, and propose it",
		Long: "Looks at the repository that says what runs where, recognises its layout, and drafts the pipeline file, the " +
			"policy file\nand a story of one promotion. It validates and simulates them, and says what to do next.\n\n" +
			"In a clone, which is FOLDER, it writes the files, asks neither GitHub nor a server, and sends nothing. With\n" +
			"--repo and no FOLDER it reads the repository over GitHub's API, offers the checks that have reported there, and\n" +
			"opens a pull request with the files if you agree. It does so with a token of yours, from GH_TOKEN or\n" +
			"GITHUB_TOKEN; for an Enterprise Server from GH_ENTERPRISE_TOKEN or GITHUB_ENTERPRISE_TOKEN.\n\n" +
			"It asks on a terminal only, and only what it cannot know, and it overwrites nothing.\n" +
			"Exits with 0 if the files are written, proposed or printed, 1 if nothing is recognised, a file exists, a " +
			"promotion would\nnot succeed, or GitHub or you refuse, 2 if the command line is wrong, 5 if GitHub does not " +
			"answer.",
		Example: "  waybill init\n  waybill init --source acme/api --verify dev=smoke --verify prod=status:argocd/prod\n" +
			"  waybill init --stages alpha,beta,live --print > story.txtar && waybill simulate story.txtar\n" +
			"  GH_TOKEN=$(gh auth token) waybill init --repo acme/deploy",
		Args: words(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
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
	f.StringVar(&i.home, "repo", "", "the repository `OWNER/NAME`, read over GitHub's API. With FOLDER: the name of that "+
		"one (default: that of the remote origin)")
	f.StringVar(&i.github, "github", "https://github.com",
		"the `ADDRESS` of GitHub, or of a GitHub Enterprise Server, that has --repo")
	f.BoolVar(&i.pullRequest, "pull-request", false, "open the pull request with the files without asking")
	f.BoolVar(&i.print, "print", false, "write and propose no file: print the story, which has the files in it")
	f.BoolVar(&i.yes, "yes", false, "ask nothing, and take the defaults")
	return cmd
}

// initial is one run of the init command.
type initial struct {
	folder, app, source, freight, owner, home, github string
	stages, verify                                    []string
	print, yes, pullRequest                           bool

	clone *known // the repository in a folder; nil: it is on GitHub
	far   *far   // the repository on GitHub; nil: it is a folder

	guessed    bool     // the source
	codeowners bool     // the file is written
	assumed    []string // the stages whose checks nobody has chosen
	listed     bool     // the checks that may be chosen

	story, out, errs io.Writer // the story is printed as it is
	ask              asker
	getenv           func(string) string
}

// run looks, asks, checks and writes, or proposes.
func (i *initial) run(ctx context.Context) error {
	repository, err := i.open(ctx)
	if err != nil {
		return err
	}
	defer repository.Close()
	if err := i.vacant(repository); err != nil {
		return err
	}
	found, err := layout.Look(repository, i.stages)
	if err != nil {
		return fmt.Errorf("look at %s: %w", i.place(), err)
	}
	if i.far != nil {
		found = found.WithReported(i.far.reported)
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
	s := summary{initial: i, out: report, repository: repository, found: found, choice: choice, draft: draft}
	s.print(s.findings())
	return i.carryOut(ctx, s)
}

// carryOut prints the draft, or checks it and writes or proposes its files, and says what to do next.
func (i *initial) carryOut(ctx context.Context, s summary) error {
	if i.print {
		fmt.Fprint(i.story, s.draft.Story)
		s.next()
		return nil
	}
	if err := i.check(ctx, s.draft); err != nil {
		return err
	}
	put := i.write
	if i.far != nil {
		put = func(files [][2]string) error { return i.propose(ctx, s, files) }
	}
	if err := put(i.files(s.repository, s.draft)); err != nil {
		return err
	}
	s.next()
	return nil
}

// looked is a repository that init looks at.
type looked interface {
	fs.FS
	io.Closer
}

// open opens the repository: on GitHub if there is only its name, else the folder.
func (i *initial) open(ctx context.Context) (looked, error) {
	switch {
	case i.folder == "" && i.home != "":
		if !i.print && !i.pullRequest && i.ask.silent {
			return nil, misused("nobody can be asked whether to open a pull request: say --pull-request, or --print to see " +
				"what would be in it")
		}
		var err error
		i.far, err = openFar(ctx, i.github, promotion.Repo(i.home), i.getenv)
		return i.far, err
	case i.pullRequest:
		return nil, misused("--pull-request is for a repository on GitHub: name it with --repo OWNER/NAME, and no folder")
	}
	i.folder = cmp.Or(i.folder, ".")
	var err error
	if i.clone, err = openRepository(i.folder); err == nil && i.home == "" {
		i.home = layout.Origin(i.clone)
	}
	return i.clone, err
}

// place is what was looked at, for people.
func (i *initial) place() string {
	switch {
	case i.far != nil:
		return i.home
	case i.folder == ".":
		return "this folder"
	}
	return i.folder
}

// at is where a file of the repository is, from where the person is: in a folder, or at the top of any clone.
func (i *initial) at(name string) string { return filepath.Join(i.folder, name) }

// nothing says what was looked for where nothing is recognised.
func (i *initial) nothing(found layout.Found, out io.Writer) error {
	fmt.Fprintf(out, "Found no version of an application in a file of an environment in %s. init looks for\n", i.place())
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
