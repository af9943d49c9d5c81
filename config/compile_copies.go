package config

import (
	"path"
	"slices"

	"waybill/internal/change"
	"waybill/promotion"
)

// copied is a promotion.Copy with its entry in the file.
type copied struct {
	promotion.Copy
	file   entry[copyFile]
	reader *reader
}

// compileCopies works out which folders a promotion copies at a place.
func compileCopies(t templates, stages graph) {
	p := t.place
	for _, e := range p.stage.file.value.copy.value {
		one := copied{file: e, reader: p.reader.key("copy").key(e.name)}
		if !t.allowance.pay(p.reader, e.key, Budget{Steps: len(p.Changes) / 4}) {
			return
		}
		if compileCopy(t, &one) && apart(p, one, stages) {
			p.stage.copied = append(p.stage.copied, one)
			p.Copies = append(p.Copies, one.Copy)
		}
	}
}

// compileCopy compiles one entry.
func compileCopy(t templates, one *copied) (ok bool) {
	e, f := one.file, one.file.value
	if one.Path, ok = folder(t.blanks, one.reader, e.key, e.name); ok {
		if reason := change.Forbidden(one.Path); reason != "" {
			one.reader.errorf(e.key, "%s; name a folder of the stage", reason)
			ok = false
		}
		inside := func(inventory string) bool { return promotion.Inside(inventory, one.Path) }
		if slices.ContainsFunc(t.place.inventories, inside) {
			one.reader.errorf(e.key, "an inventory of this pipeline lies in the folder, and no promotion changes that; "+
				"name another folder")
			ok = false
		}
	}
	if !f.from.good() || !e.good() {
		return false
	}
	from, good := folder(t.blanks, one.reader.key("from"), f.from.at, f.from.value)
	one.From, one.Warehouse = from, promotion.WarehouseName(f.warehouse.or(""))
	one.Stage = promotion.StageName(f.stage.or(""))
	return taken(t, one) && ok && good
}

// folder returns the path of a folder that may be copied.
func folder(b blanks, r *reader, at pos, name string) (string, bool) {
	name, ok := b.name(r, at, name)
	if !ok {
		return "", false
	}
	reason := misspelt(name)
	if path.Clean(name) == "." {
		reason = "the whole repository is no folder that can be copied"
	}
	if reason != "" {
		r.errorf(at, "%s; name a folder", reason)
		return "", false
	}
	return path.Clean(name), true
}

// taken reports whether the stage takes freight from the warehouse that a copy names.
func taken(t templates, one *copied) bool {
	w, r := one.file.value.warehouse, one.reader.key("warehouse")
	switch {
	case !w.good():
		return true
	case t.from.pipeline.Warehouse(one.Warehouse) == nil:
		r.errorf(w.at, "%s is not a warehouse%s", quote(w.value), t.from.names.like(r, w.at, w.value))
		return false
	case !t.place.stage.asks(w.value):
		r.errorf(w.at, "the stage takes no freight from %s; name it under `from`", quote(w.value))
		return false
	}
	return true
}

// apart reports whether nothing else that happens at a place happens in the folder of a copy.
func apart(p *place, one copied, stages graph) bool {
	copies := func(other promotion.Copy) bool { return meet(one.Path, other.Path) }
	if i := slices.IndexFunc(p.Copies, copies); i >= 0 {
		one.reader.errorf(one.file.key, "%s is copied, too, and one lies in the other; remove one of the two",
			quote(p.Copies[i].Path))
		return false
	}
	changes := func(other promotion.Change) bool { return promotion.Inside(other.Path, one.Path) }
	if i := slices.IndexFunc(p.Changes, changes); i >= 0 {
		one.reader.errorf(one.file.key, "%s lies in the folder and is changed, too, but a copy is exact; change it "+
			"where it is copied from", quote(p.Changes[i].Path))
		return false
	}
	if meet(one.Path, one.From) && inOnePlace(p, one, stages) {
		one.reader.errorf(one.file.key, "%s cannot be copied to %s: one lies in the other; "+
			"name another folder", quote(one.From), quote(one.Path))
		return false
	}
	return true
}

// inOnePlace reports whether both sides of a copy are in one place: in one repository, or on one branch if the other
// side is another stage's.
func inOnePlace(p *place, one copied, stages graph) bool {
	if w := stages.pipeline.Warehouse(one.Warehouse); w != nil {
		return w.Repo == p.on.Repo
	}
	up := stages.named(string(one.Stage))
	return up == nil || stages.together(p.stage, up)
}

// meet reports whether one of two folders lies in the other one, or is it.
func meet(one, other string) bool {
	return promotion.Inside(one, other) || promotion.Inside(other, one)
}

// copiedStages judges copies from another stage. The folder is copied as the freight came there, so the freight must
// have been there and been verified there, and no other may have come along.
func copiedStages(stages graph) {
	for _, s := range stages.all {
		before := s.reader.report.errors
		for _, one := range s.copied {
			if one.Stage != "" && s.reader.report.errors == before { // the next target's would say the same
				copiedStage(s, one, stages)
			}
		}
	}
}

func copiedStage(s *compiled, one copied, stages graph) {
	f := one.file.value
	r := one.reader.key("stage")
	up := stages.named(f.stage.value)
	switch {
	case up == nil:
		r.errorf(f.stage.at, "%s is not a stage%s", quote(f.stage.value), stages.names.like(r, f.stage.at, f.stage.value))
	case len(s.file.value.from.value) > 1 || len(up.file.value.from.value) > 1:
		r.errorf(f.stage.at, "the folder of a stage that takes freight from several warehouses holds what all of them have "+
			"brought; copy only between stages that take from one warehouse, the same one")
	case up.Spread():
		r.errorf(f.stage.at, "the targets of %s have their files on several branches, and nobody could tell which folder "+
			"is meant; copy from a stage whose files are on one", quote(f.stage.value))
	case !s.requires(up.Stage):
		r.errorf(f.stage.at, "the stage does not wait for %s, so that freight could come that was never verified there; "+
			"write `after: %s`, or name it under `all`", quote(f.stage.value), up.Name)
	case up.file.value.copy.bad: // it may write there
	case !up.writesInto(one.From):
		one.reader.key("from").errorf(f.from.at,
			"%s changes nothing in %s, so freight brings nothing there; name a folder that it changes", up.Name, quote(one.From))
	}
}

// requires reports whether no freight comes into the stage that another one has not verified, but for freight that
// people admit.
func (s *compiled) requires(up *promotion.Stage) bool {
	for _, g := range s.gates {
		if g.at.line > 0 && !g.sound {
			return true // reported already
		}
		if g.Gate == nil || !slices.Contains(g.Of, up) || g.Need < len(g.Of) {
			return false
		}
	}
	return len(s.gates) > 0
}

// writesInto reports whether promotions into the stage change anything in a folder.
func (s *compiled) writesInto(folder string) bool {
	return slices.ContainsFunc(s.Changes(), func(c promotion.Change) bool { return promotion.Inside(c.Path, folder) }) ||
		slices.ContainsFunc(s.Copies(), func(c promotion.Copy) bool { return meet(c.Path, folder) })
}

// sharedFolders warns of folders into which two stages write: each promotion would undo the other stage's.
func sharedFolders(stages graph) {
	comparisons := 0
	for _, s := range stages.all {
		for _, other := range stages.all {
			if other == s || len(s.copied) == 0 || !stages.together(s, other) {
				continue
			}
			for _, one := range s.copied {
				if comparisons += len(other.Changes()) + len(other.Copies()); comparisons > maxComparisons {
					return
				}
				if other.writesInto(one.Path) {
					one.reader.warnf(one.file.key,
						"stage %s changes something in this folder, too, and each will undo what the other did; "+
							"give each a folder of its own", other.Name)
				}
			}
		}
	}
}
