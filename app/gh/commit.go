package gh

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Writes are the changes of a commit, by path.
type Writes struct {
	Files  map[string]string // new contents of files that are there
	Copied map[string]Blob   // files that are put there or replaced as they are; those that go are zero
	Whole  Whole             // instead of files
}

// Whole is the tree of a commit that replaces everything, and its second parent besides its base. Its zero value is
// nothing.
type Whole struct{ Tree, Parent promotion.SHA }

// Made is a commit that was made.
type Made struct {
	SHA promotion.SHA
	At  time.Time // as GitHub says
	URL string
}

// Make makes a commit on top of a base in which files change and everything else is as it was, modes included. No
// branch points to it: it is not visible yet, and making it twice does no harm. GitHub signs it, because it names no
// author but the App, unless it is an Enterprise Server that signs nothing. New contents are written only to files that
// were read with the base and are fit for it.
func (cm Commits) Make(ctx context.Context, base Base, writes Writes, message string) (Made, error) {
	tree, err := cm.tree(ctx, base, writes)
	if err != nil {
		return Made{}, err
	}
	parents := []*github.Commit{{SHA: github.String(string(base.SHA))}}
	if writes.Whole.Parent != "" {
		parents = append(parents, &github.Commit{SHA: github.String(string(writes.Whole.Parent))})
	}
	commit, _, err := cm.c.rest.Git.CreateCommit(ctx, cm.c.owner, cm.c.name, &github.Commit{
		Message: github.String(message),
		Tree:    &github.Tree{SHA: github.String(string(tree))},
		Parents: parents,
	}, nil)
	if err != nil {
		return Made{}, cm.c.wrong(err, "make commit")
	}
	if commit.GetSHA() == "" || commit.GetCommitter().GetDate().IsZero() {
		return Made{}, cm.c.wrong(incomplete("the commit"), "make commit")
	}
	cm.c.hub.noteSignature(commit.GetVerification())
	return Made{promotion.SHA(commit.GetSHA()), commit.GetCommitter().GetDate().UTC(), commit.GetHTMLURL()}, nil
}

// tree makes the tree of a commit, unless it is there already.
func (cm Commits) tree(ctx context.Context, base Base, writes Writes) (promotion.SHA, error) {
	if writes.Whole.Tree != "" {
		return writes.Whole.Tree, nil
	}
	entries, err := treeEntries(base, writes)
	if err != nil {
		return "", cm.c.wrong(err, "commit to %s", base.Branch)
	}
	tree, _, err := cm.c.rest.Git.CreateTree(ctx, cm.c.owner, cm.c.name, string(base.Tree), entries)
	if err == nil && tree.GetSHA() == "" {
		err = incomplete("the tree")
	}
	return promotion.SHA(tree.GetSHA()), cm.c.wrong(err, "make tree")
}

// treeEntries lists the files that change: those with new contents keep their modes.
func treeEntries(base Base, writes Writes) ([]*github.TreeEntry, error) {
	var entries []*github.TreeEntry
	for _, path := range slices.Sorted(maps.Keys(writes.Files)) {
		was := base.Files[path]
		switch {
		case !was.Exists:
			return nil, refused("%s is not there", path)
		case was.Unfit != "":
			return nil, refused("%s cannot be changed: %s", path, was.Unfit)
		}
		entries = append(entries, &github.TreeEntry{
			Path: github.String(path), Mode: github.String(was.Mode), Type: github.String("blob"),
			Content: github.String(writes.Files[path]),
		})
	}
	for _, path := range slices.Sorted(maps.Keys(writes.Copied)) {
		entries = append(entries, writes.Copied[path].entry(path))
	}
	return entries, nil
}
