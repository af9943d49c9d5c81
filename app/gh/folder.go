package gh

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Blob is a file as Git keeps it. The zero value is a file that is not there.
type Blob struct {
	SHA     promotion.SHA `json:"sha,omitempty"`
	Mode    string        `json:"mode,omitempty"`
	Size    int           `json:"size,omitempty"`
	Content *string       `json:"content,omitempty"` // if the repository may not have it yet
}

// IsFile reports whether it is a regular file: no link, and no submodule.
func (b Blob) IsFile() bool { return b.Mode == modeFile || b.Mode == modeExec }

// entry is the tree entry that puts the file at a path, or removes the one that is there.
func (b Blob) entry(path string) *github.TreeEntry {
	e := &github.TreeEntry{Path: github.String(path), Mode: github.String(modeFile), Type: github.String("blob")}
	switch {
	case b.Content != nil:
		e.Mode, e.Content = github.String(b.Mode), b.Content
	case b.SHA != "":
		e.Mode, e.SHA = github.String(b.Mode), github.String(string(b.SHA))
	}
	return e
}

// IsFolder reports whether it is a folder.
func (b Blob) IsFolder() bool { return b.Mode == modeFolder }

// In lists the files and folders in a folder, or if deep every file below it, by its path in it, in one request.
func (fs Files) In(ctx context.Context, tree promotion.SHA, deep bool) (map[string]Blob, error) {
	listed, err := fs.listTree(ctx, tree, deep)
	if err != nil {
		return nil, err
	}
	files := map[string]Blob{}
	for _, e := range listed {
		switch {
		case e.GetType() != "tree":
			files[e.GetPath()] = Blob{SHA: promotion.SHA(e.GetSHA()), Mode: e.GetMode(), Size: e.GetSize()}
		case !deep:
			files[e.GetPath()] = Blob{SHA: promotion.SHA(e.GetSHA()), Mode: modeFolder}
		}
	}
	return files, nil
}

// Paths lists the regular files and the folders in a folder, or if deep also those below it, by their paths in it, in
// one request.
func (fs Files) Paths(ctx context.Context, tree promotion.SHA, deep bool) (files, folders []string, err error) {
	listed, err := fs.listTree(ctx, tree, deep)
	for _, e := range listed {
		switch mode := e.GetMode(); {
		case mode == modeFile || mode == modeExec:
			files = append(files, e.GetPath())
		case e.GetType() == "tree":
			folders = append(folders, e.GetPath())
		}
	}
	return files, folders, err
}

// listTree lists the entries of a folder. GitHub lists at most 100,000 entries, or 7 MB of them; a list that is not
// complete is none.
func (fs Files) listTree(ctx context.Context, tree promotion.SHA, deep bool) ([]*github.TreeEntry, error) {
	listed, _, err := fs.c.rest.Git.GetTree(ctx, fs.c.owner, fs.c.name, string(tree), deep)
	switch {
	case err != nil:
		return nil, fs.c.wrong(err, "list folder %s", tree)
	case listed.GetSHA() != string(tree):
		return nil, fs.c.wrong(incomplete("the folder"), "list folder %s", tree)
	case listed.GetTruncated():
		return nil, fs.c.wrong(tooMany("it has more files than GitHub lists"), "list folder %s", tree)
	}
	for _, e := range listed.Entries {
		if e.GetPath() == "" || e.GetSHA() == "" || e.GetMode() == "" {
			return nil, fs.c.wrong(incomplete("a file"), "list folder %s", tree)
		}
	}
	return listed.Entries, nil
}

// Texts reads the contents of blobs, in one request for each 100 of them. A blob that is missing, or is not text that
// Git would keep under that hash, says so in Unfit.
func (fs Files) Texts(ctx context.Context, blobs []promotion.SHA) (map[promotion.SHA]File, error) {
	texts := map[promotion.SHA]File{}
	if len(blobs) == 0 {
		return texts, nil
	}
	err := inPortions(ctx, fs.c, "ReadBlobs", filesPerQuery, blobs, func(some []promotion.SHA) error {
		return fs.textPart(ctx, some, texts)
	})
	return texts, fs.c.wrong(err, "read %d files", len(blobs))
}

func (fs Files) textPart(ctx context.Context, blobs []promotion.SHA, into map[promotion.SHA]File) error {
	variables := map[string]any{"owner": fs.c.owner, "name": fs.c.name}
	var asked strings.Builder
	for i, sha := range blobs {
		variables[fmt.Sprintf("oid%d", i)] = sha
		fmt.Fprintf(&asked, " b%d: object(oid: $oid%d) { ... on Blob { text byteSize isBinary isTruncated } }", i, i)
	}
	document := header("ReadBlobs", variables) + "{ repository(owner: $owner, name: $name) {" + asked.String() + " } }"
	var answer struct {
		Repository map[string]json.RawMessage `json:"repository"`
	}
	if err := fs.c.graph.ask(ctx, document, variables, &answer); err != nil {
		return err
	}
	for i, sha := range blobs {
		var b *blobNode
		if err := json.Unmarshal(answer.Repository[fmt.Sprintf("b%d", i)], &b); err != nil {
			return incomplete("a file")
		}
		into[sha] = b.under(sha)
	}
	return nil
}

// under returns the contents of a blob, if Git would keep them under that hash: a file that is copied from one
// repository to another must not change on the way.
func (b *blobNode) under(sha promotion.SHA) File {
	f := File{Exists: b != nil}
	f.Content, f.Unfit = b.text()
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(f.Content), f.Content))
	if f.Unfit == "" && hex.EncodeToString(sum[:]) != string(sha) {
		f.Unfit = "GitHub shows it otherwise than Git keeps it"
	}
	return f
}
