package act

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"waybill/app/work"
	"waybill/promotion"
	"waybill/store"
)

// compare compares the head that a pull request was merged with, which is not ours, with what was planned. What is too
// much for GitHub to list is not what was planned.
func (a *Executor) compare(ctx context.Context, j *job) (work.Record, error) {
	pulls, err := j.client.Pulls.ReadAll(ctx, []int{j.attempt.Pull})
	if err != nil {
		return nil, err
	}
	if len(pulls) != 1 || j.attempt.Plan == nil {
		return nil, fmt.Errorf("compare pull request #%d: it is not there, or there is no plan", j.attempt.Pull)
	}
	has := promotion.Comparison{Head: pulls[0].HeadSHA}
	if has.Foreign, err = a.foreign(ctx, j, has.Head); err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		return tx.Plans.SaveComparison(j.Pipeline, j.promotion.Number, j.Step, has)
	}, nil
}

// foreign returns what a head has that the plan has not, or has otherwise, by path.
func (a *Executor) foreign(ctx context.Context, j *job, head promotion.SHA) (paths []string, err error) {
	b, _, err := a.blueprint(ctx, j)
	if err != nil {
		return nil, err
	}
	differ, err := j.changedFiles(ctx, b, head)
	if err != nil {
		return nil, err
	}
	more, err := j.changedFolders(ctx, head)
	if err != nil {
		return nil, err
	}
	paths = append(differ, more...)
	if b.Whole.Tree == "" {
		touched, err := j.client.Pulls.Files(ctx, j.attempt.Pull)
		if err != nil {
			return nil, err
		}
		if touched.More {
			return []string{"more files than GitHub lists"}, nil
		}
		planned := j.attempt.Plan.Paths
		paths = append(paths, slices.DeleteFunc(touched.Paths,
			func(path string) bool { return slices.Contains(planned, path) })...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// changedFiles returns the files of a plan that have other contents at a head, or another mode.
func (j *job) changedFiles(ctx context.Context, b blueprint, head promotion.SHA) (paths []string, err error) {
	var planned []string
	for path := range b.Files {
		planned = append(planned, path)
	}
	files, err := j.client.Files.At(ctx, head, planned)
	for _, path := range planned {
		if files[path].Content != b.Files[path] || files[path].Mode != b.Base.Files[path].Mode {
			paths = append(paths, path)
		}
	}
	return paths, err
}

// changedFolders returns the folders that were copied and have other contents at a head. A whole branch is one.
func (j *job) changedFolders(ctx context.Context, head promotion.SHA) (paths []string, err error) {
	planned := map[string]string{}
	var names []string
	for _, v := range j.attempt.Plan.Values {
		if v.Key == promotion.EveryFile {
			planned[v.Path] = v.Text
			names = append(names, v.Path)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	trees, err := j.client.Files.Folders(ctx, head, names)
	for _, name := range names {
		if string(trees[name]) != planned[name] {
			paths = append(paths, cmp.Or(name, "everything"))
		}
	}
	return paths, err
}
