package change

import "waybill/promotion"

// Values returns what the stage's files say at every place that the stage sets, and what its folders hold, by the hash
// that folder returns, which is empty if there is no such folder. A place that cannot be read is left out: nobody knows
// what it says.
func Values(stage *promotion.Stage, read Read, folder func(path string) (hash string)) []promotion.Value {
	var all []promotion.Value
	for _, c := range stage.Changes() {
		if content, trouble := read(c.Path); trouble == "" {
			all = append(all, values(c, content)...)
		}
	}
	for _, c := range stage.Copies() {
		all = append(all, promotion.Value{Files: c.Files, Path: c.Path, Key: promotion.EveryFile, Text: folder(c.Path)})
	}
	return all
}

func values(c promotion.Change, content []byte) (all []promotion.Value) {
	_ = byKind(c.Set, func(k kind, set []promotion.Assignment) error {
		texts, err := k.get(content, keys(set))
		if err != nil {
			return nil // what is no file of this kind may be one of another
		}
		for _, a := range set {
			if text, found := texts[a.Key]; found {
				all = append(all, promotion.Value{Files: c.Files, Path: c.Path, Key: a.Key, Text: text})
			}
		}
		return nil
	})
	return all
}
