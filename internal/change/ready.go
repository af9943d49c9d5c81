package change

import "waybill/promotion"

// NotThere is the reason that Read returns for a file that does not exist.
const NotThere = "it is not there"

// Ready returns a stage without the targets that have a file which is missing or cannot be read, and the names of those
// targets: they cannot take part yet (semantics 5.2). A stage whose target has no name is returned unchanged.
func Ready(stage *promotion.Stage, read Read) (*promotion.Stage, []promotion.TargetName) {
	var there, absent []promotion.TargetName
	for i := range stage.Targets {
		if t := &stage.Targets[i]; t.Name != "" && lacksFile(t, read) {
			absent = append(absent, t.Name)
		} else {
			there = append(there, t.Name)
		}
	}
	if len(absent) == 0 {
		return stage, nil
	}
	return stage.Only(there), absent
}

// lacksFile reports whether a file of a target is missing or cannot be read.
func lacksFile(t *promotion.Target, read Read) bool {
	for _, c := range t.Changes {
		if _, trouble := read(c.Path); trouble != "" {
			return true
		}
	}
	return false
}
