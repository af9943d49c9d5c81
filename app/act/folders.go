package act

import (
	"context"
	"errors"
	"fmt"

	"waybill/app/env"
	"waybill/app/gh"
	"waybill/internal/change"
	"waybill/promotion"
	"waybill/store"
)

// folders are both sides of every copy of a stage, for one freight.
type folders struct {
	env     *env.Env
	job     *job
	freight promotion.Freight
	base    gh.Base
	sides   map[string]side               // by the folder that is written
	known   map[promotion.Copy]original   // by copy without its destination: many targets may get the same folder
	foreign map[promotion.SHA]foreignBlob // files that other repositories have and that of the stage may lack
}

// foreignBlob is a file of another repository.
type foreignBlob struct {
	gh.Blob
	repo promotion.Repo
}

// side is the source and the destination of a copy, or the problem with them.
type side struct {
	from, to change.Folder
	problem  promotion.Reason
}

// of is change.Sides.
func (all *folders) of(c promotion.Copy) (from, to change.Folder, problem promotion.Reason) {
	s := all.sides[c.Path]
	return s.from, s.to, s.problem
}

// folders asks for both sides of every copy of a stage, or of its targets in a step, and for the files in them where
// they differ.
func (a *Executor) folders(
	ctx context.Context, j *job, stage *promotion.Stage, f promotion.Freight, base gh.Base,
) (*folders, error) {
	all := &folders{env: a.Env, job: j, freight: f, base: base, sides: map[string]side{},
		known: map[promotion.Copy]original{}, foreign: map[promotion.SHA]foreignBlob{}}
	for _, c := range stage.Copies() {
		s, err := all.side(ctx, c)
		if err != nil {
			return nil, err
		}
		all.sides[c.Path] = s
	}
	return all, nil
}

// side asks for the source and the destination of a copy.
func (all *folders) side(ctx context.Context, c promotion.Copy) (side, error) {
	if c.Path == promotion.Everything {
		return all.wholeSide(ctx)
	}
	if problem := inTheWay(all.base, c.Path); !problem.IsZero() {
		return side{problem: problem}, nil
	}
	there := all.base.Files[c.Path]
	s := side{to: change.Folder{Hash: string(there.Tree)}}
	if !c.Concerns(all.freight) {
		return s, nil
	}
	o, err := all.originalOnce(ctx, c)
	if err != nil || o.why != "" {
		return side{problem: promotion.Because(promotion.Unreadable, c.From).With(o.why)}, err
	}
	s.from.Hash = string(o.tree)
	if o.tree == there.Tree {
		return s, nil
	}
	return s, all.list(ctx, &s, o, there.Tree)
}

// inTheWay refuses a folder if it, or one that it lies in, is something else: a commit that puts files below a link, a
// submodule or a file takes that away without a word (T24).
func inTheWay(base gh.Base, folder string) promotion.Reason {
	for _, path := range append(parents(folder), folder) {
		if there := base.Files[path]; there.Exists && there.Tree == "" {
			is := "it is a file"
			if !there.IsFile() {
				is = there.Unfit
			}
			return promotion.Because(promotion.Unreadable, path).With(is + " where a folder should be")
		}
	}
	return promotion.Reason{}
}

// parents returns the folders that a path lies in, the outermost first.
func parents(path string) (all []string) {
	for i := range len(path) {
		if path[i] == '/' {
			all = append(all, path[:i])
		}
	}
	return all
}

// wholeSide is the copy of a whole branch. The names of the files that differ are only for people.
func (all *folders) wholeSide(ctx context.Context) (side, error) {
	client, f := all.job.client, all.freight
	names, err := client.Files.Folders(ctx, f.SHA, nil)
	if err != nil {
		return side{}, err
	}
	tree := names[""]
	s := side{from: change.Folder{Hash: string(tree)}, to: change.Folder{Hash: string(all.base.Tree)}}
	if tree == all.base.Tree {
		return s, nil
	}
	paths, err := client.Commits.ChangedPaths(ctx, all.base.SHA, f.SHA)
	if errors.Is(err, gh.ErrRefused) || err == nil && len(paths) == 0 { // more than GitHub lists
		paths, err = []string{"everything"}, nil
	}
	s.from.Files = map[string]change.Blob{}
	for _, path := range paths {
		s.from.Files[path] = change.Blob{}
	}
	return s, err
}

// original is the source folder of a copy and the client of its repository; or the reason why there is none.
type original struct {
	repo   promotion.Repo
	client *gh.Client
	tree   promotion.SHA
	why    string
}

// originalOnce returns the source folder of a copy, and asks GitHub once for all copies of it.
func (all *folders) originalOnce(ctx context.Context, c promotion.Copy) (o original, err error) {
	c.Files, c.Path = promotion.Branch{}, ""
	o, known := all.known[c]
	if !known {
		o, err = all.original(ctx, c)
		all.known[c] = o
	}
	return o, err
}

func (all *folders) original(ctx context.Context, c promotion.Copy) (original, error) {
	repo, at, err := all.origin(ctx, c)
	if err != nil {
		return original{}, err
	}
	if at == "" {
		return original{why: fmt.Sprintf("%s has never been in %s, from where it is copied", all.freight.Name, c.Stage)}, nil
	}
	client, err := all.env.Client(repo)
	if err != nil {
		return original{}, err
	}
	files, err := client.Files.At(ctx, at, []string{c.From})
	switch is := files[c.From]; {
	case err != nil:
		return original{}, err
	case !is.Exists:
		return original{why: fmt.Sprintf("it is not there in commit %s", at)}, nil
	case is.Tree == "":
		return original{why: fmt.Sprintf("it is not a folder in commit %s", at)}, nil
	default:
		return original{repo: repo, client: client, tree: is.Tree}, nil
	}
}

// origin returns the commit that a folder is copied from, and its repository. The commit is empty if the freight has
// never been in the stage.
func (all *folders) origin(
	ctx context.Context, c promotion.Copy,
) (repo promotion.Repo, at promotion.SHA, err error) {
	j, f := all.job, all.freight
	if c.Stage == "" {
		return f.Repo, f.SHA, nil
	}
	err = all.env.Store.View(ctx, func(tx *store.Tx) error {
		deployments, err := tx.Deployments.Of(j.Pipeline, f.ID)
		at = promotion.CameWith(deployments, c.Stage)
		return err
	})
	return j.pipeline.FilesOf(j.pipeline.Stage(c.Stage)).Repo, at, err
}

// list asks for the files of both sides. there is the tree of the folder that is replaced, if there is one.
func (all *folders) list(ctx context.Context, s *side, o original, there promotion.SHA) error {
	from, err := o.client.Files.In(ctx, o.tree, true)
	if err != nil {
		return err
	}
	to := map[string]gh.Blob{}
	if there != "" {
		if to, err = all.job.client.Files.In(ctx, there, true); err != nil {
			return err
		}
	}
	s.from.Files, s.to.Files = changeBlobs(from), changeBlobs(to)
	if o.repo != all.job.files.Repo {
		all.missing(o.repo, from, to)
	}
	return nil
}

func changeBlobs(files map[string]gh.Blob) map[string]change.Blob {
	all := make(map[string]change.Blob, len(files))
	for name, b := range files {
		all[name] = change.Blob{SHA: string(b.SHA), Mode: b.Mode}
	}
	return all
}

// missing notes the files that one repository has and the other is not known to have.
func (all *folders) missing(repo promotion.Repo, from, to map[string]gh.Blob) {
	held := map[promotion.SHA]bool{}
	for _, b := range to {
		held[b.SHA] = true
	}
	for _, b := range from {
		if !held[b.SHA] {
			all.foreign[b.SHA] = foreignBlob{b, repo}
		}
	}
}
