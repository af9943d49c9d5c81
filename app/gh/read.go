package gh

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"waybill/promotion"
)

// filesPerQuery bounds the cost of one query.
const filesPerQuery = 100

// Read reads the head of a branch (the default one if empty) together with files of it, in one request for each 100
// files. The files are those of the returned SHA, even if the branch moves meanwhile. If anything could not be read
// there is an error and nothing else; a file that is not there is an answer.
func (fs Files) Read(ctx context.Context, branch string, paths []string) (Base, error) {
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	var base Base
	err := inPortions(ctx, fs.c, "ReadFiles", filesPerQuery, paths, func(some []string) (err error) {
		if base.SHA == "" {
			base, err = fs.readHead(ctx, branch, some)
			return err
		}
		part, err := fs.readFiles(ctx, base.SHA, some)
		maps.Copy(base.Files, part.Files)
		return err
	})
	if err != nil {
		return Base{}, fs.c.wrong(err, "read %s", orDefault(branch))
	}
	return base, nil
}

func orDefault(branch string) string {
	if branch == "" {
		return "the default branch"
	}
	return branch
}

// readHead reads the repository, the head of a branch and its first files.
func (fs Files) readHead(ctx context.Context, branch string, paths []string) (Base, error) {
	ref, variables := "defaultBranchRef", fs.variables(paths)
	if branch != "" {
		ref = "ref(qualifiedName: $branch)"
		variables["branch"] = "refs/heads/" + branch
	}
	document := header("ReadHead", variables) + `{
  repository(owner: $owner, name: $name) {
    id databaseId nameWithOwner squashMergeAllowed mergeCommitAllowed rebaseMergeAllowed
    branch: ` + ref + ` { name target { ...files } }
  }
}` + filesOf(len(paths))
	var answer struct {
		Repository *struct {
			ID                 string `json:"id"`
			DatabaseID         int64  `json:"databaseId"`
			NameWithOwner      string `json:"nameWithOwner"`
			SquashMergeAllowed bool   `json:"squashMergeAllowed"`
			MergeCommitAllowed bool   `json:"mergeCommitAllowed"`
			RebaseMergeAllowed bool   `json:"rebaseMergeAllowed"`
			Branch             *struct {
				Name   string `json:"name"`
				Target fields `json:"target"`
			} `json:"branch"`
		} `json:"repository"`
	}
	err := fs.c.graph.ask(ctx, document, variables, &answer)
	r := answer.Repository
	if isLacking(err) && r != nil && r.NameWithOwner == string(fs.c.repo) {
		fs.c.node.Store(&r.ID)
	}
	switch {
	case err != nil:
		return Base{}, err
	case r == nil:
		return Base{}, noAccess("GitHub shows no such repository", nil)
	case r.NameWithOwner == "":
		return Base{}, incomplete("the repository")
	case r.NameWithOwner != string(fs.c.repo):
		return Base{}, fs.c.misnamed(r.NameWithOwner)
	case r.Branch == nil && branch == "":
		return Base{}, notFound("there is no commit yet")
	case r.Branch == nil:
		return Base{}, notFound("there is no branch %s", branch)
	}
	fs.c.node.Store(&r.ID)
	base := Base{Branch: r.Branch.Name, RepoID: r.DatabaseID}
	base.Methods = allowedMethods(r.SquashMergeAllowed, r.MergeCommitAllowed, r.RebaseMergeAllowed)
	return base, r.Branch.Target.read(&base, paths)
}

// At reads files of a commit. It may be a commit of a fork, if a pull request brought it here.
func (fs Files) At(ctx context.Context, at promotion.SHA, paths []string) (map[string]File, error) {
	files := map[string]File{}
	err := inPortions(ctx, fs.c, "ReadFiles", filesPerQuery, paths, func(some []string) error {
		part, err := fs.readFiles(ctx, at, some)
		maps.Copy(files, part.Files)
		return err
	})
	return files, fs.c.wrong(err, "read files at %s", at)
}

// Folders returns Git's names for folders of a commit, without those that are not there. The root of the repository is
// "".
func (fs Files) Folders(ctx context.Context, at promotion.SHA, folders []string) (map[string]promotion.SHA, error) {
	names := map[string]promotion.SHA{}
	below := slices.DeleteFunc(slices.Clone(folders), func(folder string) bool { return folder == "" })
	err := inPortions(ctx, fs.c, "ReadFiles", filesPerQuery, below, func(some []string) error {
		part, err := fs.readFiles(ctx, at, some)
		if err != nil {
			return err
		}
		names[""] = part.Tree
		for folder, f := range part.Files {
			if f.Tree != "" {
				names[folder] = f.Tree
			}
		}
		return nil
	})
	if err != nil {
		return nil, fs.c.wrong(err, "read folders at %s", at)
	}
	return names, nil
}

// readFiles reads more files of a commit that is known, also if this server of GitHub has not heard of it yet.
func (fs Files) readFiles(ctx context.Context, at promotion.SHA, paths []string) (part Base, err error) {
	variables := fs.variables(paths)
	variables["at"] = string(at)
	document := header("ReadFiles", variables) +
		`{ repository(owner: $owner, name: $name) { commit: object(oid: $at) { ...files } } }` + filesOf(len(paths))
	var answer struct {
		Repository *struct {
			Commit fields `json:"commit"`
		} `json:"repository"`
	}
	if err := fs.c.graph.ask(ctx, document, variables, &answer); err != nil {
		return part, err
	}
	switch {
	case answer.Repository == nil:
		return part, noAccess("GitHub shows no such repository", nil)
	case answer.Repository.Commit == nil:
		return part, passing("GitHub does not show commit %s", at)
	}
	err = answer.Repository.Commit.read(&part, paths)
	return part, err
}

// fields are the answers about a commit, by alias.
type fields map[string]json.RawMessage

// read fills in the commit and its files.
func (f fields) read(base *Base, paths []string) error {
	var tree struct {
		OID promotion.SHA `json:"oid"`
	}
	if err := json.Unmarshal(f["oid"], &base.SHA); err != nil {
		return fmt.Errorf("decode commit: %w", err)
	}
	if err := json.Unmarshal(f["tree"], &tree); err != nil {
		return fmt.Errorf("decode tree: %w", err)
	}
	if base.SHA == "" || tree.OID == "" {
		return incomplete("the commit")
	}
	base.Tree, base.Files = tree.OID, make(map[string]File, len(paths))
	for i, path := range paths {
		var e *entry
		if err := json.Unmarshal(f[fmt.Sprintf("f%d", i)], &e); err != nil {
			return fmt.Errorf("decode %s: %w", path, err)
		}
		if base.Files[path] = e.file(); base.Files[path].Mode == modeFolder && base.Files[path].Tree == "" {
			return incomplete("a folder")
		}
	}
	return nil
}

// variables begins those of a document: the repository, and a path for each file.
func (fs Files) variables(paths []string) map[string]any {
	v := map[string]any{"owner": fs.c.owner, "name": fs.c.name}
	for i, path := range paths {
		v[fmt.Sprintf("p%d", i)] = path
	}
	return v
}

// header declares the variables of a query.
func header(name string, variables map[string]any) string {
	var declared []string
	for _, v := range slices.Sorted(maps.Keys(variables)) {
		kind := "String!"
		if v == "at" || strings.HasPrefix(v, "oid") {
			kind = "GitObjectID!"
		}
		declared = append(declared, "$"+v+": "+kind)
	}
	return "query " + name + "(" + strings.Join(declared, ", ") + ") "
}

// filesOf is the part of a document that reads a commit and n of its files. Files come as tree entries, which know more
// than blobs do: whether it is an executable, a link or a submodule.
func filesOf(n int) string {
	var b strings.Builder
	b.WriteString("\nfragment files on Commit { oid tree { oid }")
	for i := range n {
		fmt.Fprintf(&b, " f%d: file(path: $p%d) { ...entry }", i, i)
	}
	b.WriteString(" }")
	if n > 0 {
		b.WriteString("\nfragment entry on TreeEntry { mode oid object { ... on Blob { text byteSize " +
			"isBinary isTruncated } } }")
	}
	return b.String()
}
