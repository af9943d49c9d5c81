package config

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"waybill/internal/keypath"
	"waybill/promotion"
)

// changes works out which files a promotion into a stage changes.
func (c *compiler) changes(s *compiled) {
	first := make(map[string]bool)
	for _, file := range s.file.value.set.value {
		r := s.reader.key("set").key(file.name)
		name, ok := c.withStage(s, r, file.key, file.name)
		if !ok {
			continue
		}
		if reason := refusedPath(name); reason != "" {
			r.errorf(file.key, "%s; name a file of the stage", reason)
			continue
		}
		name = path.Clean(name)
		if first[name] {
			r.errorf(file.key, "%s is there already; put its values under one key", quote(name))
			continue
		}
		first[name] = true
		s.Changes = append(s.Changes, promotion.Change{Path: name, Set: c.assignments(s, r, file.value)})
	}
}

// refusedPath returns why Waybill never changes such a path, or "". Whoever may edit the pipeline file must not thereby
// be able to change what guards the repository.
func refusedPath(name string) string {
	clean := path.Clean(name)
	lower := strings.ToLower(clean)
	switch {
	case !utf8.ValidString(name) || strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return "a path is not changed that has characters nobody can see"
	case strings.Contains(name, `\`):
		return `a path has / between its parts, not \`
	case strings.Contains(name, "*"):
		return "* does not stand for anything in a path that is changed"
	case path.IsAbs(name):
		return "a path begins at the root of the repository, without / before it"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "a path must not leave the repository"
	case clean == "." || strings.HasSuffix(name, "/"):
		return "a path must name a file, not a folder"
	case within(lower, ".git"), path.Base(lower) == ".gitmodules", path.Base(lower) == ".gitattributes":
		return "what Git keeps for itself is never changed"
	case lower == ".github" || strings.HasPrefix(lower, ".github/"):
		return "nothing in .github/ is ever changed"
	case path.Base(lower) == "codeowners":
		return "CODEOWNERS is never changed"
	}
	return ""
}

// within reports whether a part of a path has that name.
func within(p, name string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == name {
			return true
		}
	}
	return false
}

func (c *compiler) assignments(s *compiled, r *reader, values []entry[string]) []promotion.Assignment {
	var all []promotion.Assignment
	for _, v := range values {
		r := r.key(v.name)
		name, ok := c.withStage(s, r, v.key, v.name)
		if !ok {
			continue
		}
		key, err := keypath.Parse(name)
		if err != nil {
			r.errorf(v.key, "%s; a path into YAML is written as a.b, a.b[0] or a.b[name=x].c, with \"\" around a key that has dots", err)
			continue
		}
		if other := slices.IndexFunc(all, func(a promotion.Assignment) bool { return nested(a.Key, key.String()) || nested(key.String(), a.Key) }); other >= 0 {
			r.errorf(v.key, "%s is set already, wholly or in part; remove one of the two", quote(all[other].Key))
			continue
		}
		if value, ok := c.value(s, r, v); ok {
			all = append(all, promotion.Assignment{Key: key.String(), Value: value})
		}
	}
	return all
}

// nested reports whether a path into YAML is the same as another one or leads into it.
func nested(inner, outer string) bool {
	rest, found := strings.CutPrefix(inner, outer)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// sharedValues warns of values that two stages set: each promotion would undo the other stage's.
func (c *compiler) sharedValues() {
	type place struct{ file, key string }
	first := make(map[place]*compiled)
	for _, s := range c.stages {
		for _, change := range s.Changes {
			for _, a := range change.Set {
				at := place{change.Path, a.Key}
				if other := first[at]; other != nil {
					s.reader.key("set").warnf(s.file.value.set.at, "%s of %s is set by stage %s too, and each will undo what the other did",
						a.Key, change.Path, other.Name)
				} else {
					first[at] = s
				}
			}
		}
	}
}
