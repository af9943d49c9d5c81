package promotion

import (
	"fmt"
	"strings"
)

// Template is a value of the pipeline file with its ${...} references taken apart. It knows substitution only, no
// logic.
type Template struct {
	pieces []piece
}

// piece is literal text, or a reference when ref is not empty.
type piece struct{ text, ref string }

// ParseTemplate takes s apart. It fails on a "${" that is not closed and on an empty reference.
func ParseTemplate(s string) (Template, error) {
	var t Template
	for rest := s; rest != ""; {
		before, after, found := strings.Cut(rest, "${")
		if before != "" {
			t.pieces = append(t.pieces, piece{text: before})
		}
		if !found {
			break
		}
		ref, tail, closed := strings.Cut(after, "}")
		if !closed {
			return Template{}, fmt.Errorf("%q: ${ is not closed by }", s)
		}
		if strings.TrimSpace(ref) == "" {
			return Template{}, fmt.Errorf("%q: ${} names no value", s)
		}
		t.pieces = append(t.pieces, piece{ref: strings.TrimSpace(ref)})
		rest = tail
	}
	return t, nil
}

// Source returns the template as it is written.
func (t Template) Source() string {
	var b strings.Builder
	for _, p := range t.pieces {
		b.WriteString(p.text)
		if p.ref != "" {
			b.WriteString("${" + p.ref + "}")
		}
	}
	return b.String()
}

// References returns the names between ${ and }, in order.
func (t Template) References() []string {
	var refs []string
	for _, p := range t.pieces {
		if p.ref != "" {
			refs = append(refs, p.ref)
		}
	}
	return refs
}

// Fill replaces those references whose value is known already.
func (t Template) Fill(lookup func(ref string) (string, bool)) Template {
	filled := Template{pieces: make([]piece, len(t.pieces))}
	for i, p := range t.pieces {
		if v, known := lookup(p.ref); known && p.ref != "" {
			p = piece{text: v}
		}
		filled.pieces[i] = p
	}
	return filled
}

// Rename replaces references by others, which mean the same.
func (t Template) Rename(to func(ref string) string) Template {
	renamed := Template{pieces: make([]piece, len(t.pieces))}
	for i, p := range t.pieces {
		if p.ref != "" {
			p.ref = to(p.ref)
		}
		renamed.pieces[i] = p
	}
	return renamed
}

// Expand replaces every reference by its value. lookup returns the value of "warehouse.key" or "stage".
func (t Template) Expand(lookup func(ref string) (string, bool)) (string, error) {
	var b strings.Builder
	for _, p := range t.pieces {
		if p.ref == "" {
			b.WriteString(p.text)
			continue
		}
		v, ok := lookup(p.ref)
		if !ok {
			return "", fmt.Errorf("${%s} has no value here", p.ref)
		}
		b.WriteString(v)
	}
	return b.String(), nil
}

// Values returns the lookup for Expand when f is promoted into stage s: the values of f under its warehouse's name,
// and ${stage}.
func Values(s StageName, f Freight) func(ref string) (string, bool) {
	return func(ref string) (string, bool) {
		if ref == "stage" {
			return string(s), true
		}
		warehouse, key, dotted := strings.Cut(ref, ".")
		if !dotted || WarehouseName(warehouse) != f.Warehouse {
			return "", false
		}
		return f.Value(key)
	}
}
