package promotion

import "iter"

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

// TextsOf returns the texts of values by where they stand.
func TextsOf(values []Value) map[Spot]string {
	all := make(map[Spot]string, len(values))
	for _, v := range values {
		all[v.Spot()] = v.Text
	}
	return all
}
