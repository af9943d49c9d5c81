package change

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"waybill/promotion"
)

// Folder is a folder of a commit. The zero value is a folder that does not exist.
type Folder struct {
	Hash string // equal hashes mean equal contents, at every depth
	// Files has every file below the folder, by its path in it. It is not needed if the two folders are equal. For
	// Everything it has only the files that differ.
	Files map[string]Blob
}

// Blob is a file as Git stores it: the hash of its content, and its mode (regular file, executable, link or submodule).
// The zero value is a file that does not exist.
type Blob struct{ SHA, Mode string }

// Sides returns the source folder of a copy and the destination folder at the base, or the reason why they cannot be
// read. If the copy does not concern the freight, only the destination is read.
type Sides func(promotion.Copy) (from, to Folder, problem promotion.Reason)

// maxFiles bounds the number of files in a folder that is copied, and in the folder that it replaces.
const maxFiles = 1000

// copied adds the changes of one copy to the result and returns the hash of the destination folder after the copy. A
// deleted file is a zero Blob.
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

// mirror returns the changes below a folder that turn the files was into the files is: each file to write, and each
// file to delete. If one of them must not be changed, mirror returns no changes, but the path of that file and the
// reason.
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

// below reports whether one of the files has the path of a folder that name needs.
func below(name string, files map[string]Blob) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, is := files[dir]; is {
			return true
		}
	}
	return false
}

// File modes in Git.
const (
	regular    = "100644"
	executable = "100755"
	link       = "120000"
	submodule  = "160000"
)

// unfit returns the reason why one file must not replace another, or "". A person can make a file executable by hand
// once: later copies then change its content and keep the mode.
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
