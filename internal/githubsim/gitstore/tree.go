package gitstore

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
)

// The modes of tree entries as GitHub's API spells them.
const (
	ModeFile       = "100644"
	ModeExecutable = "100755"
	ModeSymlink    = "120000"
	ModeTree       = "040000"
	ModeSubmodule  = "160000"
)

// Entry is one line of a tree. In results of Files, Name is the whole path.
type Entry struct {
	Mode string
	Name string
	SHA  string
}

// Kind returns the kind of the object that the entry points to.
func (e Entry) Kind() string {
	switch e.Mode {
	case ModeTree:
		return KindTree
	case ModeSubmodule:
		return KindCommit
	}
	return KindBlob
}

// Tree reads the entries of one folder.
func (db *Objects) Tree(sha string) ([]Entry, error) {
	data, err := db.readKind(KindTree, sha)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for len(data) > 0 {
		header, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, spaced := strings.Cut(string(header), " ")
		if !ok || !spaced || len(rest) < 20 {
			return nil, fmt.Errorf("read tree %s: malformed", sha)
		}
		entries = append(entries, Entry{Mode: fmt.Sprintf("%06s", mode), Name: name, SHA: hex.EncodeToString(rest[:20])})
		data = rest[20:]
	}
	return entries, nil
}

// WriteTree stores one folder; entries may be in any order.
func (db *Objects) WriteTree(entries []Entry) (string, error) {
	sorted := append([]Entry(nil), entries...)
	sortEntries(sorted)
	var data bytes.Buffer
	for _, e := range sorted {
		raw, err := hex.DecodeString(e.SHA)
		if err != nil {
			return "", fmt.Errorf("write tree entry %s: %w", e.Name, err)
		}
		data.WriteString(strings.TrimPrefix(e.Mode, "0") + " " + e.Name + "\x00")
		data.Write(raw)
	}
	return db.write(KindTree, data.Bytes()), nil
}

// sortEntries sorts entries in the order of Git's trees.
func sortEntries(entries []Entry) {
	sort.Slice(entries, func(i, j int) bool { return sortName(entries[i]) < sortName(entries[j]) })
}

// sortName returns the name by which Git sorts: a folder sorts as if it ended in a slash.
func sortName(e Entry) string {
	if e.Kind() == KindTree {
		return e.Name + "/"
	}
	return e.Name
}

// Lookup finds the entry at a slash-separated path below a tree. The empty path is the tree itself.
func (db *Objects) Lookup(tree, path string) (Entry, error) {
	found := Entry{Mode: ModeTree, SHA: tree}
	for _, part := range strings.FieldsFunc(path, func(c rune) bool { return c == '/' }) {
		if found.Kind() != KindTree {
			return Entry{}, fmt.Errorf("look up %s: %w", path, ErrNotFound)
		}
		entries, err := db.Tree(found.SHA)
		if err != nil {
			return Entry{}, fmt.Errorf("look up %s: %w", path, err)
		}
		next, ok := entryNamed(entries, part)
		if !ok {
			return Entry{}, fmt.Errorf("look up %s: %w", path, ErrNotFound)
		}
		found = next
	}
	return found, nil
}

func entryNamed(entries []Entry, name string) (Entry, bool) {
	for _, e := range entries {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// Files lists everything below a tree recursively, by path. If folders is set, it lists each folder before its
// contents.
func (db *Objects) Files(tree string, folders bool) ([]Entry, error) {
	return db.filesBelow(tree, "", folders)
}

func (db *Objects) filesBelow(tree, prefix string, folders bool) ([]Entry, error) {
	entries, err := db.Tree(tree)
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, e := range entries {
		e.Name = prefix + e.Name
		if e.Kind() != KindTree {
			all = append(all, e)
			continue
		}
		if folders {
			all = append(all, e)
		}
		below, err := db.filesBelow(e.SHA, e.Name+"/", folders)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}

// Edit writes a new tree: base (empty for none) with the given entries at their paths. An entry without SHA deletes its
// path. Folders that become empty disappear, as in Git.
func (db *Objects) Edit(base string, changes []Entry) (string, error) {
	var entries []Entry
	if base != "" {
		var err error
		if entries, err = db.Tree(base); err != nil {
			return "", err
		}
	}
	below := map[string][]Entry{}
	for _, c := range changes {
		name, rest, nested := strings.Cut(c.Name, "/")
		if nested {
			below[name] = append(below[name], Entry{Mode: c.Mode, Name: rest, SHA: c.SHA})
			continue
		}
		entries = replace(entries, name, c)
	}
	for name, changes := range below {
		edited, err := db.editFolder(entries, name, changes)
		if err != nil {
			return "", err
		}
		entries = edited
	}
	return db.WriteTree(entries)
}

func (db *Objects) editFolder(entries []Entry, name string, changes []Entry) ([]Entry, error) {
	base := ""
	old, exists := entryNamed(entries, name)
	if exists && old.Kind() == KindTree {
		base = old.SHA
	}
	sha, err := db.Edit(base, changes)
	if err != nil {
		return nil, err
	}
	left, err := db.Tree(sha)
	if err != nil {
		return nil, err
	}
	if len(left) == 0 && exists && base == "" {
		return entries, nil // a file replaced the folder
	}
	if len(left) == 0 {
		return replace(entries, name, Entry{}), nil
	}
	return replace(entries, name, Entry{Mode: ModeTree, Name: name, SHA: sha}), nil
}

func replace(entries []Entry, name string, with Entry) []Entry {
	var kept []Entry
	for _, e := range entries {
		if e.Name != name {
			kept = append(kept, e)
		}
	}
	if with.SHA == "" {
		return kept
	}
	return append(kept, with)
}
