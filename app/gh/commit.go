package gh

import (
	"context"
	"maps"
	"slices"

	"github.com/google/go-github/v60/github"

	"waybill/promotion"
)

// Commit makes a commit on top of a base in which files have new contents and everything else is as it was, modes
// included. No branch points to it: nobody sees it yet, and making it twice does no harm. GitHub signs it, because it
// names no author but the App. Only files that were read with the base, and are fit to be written, can be changed.
func (c *Client) Commit(ctx context.Context, base Base, files map[string]string, message string) (promotion.SHA, error) {
	entries, err := treeEntries(base, files)
	if err != nil {
		return "", c.wrong(err, "commit to %s", base.Branch)
	}
	tree, _, err := c.rest.Git.CreateTree(ctx, c.owner, c.name, string(base.Tree), entries)
	if err != nil {
		return "", c.wrong(err, "make tree")
	}
	if tree.GetSHA() == "" {
		return "", c.wrong(incomplete("the tree"), "make tree")
	}
	commit, _, err := c.rest.Git.CreateCommit(ctx, c.owner, c.name, &github.Commit{
		Message: github.String(message),
		Tree:    &github.Tree{SHA: tree.SHA},
		Parents: []*github.Commit{{SHA: github.String(string(base.SHA))}},
	}, nil)
	if err != nil {
		return "", c.wrong(err, "make commit")
	}
	if commit.GetSHA() == "" {
		return "", c.wrong(incomplete("the commit"), "make commit")
	}
	return promotion.SHA(commit.GetSHA()), nil
}

// treeEntries lists the files that change, with the modes they have.
func treeEntries(base Base, files map[string]string) ([]*github.TreeEntry, error) {
	var entries []*github.TreeEntry
	for _, path := range slices.Sorted(maps.Keys(files)) {
		was := base.Files[path]
		switch {
		case !was.Exists:
			return nil, refused("%s is not there", path)
		case was.Unfit != "":
			return nil, refused("%s cannot be changed: %s", path, was.Unfit)
		}
		entries = append(entries, &github.TreeEntry{
			Path: github.String(path), Mode: github.String(was.Mode), Type: github.String("blob"), Content: github.String(files[path]),
		})
	}
	return entries, nil
}
