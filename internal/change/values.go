package change

import "waybill/promotion"

// Values returns the current values at every place that the stage sets, and the hashes of the folders that it copies
// to. The function folder returns the hash of a folder, or "" if it does not exist. A place that cannot be read is left
// out.
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
			return nil // a file that is invalid for this kind may be valid for another
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
