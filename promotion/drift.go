package promotion

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
func (t *Target) Spots() (all []Spot) {
	for i := range t.Changes {
		for _, a := range t.Changes[i].Set {
			all = append(all, t.Changes[i].Spot(a.Key))
		}
	}
	for i := range t.Copies {
		all = append(all, t.Copies[i].Spot())
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
