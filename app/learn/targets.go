package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"waybill/app/gh"
	"waybill/app/pipelines"
	"waybill/config"
	"waybill/promotion"
	"waybill/store"
)

// FindTargets reads the inventories that pipeline files name in a commit, finds the paths that their globs match there,
// and sets both in the row of these files. trouble says what is wrong with an inventory or a glob, or that the globs
// cost more than those of files in force may.
func FindTargets(
	ctx context.Context, client *gh.Client, at promotion.SHA, row *store.PipelineRow,
) (trouble string, err error) {
	if trouble, err = ReadInventories(ctx, client, at, row); trouble != "" || err != nil {
		return trouble, err
	}
	globs := config.Globs(&config.Meter{}, row.Config, pipelines.FoundIn(*row))
	searched, trouble, err := Search(ctx, client, at, globs)
	if trouble != "" || err != nil {
		return trouble, err
	}
	return searched.Find(&config.Meter{}, row)
}

// Searched is what lies in the folders that the globs of pipeline files search.
type Searched struct {
	Globs   []config.Glob
	Folders []SearchedFolder
}

// SearchedFolder is one of these folders.
type SearchedFolder struct {
	Globs          []config.Glob // that search it
	Files, Folders []string      // below it, by their paths in the repository
}

// Search lists the folders that globs search in a commit, each once. trouble says of which glob there is too much.
func Search(
	ctx context.Context, client *gh.Client, at promotion.SHA, globs []config.Glob,
) (s Searched, trouble string, err error) {
	s.Globs = globs
	if len(globs) == 0 {
		return s, "", nil
	}
	roots := map[string][]config.Glob{}
	for _, g := range globs {
		roots[g.Root] = append(roots[g.Root], g)
	}
	trees, err := client.Files.Folders(ctx, at, slices.Sorted(maps.Keys(roots)))
	if err != nil {
		return s, "", err
	}
	for root, some := range roots {
		if trees[root] == "" {
			continue // there is no such folder, and nothing in it
		}
		files, folders, err := listBelow(ctx, client, root, trees[root], some)
		if errors.Is(err, gh.ErrTooMany) {
			return s, tooMany(some[0]), nil
		}
		if err != nil {
			return s, "", err
		}
		s.Folders = append(s.Folders, SearchedFolder{some, files, folders})
	}
	return s, "", nil
}

// Find finds the paths that the globs match, and sets them in the row of the pipeline files. trouble says which part of
// the meter's budget that exceeds.
func (s Searched) Find(meter *config.Meter, row *store.PipelineRow) (trouble string, err error) {
	if len(s.Globs) == 0 {
		return "", nil
	}
	found, _ := config.Find(meter, s.Globs, nil, nil)
	for _, f := range s.Folders {
		below, trouble := config.Find(meter, f.Globs, f.Files, f.Folders)
		if trouble != "" {
			return trouble, nil
		}
		maps.Copy(found, below)
	}
	all := pipelines.FoundIn(*row)
	all.Globs = found
	row.Found, err = json.Marshal(all)
	return "", err
}

// ReadInventories reads the inventories that pipeline files name in a commit, and sets them in the row of these files.
// trouble says why one of them cannot be read. One that does not exist is no trouble: loading the file tells where it
// is named.
func ReadInventories(
	ctx context.Context, client *gh.Client, at promotion.SHA, row *store.PipelineRow,
) (trouble string, err error) {
	found := pipelines.FoundIn(*row)
	paths := config.Inventories(row.Config, found.Parts)
	if len(paths) == 0 {
		return "", nil
	}
	files, err := client.Files.At(ctx, at, paths)
	if err != nil {
		return "", err
	}
	for _, path := range paths {
		if f := files[path]; f.Exists && f.Unfit != "" {
			return fmt.Sprintf("%s: the list in %s cannot be read: %s", config.PipelinePath, path, f.Unfit), nil
		}
	}
	found.Inventories = inventoriesIn(files, paths)
	row.Found, err = json.Marshal(found)
	return "", err
}

// listBelow lists a folder to the depth that its globs need, by paths in the repository.
func listBelow(
	ctx context.Context, client *gh.Client, root string, tree promotion.SHA, globs []config.Glob,
) (files, folders []string, err error) {
	deep := slices.ContainsFunc(globs, func(g config.Glob) bool { return g.Deep })
	files, folders, err = client.Files.Paths(ctx, tree, deep)
	for _, paths := range [][]string{files, folders} {
		for i := range paths {
			paths[i] = path.Join(root, paths[i])
		}
	}
	return files, folders, err
}

func tooMany(g config.Glob) string {
	where := "the repository"
	if g.Root != "" {
		where = g.Root
	}
	return fmt.Sprintf(
		"%s: `targets: %s`: %s has more files than GitHub lists at once, which are 100,000 of them or 7 MB; "+
			"let the glob find folders that lie directly in one folder, such as clusters/*/, or list the targets",
		config.PipelinePath, g.Text, where,
	)
}
