package gitstore

import (
	"fmt"
	"strconv"
	"strings"
)

// FileChange is one file that differs between two trees.
type FileChange struct {
	Path      string
	Previous  string // the old path of a renamed file
	Status    string // added, removed, modified or renamed, as in GitHub's API
	SHA       string // of the new content; of the old content if removed
	Additions int
	Deletions int
	Patch     string // unified diff from the first @@ on; empty for binary files
}

// Diff compares two commits file by file, with renames detected by Git's default rules.
func (r *Repo) Diff(from, to string) ([]FileChange, error) {
	if r.plain {
		if changes, ok := r.plainDiff(from, to); ok {
			return changes, nil
		}
	}
	return r.Patches(from, to)
}

// Patches is Diff with the patches, also if OmitPatches was called.
func (r *Repo) Patches(from, to string) ([]FileChange, error) {
	key := [2]string{from, to}
	if changes, ok := r.diffs[key]; ok {
		return changes, nil
	}
	out, _, err := r.git("diff-tree", "-r", "-M", "--raw", "--no-abbrev", "--numstat", "-p", "-z", "--no-commit-id", from,
		to)
	if err != nil {
		return nil, fmt.Errorf("diff %s %s: %w", from, to, err)
	}
	changes, err := parseDiff(out)
	if err != nil {
		return nil, fmt.Errorf("diff %s %s: %w", from, to, err)
	}
	r.diffs[key] = changes
	return changes, nil
}

// OmitPatches makes Diff leave out the patches if it can compute the rest without Git: if nothing can have been
// renamed.
func (r *Repo) OmitPatches() { r.plain = true }

// plainDiff returns a diff without patches, or false if something may have been renamed.
func (r *Repo) plainDiff(from, to string) ([]FileChange, bool) {
	paths, err := r.Paths(from, to)
	if err != nil || mayRename(paths) {
		return nil, false
	}
	var changes []FileChange
	for _, p := range paths {
		c := FileChange{Path: p.Path, Status: "modified", SHA: p.New}
		switch {
		case p.Old == "":
			c.Status = "added"
		case p.New == "":
			c.Status, c.SHA = "removed", p.Old
		}
		c.Additions, c.Deletions = lineChanges(r.contents(p.Old), r.contents(p.New))
		changes = append(changes, c)
	}
	return changes, true
}

// parseDiff parses the output of `git diff-tree --raw --numstat -p -z`: raw records, then numbers, then (after an empty
// record) the patches, all in the same order of files.
func parseDiff(out string) ([]FileChange, error) {
	var changes []FileChange
	fields := strings.Split(out, "\x00")
	at := 0
	next := func() string {
		if at >= len(fields) {
			return ""
		}
		at++
		return fields[at-1]
	}
	for at < len(fields) && strings.HasPrefix(fields[at], ":") {
		change, err := parseRaw(strings.Fields(next()), next)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	for i := range changes {
		numbers := strings.SplitN(next(), "\t", 3)
		if len(numbers) != 3 {
			return nil, fmt.Errorf("parse numstat %q", numbers)
		}
		if numbers[2] == "" { // a rename: old and new path follow as records of their own
			next()
			next()
		}
		changes[i].Additions, _ = strconv.Atoi(numbers[0]) // "-" for binary files: none
		changes[i].Deletions, _ = strconv.Atoi(numbers[1])
	}
	patches := strings.Split(strings.Join(fields[min(at, len(fields)):], "\x00"), "diff --git ")
	for i := range changes {
		if i+1 < len(patches) {
			changes[i].Patch = hunks(patches[i+1])
		}
	}
	return changes, nil
}

func parseRaw(record []string, next func() string) (FileChange, error) {
	if len(record) != 5 {
		return FileChange{}, fmt.Errorf("parse raw record %q", record)
	}
	change := FileChange{SHA: record[3], Path: next()}
	switch record[4][0] {
	case 'A':
		change.Status = "added"
	case 'D':
		change.Status = "removed"
		change.SHA = record[2]
	case 'R':
		change.Status = "renamed"
		change.Previous = change.Path
		change.Path = next()
	default:
		change.Status = "modified"
	}
	return change, nil
}

// hunks removes the header lines from one file's patch.
func hunks(patch string) string {
	if i := strings.Index(patch, "\n@@ "); i >= 0 {
		return strings.TrimSuffix(patch[i+1:], "\n")
	}
	return ""
}
