package drift

import (
	"slices"

	"waybill/promotion"
)

// Compare returns the values in the files that differ from those that were written when a deployment began, and whether
// that is known. It is not when a place could not be read, and not while a promotion is on its way that writes there
// again. On a branch that has not been read the last note stands.
func Compare(s *promotion.Snapshot, deployment *promotion.Deployment) (says []promotion.Value, known bool) {
	if len(s.Readings) == 0 || OnItsWay(s, deployment.Warehouse) {
		return nil, false
	}
	sets, reads, noted := sets(s.Stage), s.TextsRead(), promotion.TextsOf(deployment.Drift.Says)
	for _, wrote := range deployment.Wrote {
		if !sets[wrote.Spot()] {
			continue // the pipeline file has dropped it
		}
		if !hasRead(s, wrote.Files) {
			if text, differs := noted[wrote.Spot()]; differs {
				says = append(says, promotion.Value{Files: wrote.Files, Path: wrote.Path, Key: wrote.Key, Text: text})
			}
			continue
		}
		text, read := reads[wrote.Spot()]
		if !read {
			return nil, false
		}
		if text != wrote.Text {
			says = append(says, promotion.Value{Files: wrote.Files, Path: wrote.Path, Key: wrote.Key, Text: text})
		}
	}
	return says, true
}

// OnItsWay reports whether a promotion of a warehouse's freight is between its start and its merge.
func OnItsWay(s *promotion.Snapshot, warehouse promotion.WarehouseName) bool {
	p := s.Active()
	return p != nil && p.Freight.Warehouse == warehouse && p.State != promotion.Verifying
}

// sets returns where promotions into the stage write values.
func sets(s *promotion.Stage) map[promotion.Spot]bool {
	all := make(map[promotion.Spot]bool, len(s.Targets))
	for i := range s.Targets {
		for at := range s.Targets[i].Spots() {
			all[at] = true
		}
	}
	return all
}

// hasRead reports whether the files on the branch of a value have been read.
func hasRead(s *promotion.Snapshot, named promotion.Branch) bool {
	on := s.Pipeline.FilesOn(s.Stage, named)
	return slices.ContainsFunc(s.Readings, func(r promotion.Reading) bool { return r.On == on })
}

// IsNew reports whether some of the values were not noted before.
func IsNew(says, noted []promotion.Value) bool {
	return slices.ContainsFunc(says, func(v promotion.Value) bool { return !slices.Contains(noted, v) })
}

// FoundIn returns the reading that found the first of some values that was not noted before; without one the first
// reading. There must be a reading.
func FoundIn(s *promotion.Snapshot, says, noted []promotion.Value) promotion.Reading {
	for _, v := range says {
		on := s.Pipeline.FilesOn(s.Stage, v.Files)
		i := slices.IndexFunc(s.Readings, func(r promotion.Reading) bool { return r.On == on })
		if i >= 0 && !slices.Contains(noted, v) {
			return s.Readings[i]
		}
	}
	return s.Readings[0]
}
