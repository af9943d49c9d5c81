package app

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"waybill/app/gh"
	"waybill/internal/change"
	"waybill/promotion"
	"waybill/store"
)

// This file asks for the folders that a stage copies. In the repository of the stages files are put in place by Git's names
// for what they hold, without being read; only what comes from another repository has to be read there.

// folders are both sides of every copy of a stage, as they are for one freight.
type folders struct {
	sides  map[string]side           // by the folder that is written
	abroad map[promotion.SHA]gh.Blob // what has to be read in the freight's own repository, because that of the stages may lack it
}

type side struct {
	from, to change.Folder
	problem  promotion.Reason
}

// of is change.Sides.
func (f folders) of(c promotion.Copy) (from, to change.Folder, problem promotion.Reason) {
	s := f.sides[c.Path]
	return s.from, s.to, s.problem
}

// folders asks for both sides of every copy: where they are equal for their names only.
func (a *App) folders(ctx context.Context, j *job, f promotion.Freight, base gh.Base) (folders, error) {
	all := folders{map[string]side{}, map[promotion.SHA]gh.Blob{}}
	for _, c := range j.stage.Copies {
		one, err := a.sideOf(ctx, j, f, c, base, all.abroad)
		if err != nil {
			return all, err
		}
		all.sides[c.Path] = one
	}
	return all, nil
}

func (a *App) sideOf(ctx context.Context, j *job, f promotion.Freight, c promotion.Copy, base gh.Base, abroad map[promotion.SHA]gh.Blob) (s side, err error) {
	there := base.Files[c.Path]
	s.to.Hash = string(there.Tree)
	switch {
	case there.Exists && there.Tree == "":
		s.problem = promotion.Because(promotion.Unreadable, c.Path).With("it is there, but it is not a folder")
		return s, nil
	case !c.Concerns(f):
		return s, nil
	}
	client, is, problem, err := a.original(ctx, j, f, c)
	if err != nil || !problem.IsZero() {
		return side{problem: problem}, err
	}
	s.from.Hash = string(is.Tree)
	if s.from.Hash == s.to.Hash {
		return s, nil
	}
	from, err := client.Folder(ctx, is.Tree)
	if err != nil {
		return s, err
	}
	to := map[string]gh.Blob{}
	if there.Tree != "" {
		if to, err = j.client.Folder(ctx, there.Tree); err != nil {
			return s, err
		}
	}
	s.from.Files, s.to.Files = kept(from), kept(to)
	if client != j.client {
		missing(from, to, abroad)
	}
	return s, nil
}

// original finds the folder that is copied, and who can show it.
func (a *App) original(ctx context.Context, j *job, f promotion.Freight, c promotion.Copy) (*gh.Client, gh.File, promotion.Reason, error) {
	client, at := j.client, f.SHA
	because := func(why string) promotion.Reason { return promotion.Because(promotion.Unreadable, c.From).With(why) }
	if c.Stage != "" {
		err := a.store.View(ctx, func(tx *store.Tx) error {
			stays, err := tx.StaysOf(j.Pipeline, f.ID)
			at = promotion.CameWith(stays, c.Stage)
			return err
		})
		if err != nil || at == "" {
			return nil, gh.File{}, because(fmt.Sprintf("%s has never been in %s, from where it is copied", f.Name, c.Stage)), err
		}
	} else if f.Repo != j.pipeline.Home {
		var err error
		if client, err = a.client(j.row.Installation, f.Repo); err != nil {
			return nil, gh.File{}, promotion.Reason{}, err
		}
	}
	files, err := client.Files(ctx, at, []string{c.From})
	switch is := files[c.From]; {
	case err != nil:
		return nil, gh.File{}, promotion.Reason{}, err
	case !is.Exists:
		return nil, gh.File{}, because(fmt.Sprintf("it is not there in commit %s", at)), nil
	case is.Tree == "":
		return nil, gh.File{}, because(fmt.Sprintf("it is not a folder in commit %s", at)), nil
	default:
		return client, is, promotion.Reason{}, nil
	}
}

func kept(files map[string]gh.Blob) map[string]change.Blob {
	all := make(map[string]change.Blob, len(files))
	for name, b := range files {
		all[name] = change.Blob{SHA: string(b.SHA), Mode: b.Mode}
	}
	return all
}

// missing notes the files of one repository that another one is not known to hold.
func missing(from, to map[string]gh.Blob, abroad map[promotion.SHA]gh.Blob) {
	held := map[promotion.SHA]bool{}
	for _, b := range to {
		held[b.SHA] = true
	}
	for _, b := range from {
		if !held[b.SHA] {
			abroad[b.SHA] = b
		}
	}
}

// maxCarried bounds what is copied from one repository to another at a time, in bytes.
const maxCarried = 2 << 20

// carried returns the files that a result has copied as they are to be committed, with their contents where they come from
// another repository; or why that cannot be.
func (a *App) carried(ctx context.Context, j *job, f promotion.Freight, copied map[string]change.Blob, abroad map[promotion.SHA]gh.Blob) (map[string]gh.Blob, promotion.Reason, error) {
	all := make(map[string]gh.Blob, len(copied))
	read, size := map[promotion.SHA]bool{}, 0
	for path, b := range copied {
		sha := promotion.SHA(b.SHA)
		all[path] = gh.Blob{SHA: sha, Mode: b.Mode}
		if one, is := abroad[sha]; is && !read[sha] {
			read[sha], size = true, size+one.Size
		}
	}
	if len(read) == 0 {
		return all, promotion.Reason{}, nil
	}
	if size > maxCarried {
		return nil, promotion.Because(promotion.Unreadable, string(f.Repo)).With(
			fmt.Sprintf("what would be copied from there are %d KB at once; it may be %d", size>>10, maxCarried>>10)), nil
	}
	client, err := a.client(j.row.Installation, f.Repo)
	if err != nil {
		return nil, promotion.Reason{}, err
	}
	texts, err := client.Texts(ctx, slices.Sorted(maps.Keys(read)))
	if err != nil {
		return nil, promotion.Reason{}, err
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		b := all[path]
		if !read[b.SHA] {
			continue
		}
		text := texts[b.SHA]
		if text.Unfit != "" {
			return nil, promotion.Because(promotion.Unreadable, path).With(text.Unfit + "; from another repository only text is copied"), nil
		}
		b.Content = &text.Content
		all[path] = b
	}
	return all, promotion.Reason{}, nil
}
