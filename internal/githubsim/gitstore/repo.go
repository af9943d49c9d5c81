// Package gitstore keeps bare Git repositories for the GitHub simulator: real objects with real SHAs, on disk, so that the git
// command line can read them too. Objects are written by this package itself (zlib and SHA-1 are simple, a process per object is
// not cheap); merges and patches are made by the git command line, because only Git decides what a conflict is.
package gitstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// ErrNotFound says that an object, a reference or a path does not exist in the repository.
var ErrNotFound = errors.New("not found")

// Zero is the SHA that stands for "no commit" in push events.
const Zero = "0000000000000000000000000000000000000000"

// Repo is one bare repository. It is not safe for concurrent use: the simulator serialises all access with its own lock.
type Repo struct {
	dir     string
	objects map[string]object
	refs    map[string]string
	merges  map[[2]string]Merge
	diffs   map[[2]string][]FileChange
}

// Create makes an empty bare repository at dir, with HEAD on branch.
func Create(dir, branch string) (*Repo, error) {
	for _, sub := range []string{"objects", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, fmt.Errorf("create repository %s: %w", dir, err)
		}
	}
	files := map[string]string{
		"HEAD":   "ref: refs/heads/" + branch + "\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return nil, fmt.Errorf("create repository %s: %w", dir, err)
		}
	}
	return &Repo{
		dir:     dir,
		objects: map[string]object{},
		refs:    map[string]string{},
		merges:  map[[2]string]Merge{},
		diffs:   map[[2]string][]FileChange{},
	}, nil
}

// Dir is the folder of the bare repository, for people who want to look at it with git.
func (r *Repo) Dir() string { return r.dir }

// Ref answers the SHA that a fully qualified reference ("refs/heads/main") points to.
func (r *Repo) Ref(name string) (sha string, ok bool) {
	sha, ok = r.refs[name]
	return sha, ok
}

// Branch answers the head of a branch.
func (r *Repo) Branch(name string) (sha string, ok bool) { return r.Ref("refs/heads/" + name) }

// Refs lists the fully qualified references that start with prefix, sorted.
func (r *Repo) Refs(prefix string) []string {
	var names []string
	for name := range r.refs {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// SetRef points a reference at an existing object. As in Git, a name cannot be a prefix folder of another one
// ("refs/heads/a" and "refs/heads/a/b"): that is an error.
func (r *Repo) SetRef(name, sha string) error {
	if _, err := r.read(sha); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	for other := range r.refs {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return fmt.Errorf("set %s: %s exists", name, other)
		}
	}
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	if err := os.WriteFile(path, []byte(sha+"\n"), 0o644); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	r.refs[name] = sha
	return nil
}

// DeleteRef removes a reference and the empty folders it leaves; a missing one is ErrNotFound.
func (r *Repo) DeleteRef(name string) error {
	if _, ok := r.refs[name]; !ok {
		return fmt.Errorf("delete %s: %w", name, ErrNotFound)
	}
	delete(r.refs, name)
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	for dir := filepath.Dir(path); dir != filepath.Join(r.dir, "refs", "heads") && dir != filepath.Join(r.dir, "refs"); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			break // not empty: another reference lives there
		}
	}
	return nil
}

// ValidRefName reports whether Git would accept name, following the rules of git-check-ref-format(1).
func ValidRefName(name string) bool {
	if !strings.HasPrefix(name, "refs/") || strings.Count(name, "/") < 2 {
		return false
	}
	if strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") || strings.Contains(name, "@{") {
		return false
	}
	for _, part := range strings.Split(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
		if strings.IndexFunc(part, func(c rune) bool { return c < 0x20 }) >= 0 {
			return false
		}
	}
	return true
}
