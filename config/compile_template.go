package config

import (
	"slices"
	"strings"

	"waybill/promotion"
)

// value compiles the new value of a place, and judges the references in it.
func (c *compiler) value(s *compiled, r *reader, v entry[string]) (promotion.Template, bool) {
	if !c.affordText(s, v.at, v.value) {
		return promotion.Template{}, false
	}
	t, err := promotion.ParseTemplate(v.value)
	if err != nil {
		r.errorf(v.at, "%s", err)
		return t, false
	}
	var warehouses []string
	ok := v.good()
	t, problem := s.fill(t)
	if problem != "" {
		r.errorf(v.at, "%s", problem)
		ok = false
	}
	for _, ref := range t.References() {
		if ref == "stage" || ofTarget(ref) {
			continue
		}
		name, problem := c.reference(s, r, v.at, ref)
		if problem != "" {
			r.errorf(v.at, "%s", problem)
			ok = false
		} else if !slices.Contains(warehouses, name) {
			warehouses = append(warehouses, name)
		}
	}
	t = t.Rename(func(ref string) string { return c.resolve(v.at, ref) })
	if len(warehouses) > 1 {
		r.errorf(v.at, "the value mixes %s, but a promotion carries freight of one warehouse; use a value for each",
			strings.Join(warehouses, " and "))
		ok = false
	}
	return t, ok
}

// reference returns the warehouse of a reference, or the mistake in it.
func (c *compiler) reference(s *compiled, r *reader, at pos, ref string) (warehouse, problem string) {
	name, key, dotted := strings.Cut(ref, ".")
	meant := c.names.meant(c.names.warehouses, at, name)
	from := c.pipeline.Warehouse(promotion.WarehouseName(meant))
	written := "${" + shorten(ref) + "}"
	switch {
	case from == nil:
		return "", written + " is neither ${stage} nor the value of a warehouse" +
			r.didYouMean(name, writable(c.names, at, c.file.warehouses.value))
	case !dotted || !slices.Contains(from.Keys(), key):
		return "", written + " is no value: freight of " + name + " has ${" + name + "." +
			strings.Join(from.Keys(), "}, ${"+name+".") + "}"
	case !s.asks(meant):
		return "", written + " has no value here: the stage takes no freight from " + name + "; name it under `from`"
	}
	return meant, ""
}

// resolve returns the reference that a reference at a place of the files means.
func (c *compiler) resolve(at pos, ref string) string {
	name, key, _ := strings.Cut(ref, ".")
	name = c.names.meant(c.names.warehouses, at, name)
	if from := c.pipeline.Warehouse(promotion.WarehouseName(name)); from != nil {
		return name + "." + from.Resolve(key)
	}
	return ref
}

// own returns what the file of the stage calls it, for which ${stage} stands there.
func (s *compiled) own() string {
	return own(s.part, string(s.Name))
}

// fill replaces each ${target...} by its value, and ${stage} in a part, or returns the mistake in one.
func (s *compiled) fill(t promotion.Template) (promotion.Template, string) {
	target := s.place.file
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
		case ref == "stage" && s.part != "":
			return s.own(), true
		case target == nil:
			return "", false
		}
		return target.value(ref)
	}), ""
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

// withStage replaces ${stage} and ${target...} in a name of the file. A reference to freight cannot stand there,
// because it must be known beforehand which files a stage changes and which signals it waits for.
func (c *compiler) withStage(s *compiled, r *reader, at pos, text string) (string, bool) {
	if !c.affordText(s, at, text) {
		return "", false
	}
	t, err := promotion.ParseTemplate(text)
	if err != nil {
		r.errorf(at, "%s", err)
		return "", false
	}
	t, problem := s.fill(t)
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
	expanded, err := t.Expand(func(string) (string, bool) { return s.own(), true })
	return expanded, err == nil
}
