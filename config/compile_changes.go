package config

import (
	"path"
	"slices"
	"strings"

	"waybill/internal/change"
	"waybill/promotion"
)

// compileChanges works out which files a promotion changes at a place.
func compileChanges(t templates) {
	p := t.place
	for _, k := range changeKinds {
		first := make(map[string]bool)
		for _, file := range k.of(&p.stage.file.value).value {
			if !t.allowance.pay(p.reader, file.key, Budget{Steps: len(p.Changes) / 4}) {
				return
			}
			r := p.reader.key(string(k.kind)).key(file.name)
			name, ok := changedFile(t.blanks, r, k, file)
			if !ok {
				continue
			}
			if first[name] {
				r.errorf(file.key, "%s is there already; put its values under one key", quote(name))
				continue
			}
			first[name] = true
			assign(t, r, k, p.change(name), file.value)
		}
	}
}

// changedFile returns the path of a file that may be changed in this way.
func changedFile(b blanks, r *reader, k changeKind, file entry[[]entry[string]]) (string, bool) {
	name, ok := b.name(r, file.key, file.name)
	if !ok {
		return "", false
	}
	if reason := refusedPath(name); reason != "" {
		r.errorf(file.key, "%s; name a file of the stage", reason)
		return "", false
	}
	name = path.Clean(name)
	if slices.Contains(b.place.inventories, name) {
		r.errorf(file.key, "%s is an inventory of this pipeline, which no promotion changes; name another file", quote(name))
		return "", false
	}
	if len(k.files) > 0 && !slices.Contains(k.files, path.Base(name)) {
		r.errorf(file.key, "`%s` changes a file called %s; for values of other files there is `set`", k.kind,
			strings.Join(k.files, " or "))
		return "", false
	}
	return name, true
}

// change returns the change of a file, to which several kinds may contribute.
func (p *place) change(name string) *promotion.Change {
	i := slices.IndexFunc(p.Changes, func(c promotion.Change) bool { return c.Path == name })
	if i < 0 {
		i = len(p.Changes)
		p.Changes = append(p.Changes, promotion.Change{Path: name})
	}
	return &p.Changes[i]
}

// refusedPath returns why Waybill never changes such a file, or "".
func refusedPath(name string) string {
	switch reason := misspelt(name); {
	case reason != "":
		return reason
	case path.Clean(name) == "." || strings.HasSuffix(name, "/"):
		return "a path must name a file, not a folder"
	}
	return change.Forbidden(name)
}

// misspelt returns why a path is none of a file or folder in the repository, or "".
func misspelt(name string) string {
	clean := path.Clean(name)
	switch {
	case strings.Contains(name, "*"):
		return "* does not stand for anything in a path that is changed"
	case path.IsAbs(name):
		return "a path begins at the root of the repository, without / before it"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "a path must not leave the repository"
	}
	return ""
}

// assign adds values to the change of a file.
func assign(t templates, r *reader, k changeKind, into *promotion.Change, values []entry[string]) {
	for _, v := range values {
		if !t.allowance.pay(t.place.reader, v.key, Budget{Steps: len(into.Set) / 4}) {
			return
		}
		r := r.key(v.name)
		name, ok := t.name(r, v.key, v.name)
		if !ok {
			continue
		}
		key, err := change.Key(k.kind, name)
		if err != nil {
			r.errorf(v.key, "%s", err)
			continue
		}
		taken := func(a promotion.Assignment) bool { return overlap(a, k.kind, key) }
		if other := slices.IndexFunc(into.Set, taken); other >= 0 {
			r.errorf(v.key, "%s is set already, wholly or in part; remove one of the two", quote(into.Set[other].Key))
			continue
		}
		if value, ok := t.value(r, v); ok && fits(r, k, key, v, value) {
			into.Set = append(into.Set, promotion.Assignment{Kind: k.kind, Key: key, Value: value})
		}
	}
}

// fits judges a value that is known before there is any freight.
func fits(r *reader, k changeKind, key string, v entry[string], value promotion.Template) bool {
	if len(value.References()) > 0 {
		return true
	}
	if reason := change.Refuse(k.kind, key, v.value); reason != "" {
		r.errorf(v.at, "%s cannot be the value: %s", quote(v.value), reason)
		return false
	}
	return true
}

// overlap reports whether two keys are for the same value, as far as that can be told. The name of a mark says nothing
// about where it stands, but each value of a file needs a name of its own.
func overlap(a promotion.Assignment, kind promotion.ChangeKind, key string) bool {
	if a.Kind == promotion.ChangeReplace || kind == promotion.ChangeReplace {
		return a.Key == key
	}
	return nested(a.Key, key) || nested(key, a.Key)
}

// nested reports whether a path into YAML is the same as another one or leads into it.
func nested(inner, outer string) bool {
	rest, found := strings.CutPrefix(inner, outer)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// sharedValues warns of values that two stages set: each promotion would undo the other stage's.
func sharedValues(stages graph) {
	type place struct {
		on        promotion.Branch
		file, key string
	}
	first := make(map[place]*compiled)
	for _, s := range stages.all {
		for _, file := range s.Changes() {
			for _, a := range file.Set {
				at := place{stages.pipeline.FilesOn(s.Stage, file.Files), file.Path, a.Key}
				if other := first[at]; other != nil {
					s.reader.key(string(a.Kind)).warnf(s.file.value.changeOf(a.Kind).at,
						"%s of %s is set by stage %s too, and each will undo what the other did; "+
							"give each a file or key of its own",
						a.Key, file.Path, other.Name)
				} else {
					first[at] = s
				}
			}
		}
	}
}
