package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waybill/app/gh"
	"waybill/promotion/say"
)

// branchOfInit is the branch of the pull request. Those that begin with waybill/ are of promotions.
const branchOfInit = "waybill-init"

// propose opens a pull request with the files, if the person agrees.
func (i *initial) propose(ctx context.Context, s summary, files [][2]string) error {
	texts := map[string]string{}
	drafted := say.Drafted{App: s.choice.App.Name, Found: s.findings(), Guessed: s.guesses(), Steps: s.steps()}
	for _, f := range files {
		texts[f[0]] = f[1]
		drafted.Files = append(drafted.Files, [2]string{f[0], purposes[f[0]]})
		fmt.Fprintf(i.out, "  %-44s %s\n", f[0], purposes[f[0]])
	}
	agreed, err := i.agreed()
	if err != nil {
		return err
	}
	if !agreed {
		return errors.New("no pull request was opened; --print shows what would be in it")
	}
	url, err := i.far.client.Pulls.Propose(ctx, i.far.base, gh.Proposal{
		Branch: branchOfInit, Title: "Promote " + s.choice.App.Name + " with Waybill", Body: drafted.Markdown(), Files: texts,
	})
	switch {
	case gh.ClassOf(err) == gh.ClassLookAgain:
		return fmt.Errorf("%w, perhaps of an earlier init: merge or close its pull request, and delete it", err)
	case errors.Is(err, gh.ErrTransient):
		return unreachable{fmt.Errorf("%w: look there before you try again", err)}
	case err != nil:
		return fmt.Errorf("%w. Your token must be allowed to write there: contents and pull requests. Without it, write "+
			"the files with waybill init in a clone", err)
	}
	fmt.Fprintf(i.out, "Opened %s\n", url)
	return nil
}

// agreed asks whether to open the pull request, unless the command line says so.
func (i *initial) agreed() (bool, error) {
	if i.pullRequest {
		return true, nil
	}
	answer, err := i.ask.line("Open a pull request in "+i.home+" with these files (yes or no)?", "no")
	return strings.HasPrefix(strings.ToLower(answer), "y"), err
}
