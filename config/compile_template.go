package config

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// blanks are what stands between ${ and } in the texts of a place, as far as it is known before there is any freight.
type blanks struct {
	place     *place
	allowance *allowance
}

// name replaces ${stage} and ${target...} in a name of the file. A reference to freight cannot stand there, because it
// must be known beforehand which files a stage changes and which signals it waits for.
func (b blanks) name(r *reader, at pos, text string) (string, bool) {
	if !b.pay(at, text) {
		return "", false
	}
	t, err := promotion.ParseTemplate(text)
	if err != nil {
		r.errorf(at, "%s", err)
		return "", false
	}
	t, problem := b.fill(t)
	if problem != "" {
		r.errorf(at, "%s", problem)
		return "", false
	}
	for _, ref := range t.References() {
		if ref != "stage" {
			r.errorf(at, "${%s} cannot stand here; only ${stage} and ${target...} can", shorten(ref))
			return "", false
		}
	}
	expanded, err := t.Expand(func(string) (string, bool) { return b.place.stage.own(), true })
	return expanded, err == nil
}

// fill replaces each ${target...} by its value, and ${stage} in a part, or returns the mistake in one.
func (b blanks) fill(t promotion.Template) (promotion.Template, string) {
	target := b.place.file
	for _, ref := range t.References() {
		if !ofTarget(ref) {
			continue
		}
		written := "${" + shorten(ref) + "}"
		if target == nil {
			return t, written + " has no value here: the stage has no targets; list them under `targets`, or write the value out"
		}
		if _, known := target.value(ref); !known {
			return t, written + " has no value for the target " + target.name.value + ": it has " + target.known()
		}
	}
	return t.Fill(func(ref string) (string, bool) {
		switch {
		case ref == "stage" && b.place.stage.part != "":
			return b.place.stage.own(), true
		case target == nil:
			return "", false
		}
		return target.value(ref)
	}), ""
}

// own returns what the file of the stage calls it, for which ${stage} stands there.
func (s *compiled) own() string {
	return own(s.part, string(s.Name))
}

// pay counts a text before anything is replaced in it, at the most that it may become.
func (b blanks) pay(at pos, text string) bool {
	references, longest := strings.Count(text, "${"), len(b.place.stage.Name)
	if t := b.place.file; t != nil {
		longest = max(longest, len(t.name.value), len(t.path.value))
		for _, l := range t.labels.value {
			longest = max(longest, len(l.value))
		}
	}
	cost := Budget{Values: 1 + references, Bytes: len(text) + references*longest}
	return b.allowance.pay(b.place.reader, at, cost)
}

// ofTarget reports whether a reference is to something of a target.
func ofTarget(ref string) bool { return ref == "target" || strings.HasPrefix(ref, "target.") }

// known lists the references to a target that have a value.
func (t *targetFile) known() string {
	refs := []string{"${target.name}"}
	if t.path.good() {
		refs = append(refs, "${target.path}")
	}
	for _, l := range t.labels.value {
		refs = append(refs, "${target.labels."+l.name+"}")
	}
	return strings.Join(refs, ", ")
}

// templates are the new values of a place, in which something of freight may stand there, too.
type templates struct {
	blanks
	from warehouses
}

// value compiles the new value of a place, and judges the references in it.
func (t templates) value(r *reader, v entry[string]) (promotion.Template, bool) {
	if !t.pay(v.at, v.value) {
		return promotion.Template{}, false
	}
	value, err := promotion.ParseTemplate(v.value)
	if err != nil {
		r.errorf(v.at, "%s", err)
		return value, false
	}
	var warehouses []string
	ok := v.good()
	value, problem := t.fill(value)
	if problem != "" {
		r.errorf(v.at, "%s", problem)
		ok = false
	}
	for _, ref := range value.References() {
		if ref == "stage" || ofTarget(ref) {
			continue
		}
		name, problem := t.reference(r, v.at, ref)
		if problem != "" {
			r.errorf(v.at, "%s", problem)
			ok = false
		} else if !slices.Contains(warehouses, name) {
			warehouses = append(warehouses, name)
		}
	}
	value = value.Rename(func(ref string) string { return t.resolve(v.at, ref) })
	if len(warehouses) > 1 {
		r.errorf(v.at, "the value mixes %s, but a promotion carries freight of one warehouse; use a value for each",
			strings.Join(warehouses, " and "))
		ok = false
	}
	return value, ok
}

// reference returns the warehouse of a reference, or the mistake in it.
func (t templates) reference(r *reader, at pos, ref string) (warehouse, problem string) {
	name, key, dotted := strings.Cut(ref, ".")
	meant := t.from.names.meant(at, name)
	from := t.from.pipeline.Warehouse(promotion.WarehouseName(meant))
	written := "${" + shorten(ref) + "}"
	switch {
	case from == nil:
		return "", written + " is neither ${stage} nor the value of a warehouse" + t.from.names.like(r, at, name)
	case !dotted || !slices.Contains(from.Keys(), key):
		return "", written + " is no value: freight of " + name + " has ${" + name + "." +
			strings.Join(from.Keys(), "}, ${"+name+".") + "}"
	case !t.place.stage.asks(meant):
		return "", written + " has no value here: the stage takes no freight from " + name + "; name it under `from`"
	}
	return meant, ""
}

// resolve returns the reference that a reference at a place of the files means.
func (t templates) resolve(at pos, ref string) string {
	name, key, _ := strings.Cut(ref, ".")
	name = t.from.names.meant(at, name)
	if from := t.from.pipeline.Warehouse(promotion.WarehouseName(name)); from != nil {
		return name + "." + from.Resolve(key)
	}
	return ref
}
