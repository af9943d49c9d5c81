// Package gitstore implements bare Git repositories for the GitHub simulator: real objects with real SHAs. Objects are
// kept in memory, because most of them are only needed there. They are written to disk when Git itself needs them: the
// git command line makes nontrivial merges, patches and renames, because only Git decides where a conflict is.
package gitstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// ErrNotFound means that an object, a reference or a path does not exist in the repository.
var ErrNotFound = errors.New("not found")

// Zero is the SHA that stands for "no commit" in push events.
const Zero = "0000000000000000000000000000000000000000"

// Repo is one bare repository. It is not safe for concurrent use: the simulator serializes all access with its own
// lock.
type Repo struct {
	*Objects
	dir    string
	branch string // of HEAD
	refs   map[string]string
}

// Objects holds the objects that a repository and its forks share, as on GitHub, and caches of values computed from
// them.
type Objects struct {
	folder  string // objects on disk
	objects map[string]object
	written int               // number of objects in memory
	until   int               // later objects are hidden; 0 hides none
	unsaved []string          // SHAs of objects that are not on disk yet
	commits map[string]Commit // parsed
	merges  map[[2]string]Merge
	diffs   map[[2]string][]FileChange
	plain   bool // patches are left out
}

// New makes an empty bare repository with HEAD on branch. It writes to dir only when Git needs it.
func New(dir, branch string) *Repo {
	shared := &Objects{
		folder: filepath.Join(dir, "objects"), objects: map[string]object{}, commits: map[string]Commit{},
		merges: map[[2]string]Merge{}, diffs: map[[2]string][]FileChange{},
	}
	return &Repo{Objects: shared, dir: dir, branch: branch, refs: map[string]string{}}
}

// Fork makes a repository at dir with the same branches, tags and objects. Both can read new commits of each other.
func (r *Repo) Fork(dir string) *Repo {
	refs := map[string]string{}
	for name, sha := range r.refs {
		if strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/") {
			refs[name] = sha
		}
	}
	return &Repo{Objects: r.Objects, dir: dir, branch: r.branch, refs: refs}
}

// Save writes the current repository to disk and returns its folder, for people and programs that inspect it with git.
func (r *Repo) Save() (dir string, err error) {
	for _, folder := range []string{r.folder, filepath.Join(r.dir, "objects", "info"), filepath.Join(r.dir, "refs")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", fmt.Errorf("save repository: %w", err)
		}
	}
	for _, sha := range r.unsaved {
		if err := r.store(sha, r.objects[sha]); err != nil {
			return "", fmt.Errorf("save object %s: %w", sha, err)
		}
	}
	r.unsaved = nil
	packed := "# pack-refs with: sorted \n"
	for _, name := range r.Refs("") {
		packed += r.refs[name] + " " + name + "\n"
	}
	files := map[string]string{
		"HEAD":        "ref: refs/heads/" + r.branch + "\n",
		"config":      "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
		"packed-refs": packed,
	}
	if own := filepath.Join(r.dir, "objects"); own != r.folder {
		files["objects/info/alternates"] = r.folder + "\n"
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o644); err != nil {
			return "", fmt.Errorf("save repository: %w", err)
		}
	}
	return r.dir, nil
}

// Ref returns the SHA that a fully qualified reference ("refs/heads/main") points to.
func (r *Repo) Ref(name string) (sha string, ok bool) {
	sha, ok = r.refs[name]
	return sha, ok
}

// Branch returns the head of a branch.
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

// SetRef points a reference at an existing object. As in Git, it is an error if a name is a folder of another one
// ("refs/heads/a" and "refs/heads/a/b").
func (r *Repo) SetRef(name, sha string) error {
	if _, err := r.read(sha); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	for other := range r.refs {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return fmt.Errorf("set %s: %s exists", name, other)
		}
	}
	r.refs[name] = sha
	return nil
}

// DeleteRef removes a reference; a missing one is ErrNotFound.
func (r *Repo) DeleteRef(name string) error {
	if _, ok := r.refs[name]; !ok {
		return fmt.Errorf("delete %s: %w", name, ErrNotFound)
	}
	delete(r.refs, name)
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
