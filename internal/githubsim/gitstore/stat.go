package gitstore

import (
	"bytes"
	"strings"
)

// PathChange is a path that differs between two trees. An empty SHA means that the path does not exist.
type PathChange struct {
	Path     string
	Old, New string
}

// Paths compares two commits path by path without rename detection, as push events list them.
func (db *Objects) Paths(from, to string) ([]PathChange, error) {
	old, err := db.Commit(from)
	if err != nil {
		return nil, err
	}
	new, err := db.Commit(to)
	if err != nil {
		return nil, err
	}
	return db.pathsBelow(old.Tree, new.Tree, "")
}

func (db *Objects) pathsBelow(from, to, prefix string) ([]PathChange, error) {
	if from == to {
		return nil, nil
	}
	old, err := db.entries(from)
	if err != nil {
		return nil, err
	}
	new, err := db.entries(to)
	if err != nil {
		return nil, err
	}
	var changes []PathChange
	for _, name := range union(old, new) {
		below, err := db.pathsAt(old[name], new[name], prefix+name)
		if err != nil {
			return nil, err
		}
		changes = append(changes, below...)
	}
	return changes, nil
}

// pathsAt compares two trees at one name. It descends if both entries are folders; otherwise the path itself has
// changed.
func (db *Objects) pathsAt(old, new Entry, path string) ([]PathChange, error) {
	if old.SHA == new.SHA && old.Mode == new.Mode {
		return nil, nil
	}
	var changes []PathChange
	oldTree, newTree := "", ""
	one := PathChange{Path: path}
	if old.SHA != "" && old.Kind() == KindTree {
		oldTree = old.SHA
	} else {
		one.Old = old.SHA
	}
	if new.SHA != "" && new.Kind() == KindTree {
		newTree = new.SHA
	} else {
		one.New = new.SHA
	}
	if one.Old != "" || one.New != "" {
		changes = append(changes, one)
	}
	below, err := db.pathsBelow(oldTree, newTree, path+"/")
	return append(changes, below...), err
}

// entries reads a tree by name; an empty SHA means an empty tree.
func (db *Objects) entries(tree string) (map[string]Entry, error) {
	if tree == "" {
		return nil, nil
	}
	listed, err := db.Tree(tree)
	byName := make(map[string]Entry, len(listed))
	for _, e := range listed {
		byName[e.Name] = e
	}
	return byName, err
}

func union(a, b map[string]Entry) []string {
	var entries []Entry
	for _, e := range a {
		entries = append(entries, e)
	}
	for name, e := range b {
		if _, both := a[name]; !both {
			entries = append(entries, e)
		}
	}
	sortEntries(entries)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names
}

// Stat is the size of a change.
type Stat struct {
	Files, Additions, Deletions int
}

// Stat measures the change between two commits. It runs git only if a rename is possible, that is if paths were both
// added and removed.
func (r *Repo) Stat(from, to string) (Stat, error) {
	changes, err := r.Paths(from, to)
	if err != nil {
		return Stat{}, err
	}
	if mayRename(changes) {
		return r.statByGit(from, to)
	}
	stat := Stat{Files: len(changes)}
	for _, c := range changes {
		added, deleted := lineChanges(r.contents(c.Old), r.contents(c.New))
		stat.Additions += added
		stat.Deletions += deleted
	}
	return stat, nil
}

// mayRename reports whether Git could detect a rename: paths were both added and removed.
func mayRename(changes []PathChange) bool {
	came, went := false, false
	for _, c := range changes {
		came, went = came || c.Old == "", went || c.New == ""
	}
	return came && went
}

func (r *Repo) statByGit(from, to string) (Stat, error) {
	changes, err := r.Diff(from, to)
	stat := Stat{Files: len(changes)}
	for _, c := range changes {
		stat.Additions += c.Additions
		stat.Deletions += c.Deletions
	}
	return stat, err
}

// contents reads a file for counting lines. It returns nil for binary files.
func (db *Objects) contents(sha string) []byte {
	content, err := db.Blob(sha)
	if err != nil || bytes.IndexByte(content, 0) >= 0 {
		return nil
	}
	return content
}

// lineChanges counts the lines that a minimal edit adds and deletes.
func lineChanges(old, new []byte) (added, deleted int) {
	a, b := lines(old), lines(new)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	common := longestCommon(a, b)
	return len(b) - common, len(a) - common
}

func lines(content []byte) []string {
	split := strings.SplitAfter(string(content), "\n")
	if split[len(split)-1] == "" {
		split = split[:len(split)-1]
	}
	return split
}

// longestCommon returns the length of the longest common subsequence.
func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, line := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if line == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
