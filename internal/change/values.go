package change

import (
	"waybill/internal/yamledit"
	"waybill/promotion"
)

// Values returns what the stage's files say at every place that the stage sets. A place that cannot be read is left out:
// nobody knows what it says.
func Values(stage *promotion.Stage, read Read) []promotion.Value {
	var all []promotion.Value
	for _, c := range stage.Changes {
		content, trouble := read(c.Path)
		if trouble != "" {
			continue
		}
		texts, err := yamledit.Get(content, keys(c))
		if err != nil {
			continue
		}
		for _, a := range c.Set {
			if text, found := texts[a.Key]; found {
				all = append(all, promotion.Value{Path: c.Path, Key: a.Key, Text: text})
			}
		}
	}
	return all
}

func keys(c promotion.Change) []string {
	all := make([]string, len(c.Set))
	for i, a := range c.Set {
		all[i] = a.Key
	}
	return all
}
