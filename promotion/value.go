package promotion

import "iter"

// Value is a value in a file at one place.
type Value struct {
	Files Branch // that holds the file; none: the stage's
	Path  string // of the file
	Key   string // the path inside it, as the pipeline file writes it
	Text  string
}

// EveryFile is the key of the value that stands for all files of a folder: Git's hash of the folder, empty if there is
// no such folder.
const EveryFile = ""

// Place names a value for people.
func (v Value) Place() string {
	switch {
	case v.Key == EveryFile && v.Path == Everything:
		return "the branch"
	case v.Key == EveryFile:
		return v.Files.File(v.Path) + "/"
	}
	return v.Files.File(v.Path) + " " + v.Key
}

// Concerns reports whether a value stands in a file, or is about the folder that the file is in.
func (v Value) Concerns(path string) bool {
	return v.Path == path || v.Key == EveryFile && Inside(path, v.Path)
}

// Spot is where a value stands: a file and the key in it.
type Spot struct {
	files     Branch
	Path, Key string
}

// Spot returns where the value stands.
func (v Value) Spot() Spot { return Spot{v.Files, v.Path, v.Key} }

// Spot returns where the change writes a key.
func (c *Change) Spot(key string) Spot { return Spot{c.Files, c.Path, key} }

// Spot returns the place that stands for all files of the folder.
func (c *Copy) Spot() Spot { return Spot{c.Files, c.Path, EveryFile} }

// Spots are where promotions write values of the target.
func (t *Target) Spots() iter.Seq[Spot] {
	return func(yield func(Spot) bool) {
		for i := range t.Changes {
			for _, a := range t.Changes[i].Set {
				if !yield(t.Changes[i].Spot(a.Key)) {
					return
				}
			}
		}
		for i := range t.Copies {
			if !yield(t.Copies[i].Spot()) {
				return
			}
		}
	}
}

// TextsRead returns the texts of all that was read of the stage's files, by where they stand.
func (s *Snapshot) TextsRead() map[Spot]string {
	all := make(map[Spot]string)
	for i := range s.Readings {
		for _, v := range s.Readings[i].Values {
			all[v.Spot()] = v.Text
		}
	}
	return all
}

// TextsOf returns the texts of values by where they stand.
func TextsOf(values []Value) map[Spot]string {
	all := make(map[Spot]string, len(values))
	for _, v := range values {
		all[v.Spot()] = v.Text
	}
	return all
}
