package config

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Glob finds targets in the repository: every path that it matches is one, and the parts under its stars are the
// target's name. A star stands for one or more characters of one folder's or file's name, but not for a dot at its
// beginning. With / at its end the glob finds folders, else files.
type Glob struct {
	Text    string
	Root    string // the folder that is searched, whose name has no star; "" is the whole repository
	Deep    bool   // the targets do not lie in Root itself, but in folders of it
	Folders bool   // it finds folders
	matches *regexp.Regexp
}

// parseGlob reads a glob, or returns the mistake in it.
func parseGlob(text string) (Glob, string) {
	clean, folders := strings.CutSuffix(text, "/")
	parts := strings.Split(clean, "/")
	first := slices.IndexFunc(parts, func(part string) bool { return strings.Contains(part, "*") })
	switch {
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
		matches: globbed(parts),
	}, ""
}

// globbed makes a regular expression of a glob. Each star is a group.
func globbed(parts []string) *regexp.Regexp {
	pattern := make([]string, len(parts))
	for i, part := range parts {
		pattern[i] = strings.ReplaceAll(regexp.QuoteMeta(part), `\*`, `([^/]+?)`)
		if strings.HasPrefix(part, "*") {
			pattern[i] = strings.Replace(pattern[i], `([^/]+?)`, `([^/.][^/]*?)`, 1)
		}
	}
	return regexp.MustCompile("^" + strings.Join(pattern, "/") + "$")
}

// Matches reports whether a target is found at a path, without / at its end.
func (g Glob) Matches(path string) bool { return g.matches.MatchString(path) }

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
	return strings.Join(g.matches.FindStringSubmatch(path)[1:], "-")
}

// specimen is a path that the glob would match.
func (g Glob) specimen() string { return strings.TrimSuffix(strings.ReplaceAll(g.Text, "*", "x"), "/") }

// Globs returns the globs of a pipeline file that find targets, each once. Their matches must be known before the file
// is loaded (Sources.Found).
func Globs(pipeline []byte) []Glob {
	file, _ := read(pipelineForm, PipelinePath, pipeline)
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

// Find returns which of some files and folders each glob matches, for Sources.Found.
func Find(globs []Glob, files, folders []string) map[string][]string {
	found := make(map[string][]string, len(globs))
	for _, g := range globs {
		among, matched := files, []string{}
		if g.Folders {
			among = folders
		}
		for _, path := range among {
			if g.Matches(path) {
				matched = append(matched, path)
			}
		}
		slices.Sort(matched)
		found[g.Text] = matched
	}
	return found
}
