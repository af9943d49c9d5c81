package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Glob finds targets in the repository: every path that it matches is one, and the parts under its stars are the
// target's name. A star stands for one or more characters of one folder's or file's name, but not for a dot at its
// beginning. With / at its end the glob finds folders, else files.
type Glob struct {
	Text    string
	Root    string   // the folder that is searched, whose name has no star; "" is the whole repository
	Deep    bool     // the targets do not lie in Root itself, but in folders of it
	Folders bool     // it finds folders
	parts   []string // its text, folder by folder
}

// Bounds of a glob that finds targets.
const (
	maxTargetGlob  = 1000 // bytes
	maxTargetStars = 20
)

// parseGlob reads a glob, or returns the mistake in it.
func parseGlob(text string) (Glob, string) {
	clean, folders := strings.CutSuffix(text, "/")
	parts := strings.Split(clean, "/")
	first := slices.IndexFunc(parts, func(part string) bool { return strings.Contains(part, "*") })
	switch {
	case len(text) > maxTargetGlob:
		return Glob{}, fmt.Sprintf("it has %d bytes; at most %d are read", len(text), maxTargetGlob)
	case strings.Count(text, "*") > maxTargetStars:
		return Glob{}, fmt.Sprintf("it has %d stars; at most %d are read", strings.Count(text, "*"), maxTargetStars)
	case first < 0:
		return Glob{}, "it has no * that stands for the name of a target; write a glob such as " +
			"clusters/*/values.yaml, or a list"
	case strings.Contains(text, "**"):
		return Glob{}, "** could stand for any number of folders, which make no name; write a * for each folder"
	case strings.ContainsAny(text, "?[]{}!\\"):
		return Glob{}, "only * stands for anything in it"
	case misspelt(strings.ReplaceAll(clean, "*", "x")) != "":
		return Glob{}, misspelt(strings.ReplaceAll(clean, "*", "x"))
	case path.Clean(clean) != clean:
		return Glob{}, "write it without empty folders and dots: " + path.Clean(clean)
	}
	return Glob{
		Text: text, Root: strings.Join(parts[:first], "/"), Deep: first < len(parts)-1, Folders: folders,
		parts: parts,
	}, ""
}

// Matches reports whether a target is found at a path, without / at its end.
func (g Glob) Matches(path string) bool {
	matches, _ := g.match(path, nil)
	return matches
}

// match compares a path with the glob, folder by folder, and gives each text under a star to under, unless that is nil.
// steps is how many bytes it has looked at, which are never more than a few times those of the path: no part of a path
// is looked at again because another one does not fit.
func (g Glob) match(path string, under func(string)) (matches bool, steps int) {
	for i, part := range g.parts {
		name, rest, deeper := strings.Cut(path, "/")
		if deeper != (i < len(g.parts)-1) {
			return false, steps + 1
		}
		fits, cost := matchPart(part, name, under)
		if steps += 1 + cost; !fits {
			return false, steps
		}
		path = rest
	}
	return true, steps
}

// matchPart compares the name of one folder or file. Every star takes as little as it can: if the text behind it is
// there twice, the first is as good as the second for all that follows.
func matchPart(part, name string, under func(string)) (fits bool, steps int) {
	literal, part, star := strings.Cut(part, "*")
	if !strings.HasPrefix(name, literal) {
		return false, 1
	}
	name, steps = name[len(literal):], len(literal)
	if literal == "" && strings.HasPrefix(name, ".") && star {
		return false, 1
	}
	for star {
		if name == "" {
			return false, steps
		}
		literal, part, star = strings.Cut(part, "*")
		length := len(name) - len(literal)
		if star {
			_, first := utf8.DecodeRuneInString(name)
			at := strings.Index(name[first:], literal)
			if length = first + at; at < 0 {
				return false, steps + len(name)
			}
		} else if length < 1 || !strings.HasSuffix(name, literal) {
			return false, steps + 1
		}
		steps += length + len(literal)
		if under != nil {
			under(name[:length])
		}
		name = name[length+len(literal):]
	}
	return name == "", steps
}

// Concerns reports whether a target may come or go with a file.
func (g Glob) Concerns(file string) bool {
	for at := file; at != "."; at = path.Dir(at) {
		if g.Matches(at) {
			return true
		}
		if !g.Folders {
			return false
		}
	}
	return false
}

// name returns the name of a target that is found at a path.
func (g Glob) name(path string) string {
	var names []string
	g.match(path, func(text string) { names = append(names, text) })
	return strings.Join(names, "-")
}

// specimen is a path that the glob would match.
func (g Glob) specimen() string { return strings.TrimSuffix(strings.ReplaceAll(g.Text, "*", "x"), "/") }

// Globs returns the globs of a pipeline file, with its parts and inventories, that find targets, each once. Their
// matches must be known before the file is loaded (Found). The file is read as far as the meter's budget goes.
func Globs(m *Meter, pipeline []byte, from Found) []Glob {
	file, _ := readPipeline(m, PipelinePath, pipeline, from)
	var globs []Glob
	for _, s := range file.stages.value {
		g := s.value.targets.value.glob
		if s.value.targets.good() && g.Text != "" &&
			!slices.ContainsFunc(globs, func(o Glob) bool { return o.Text == g.Text }) {
			globs = append(globs, g)
		}
	}
	return globs
}

// Find returns which of some files and folders each glob matches, for Found. trouble says what of the meter's
// budget was not enough; then nothing was found.
func Find(m *Meter, globs []Glob, files, folders []string) (found map[string][]string, trouble string) {
	found = make(map[string][]string, len(globs))
	for _, g := range globs {
		among, matched := files, []string{}
		if g.Folders {
			among = folders
		}
		for _, path := range among {
			matches, steps := g.match(path, nil)
			cost := Budget{Steps: 1 + steps}
			if matches {
				cost.Bytes = len(path)
				matched = append(matched, path)
			}
			if why := m.spend(cost); why != "" {
				return nil, fmt.Sprintf("%s: `targets: %s`: %s%s", PipelinePath, g.Text, why, cheaper)
			}
		}
		slices.Sort(matched)
		found[g.Text] = matched
	}
	return found, ""
}
