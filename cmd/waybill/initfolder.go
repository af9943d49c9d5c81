package main

import (
	"errors"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// openRepository returns the files of a repository except those that its .gitignore files and .git/info/exclude name,
// which may be secret. It refuses a folder within a clone, because GitHub reads pipeline files only at the top. Links
// in the repository, whoever has put them there, lead nowhere else.
func openRepository(folder string) (*known, error) {
	if _, err := os.Stat(filepath.Join(folder, ".git")); errors.Is(err, fs.ErrNotExist) {
		if top := cloneAround(folder); top != "" {
			return nil, misused("%s is a folder within the clone %s: GitHub reads Waybill's files at the top of a repository; "+
				"run waybill init there", folder, top)
		}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	k := &known{root: root, git: os.DirFS(folder)}
	if k.ignored, err = ignoredIn(k); err != nil {
		root.Close()
		return nil, err
	}
	return k, nil
}

// cloneAround returns the top of the clone that a folder lies in; "" if it lies in none.
func cloneAround(folder string) string {
	at, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	for up := filepath.Dir(at); up != at; at, up = up, filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, ".git")); err == nil {
			return up
		}
	}
	return ""
}

// ignoredIn returns what the .gitignore files of a repository, and the list of its clone, leave out.
func ignoredIn(files *known) (gitignore.Matcher, error) {
	var all []gitignore.Pattern
	add := func(file, folder string) error {
		text, err := fs.ReadFile(files, file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // .git of a linked worktree is a file
			return nil
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
				all = append(all, gitignore.ParsePattern(line, parts(folder)))
			}
		}
		return err
	}
	if err := add(".git/info/exclude", "."); err != nil {
		return nil, err
	}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case entry.Name() == ".git" || gitignore.NewMatcher(all).Match(parts(name), true):
			return fs.SkipDir
		}
		ignore := pathpkg.Join(name, ".gitignore")
		if info, err := files.root.Lstat(ignore); err == nil && !info.Mode().IsRegular() {
			return nil // Git follows no links there
		}
		return add(ignore, name)
	})
	return gitignore.NewMatcher(all), err
}

// parts returns the names that a path is made of; none of the top.
func parts(name string) []string {
	if name == "." {
		return nil
	}
	return strings.Split(name, "/")
}

// known is a repository whose folders do not list the files that are ignored.
type known struct {
	root    *os.Root
	git     fs.FS             // for .git, which nobody commits and which may be a link
	ignored gitignore.Matcher // nil: not known yet
}

// Close ends the use of the repository.
func (k *known) Close() error { return k.root.Close() }

// Open implements fs.FS.
func (k *known) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, ".git/") {
		return k.git.Open(name)
	}
	return k.root.FS().Open(name)
}

// ReadDir implements fs.ReadDirFS.
func (k *known) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(k.root.FS(), name)
	if k.ignored == nil {
		return all, err
	}
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		return k.ignored.Match(parts(pathpkg.Join(name, e.Name())), e.IsDir())
	}), err
}
