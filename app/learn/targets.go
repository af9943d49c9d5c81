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
// and sets both in the row of these files. It lists each searched folder once. trouble says what is wrong with an
// inventory or a glob, or which part of the budget the globs exceed.
func FindTargets(
	ctx context.Context, client *gh.Client, at promotion.SHA, row *store.PipelineRow, meter *config.Meter,
) (trouble string, err error) {
	if trouble, err = ReadInventories(ctx, client, at, row); trouble != "" || err != nil {
		return trouble, err
	}
	all := pipelines.FoundIn(*row)
	globs := config.Globs(row.Config, all)
	if len(globs) == 0 {
		return "", nil
	}
	roots := map[string][]config.Glob{}
	for _, g := range globs {
		roots[g.Root] = append(roots[g.Root], g)
	}
	trees, err := client.Files.Folders(ctx, at, slices.Sorted(maps.Keys(roots)))
	if err != nil {
		return "", err
	}
	found, _ := config.Find(meter, globs, nil, nil)
	for root, some := range roots {
		if trees[root] == "" {
			continue // there is no such folder, and nothing in it
		}
		files, folders, err := listBelow(ctx, client, root, trees[root], some)
		if errors.Is(err, gh.ErrTooMany) {
			return tooMany(some[0]), nil
		}
		if err != nil {
			return "", err
		}
		below, trouble := config.Find(meter, some, files, folders)
		if trouble != "" {
			return trouble, nil
		}
		maps.Copy(found, below)
	}
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
