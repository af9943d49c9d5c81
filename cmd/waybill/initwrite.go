package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"waybill/config"
	"waybill/internal/layout"
)

// codeownersPath is where the line for Waybill's files is written.
const codeownersPath = ".github/CODEOWNERS"

// codeowners are the places of a CODEOWNERS file, of which GitHub reads the first.
var codeowners = []string{codeownersPath, "CODEOWNERS", "docs/CODEOWNERS"}

// vacant refuses a repository that has one of the files already.
func (i *initial) vacant(repository fs.FS) error {
	if i.print {
		return nil
	}
	for _, name := range []string{config.PipelinePath, config.PolicyPath, layout.StoryPath} {
		if _, err := fs.Stat(repository, name); err != nil {
			continue
		}
		where := i.at(name)
		if i.far != nil {
			where += " of " + i.place()
		}
		return fmt.Errorf("%s exists already, and init overwrites nothing: move it away, or see with --print what init "+
			"would write", where)
	}
	return nil
}

// hasCodeowners returns the CODEOWNERS file of the repository; "" if there is none.
func hasCodeowners(repository fs.FS) string {
	for _, name := range codeowners {
		if _, err := fs.Stat(repository, name); err == nil {
			return name
		}
	}
	return ""
}

// codeownersLines say who reviews changes of Waybill's files, and of this one: whoever may take the lines out may
// change those files.
func codeownersLines(owner string) string {
	return fmt.Sprintf("/.github/waybill* %[1]s\n/%[2]s/ %[1]s\n/%[3]s %[1]s\n", owner, config.PartsPath, codeownersPath)
}

// files returns what is written, by path, in the order in which people read it.
func (i *initial) files(repository fs.FS, draft layout.Draft) [][2]string {
	files := draft.Files()
	if i.owner != "" && hasCodeowners(repository) == "" {
		files = append(files, [2]string{codeownersPath, codeownersLines(i.owner)})
		i.codeowners = true
	}
	return files
}

// check checks what was drafted as validate and simulate do.
func (i *initial) check(ctx context.Context, draft layout.Draft) error {
	fmt.Fprintln(i.out, "Checked, as waybill validate and waybill simulate do")
	v := validation{home: i.home, out: i.out, errs: i.errs}
	if worst := v.print(v.load(checked{config.PipelinePath, []byte(draft.Pipeline)},
		checked{config.PolicyPath, []byte(draft.Policy)})); worst != 0 {
		return worst
	}
	fmt.Fprintf(i.out, "ok   %s\n", config.PipelinePath)
	code, err := simulation{out: i.out, errs: i.errs}.playText(ctx, layout.StoryPath, []byte(draft.Story))
	if err == nil && code != 0 {
		err = code
	}
	return err
}

// write writes the files into the folder.
func (i *initial) write(files [][2]string) error {
	fmt.Fprintln(i.out, "Wrote")
	for _, f := range files {
		path := i.at(f[0])
		if err := writeNew(i.clone.root, f[0], f[1]); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		fmt.Fprintf(i.out, "  %-44s %s\n", path, purposes[f[0]])
	}
	return nil
}

// purposes says what the files are for.
var purposes = map[string]string{
	config.PipelinePath: "the stages, and what a promotion changes in each",
	config.PolicyPath:   "which stages promote by themselves, and who may do what",
	layout.StoryPath:    "one version on its way, as it would go",
	codeownersPath:      "who reviews changes of these files",
}

// writeNew writes a file of a folder that does not exist yet, and follows no link out of the folder.
func writeNew(root *os.Root, name, text string) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}
