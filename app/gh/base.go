package gh

import (
	"fmt"

	"waybill/promotion"
)

// Base is the head of a branch as it was when it was read, with some of its files: a promotion is computed from it.
type Base struct {
	Branch  string
	SHA     promotion.SHA
	Tree    promotion.SHA
	RepoID  int64
	Methods []string        // the ways to merge that the repository allows, the best one first
	Files   map[string]File // one for every path that was asked for
}

// The ways to merge, in the order of our preference.
var methods = []string{"squash", "merge", "rebase"}

// allowedMethods returns the ways to merge that a repository allows, the best one first.
func allowedMethods(squash, merge, rebase bool) (all []string) {
	for i, allowed := range []bool{squash, merge, rebase} {
		if allowed {
			all = append(all, methods[i])
		}
	}
	return all
}

// File is a file of a branch. The zero value is a file that is not there.
type File struct {
	Exists  bool
	Content string
	Mode    string        // as Git has it: 100644, or 100755 for an executable
	Tree    promotion.SHA // of a folder: Git's hash of its contents
	// Unfit is why the file cannot be read and written as text; empty if it can.
	Unfit string
}

// IsFile reports whether it is a regular file: no folder, no link, and no submodule.
func (f File) IsFile() bool { return f.Mode == modeFile || f.Mode == modeExec }

// Modes of Git's tree entries. Regular files, executable ones included, can be changed.
const (
	modeFile    = "100644"
	modeExec    = "100755"
	modeLink    = "120000"
	modeModule  = "160000"
	modeFolder  = "40000"
	largestText = 512 << 10 // GraphQL cuts longer texts
)

// entry is a tree entry in an answer of GraphQL.
type entry struct {
	Mode   int           `json:"mode"`
	OID    promotion.SHA `json:"oid"`
	Object *blobNode     `json:"object"`
}

// blobNode is the content of a file in an answer of GraphQL.
type blobNode struct {
	Text        *string `json:"text"`
	ByteSize    int     `json:"byteSize"`
	IsBinary    *bool   `json:"isBinary"`
	IsTruncated bool    `json:"isTruncated"`
}

// file returns an entry as a File.
func (e *entry) file() File {
	if e == nil {
		return File{}
	}
	f := File{Exists: true, Mode: fmt.Sprintf("%o", e.Mode)}
	switch f.Mode {
	case modeFile, modeExec:
		f.Content, f.Unfit = e.Object.text()
	case modeLink:
		f.Unfit = "it is a symbolic link"
	case modeModule:
		f.Unfit = "it is a submodule"
	case modeFolder:
		f.Tree, f.Unfit = e.OID, "it is a folder"
	default:
		f.Unfit = "it is not a regular file"
	}
	return f
}

// text returns the content of a file, or why it is not the text that the file holds byte by byte.
func (b *blobNode) text() (content, unfit string) {
	switch {
	case b == nil:
		return "", "GitHub does not show it"
	case b.IsTruncated || b.ByteSize > largestText:
		return "", fmt.Sprintf("it is larger than %d KB", largestText>>10)
	case b.Text == nil || b.IsBinary != nil && *b.IsBinary:
		return "", "it is not text"
	case len(*b.Text) != b.ByteSize:
		return "", "it is not UTF-8"
	}
	return *b.Text, ""
}
