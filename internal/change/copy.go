package change

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"waybill/promotion"
)

// Folder is a folder of a commit. The zero value is one that is not there.
type Folder struct {
	Hash string // equal hashes are equal contents, all the way down
	// every file below it, by its path in it; not needed of two folders that are equal. Of Everything those that differ
	Files map[string]Blob
}

// Blob is a file as Git keeps it: what it holds, by its hash, and whether it is an executable, a link or a submodule.
// The zero value is a file that is not there.
type Blob struct{ SHA, Mode string }

// Sides returns the folder that is copied and the one that becomes its copy, as it is at the base, or what is wrong
// with them. Of a copy that does not concern the freight only the second is asked for.
type Sides func(promotion.Copy) (from, to Folder, problem promotion.Reason)

// maxFiles bounds the files of a folder that is copied, and of the one that it replaces.
const maxFiles = 1000

// copied works out what a copy changes: files by their paths, of which those that go are zero. It returns what the
// folder holds afterwards.
func (r *Result) copied(c promotion.Copy, f promotion.Freight, sides Sides) (hash string, problem promotion.Reason) {
	from, to, problem := sides(c)
	switch {
	case !problem.IsZero():
		return "", problem
	case !c.Concerns(f):
		return to.Hash, promotion.Reason{}
	}
	r.Values = append(r.Values, promotion.Value{Files: c.Files, Path: c.Path, Key: promotion.EveryFile, Text: from.Hash})
	if from.Hash == to.Hash {
		return from.Hash, promotion.Reason{}
	}
	if c.Path == promotion.Everything {
		r.Paths = slices.Sorted(maps.Keys(from.Files))
		r.Tree = from.Hash
		return from.Hash, promotion.Reason{}
	}
	changed, at, why := mirror(c.Path, from.Files, to.Files)
	if why != "" {
		return "", promotion.Because(promotion.Unreadable, at).With(why)
	}
	r.Paths = append(r.Paths, slices.Sorted(maps.Keys(changed))...)
	maps.Copy(r.Copied, changed)
	return from.Hash, promotion.Reason{}
}

// mirror returns what has to change below a folder for its files to become others: each file that is not there yet or
// differs, and each that goes. If one of them must not be changed none is, and it says which and why.
func mirror(folder string, is, was map[string]Blob) (changed map[string]Blob, at, why string) {
	if len(is) > maxFiles || len(was) > maxFiles {
		return nil, folder, fmt.Sprintf("a folder is copied that has at most %d files, and so does the one that it replaces",
			maxFiles)
	}
	changed = map[string]Blob{}
	for _, name := range slices.Sorted(maps.Keys(union(is, was))) {
		if is[name] == was[name] {
			continue
		}
		at := path.Join(folder, name)
		if why := unfit(at, is[name], was[name]); why != "" {
			return nil, at, why
		}
		if below(name, is) || below(name, was) {
			return nil, at, "a folder that it is in is a file on the other side; remove one of the two by hand"
		}
		changed[at] = is[name]
	}
	return changed, "", ""
}

func union(a, b map[string]Blob) map[string]Blob {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]Blob{}
	}
	maps.Copy(all, b)
	return all
}

// below reports whether one of the files stands where a path needs a folder.
func below(name string, files map[string]Blob) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, is := files[dir]; is {
			return true
		}
	}
	return false
}

// The modes of files in Git.
const (
	regular    = "100644"
	executable = "100755"
	link       = "120000"
	submodule  = "160000"
)

// unfit returns why a file must not become another one, or "". Who wants an executable in a folder puts it there by
// hand, once: its contents then follow, and it stays one.
func unfit(path string, is, was Blob) string {
	none := Blob{}
	switch {
	case Forbidden(path) != "":
		return Forbidden(path)
	case is.Mode == link || was.Mode == link:
		return "it is a symbolic link, which is neither copied nor replaced"
	case is.Mode == submodule || was.Mode == submodule:
		return "it is a submodule, which is neither copied nor replaced"
	case is.Mode == executable && was.Mode != executable:
		return "it is executable where it is copied from; make it so here, too, or there no more"
	case is != none && is.Mode != executable && was.Mode == executable:
		return "it is executable, and not where it is copied from; make it so there, too, or here no more"
	case is != none && is.Mode != regular && is.Mode != executable:
		return "it is not a regular file"
	}
	return ""
}
