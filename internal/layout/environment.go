package layout

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// environments are the well-known names of environments, in the order in which a version goes through them. Names in
// one row mean the same.
var environments = [][]string{
	{"sandbox", "playground"},
	{"dev", "develop", "development"},
	{"int", "integration"},
	{"test", "testing", "tst"},
	{"qa", "qs"},
	{"uat", "acceptance"},
	{"nonprod", "non-prod"},
	{"stage", "staging", "stg"},
	{"preprod", "pre-prod", "preproduction", "pre-production", "preview"},
	{"canary"},
	{"prod", "production", "prd", "live"},
}

// Environments returns the well-known names of environments.
func Environments() []string { return slices.Concat(environments...) }

// production is the row of names that mean production.
var production = environments[len(environments)-1]

// regionText matches the names of places that one environment consists of.
const regionText = `^(?:r\d+-)?(?:eu|us|ap|apac|emea|asia|europe|africa|sa|ca|me|af|uk|cn|au|global|` +
	`cluster|cell|region|zone|shard)` +
	`(?:[-_]?(?:gov|north|south|east|west|central|northeast|northwest|southeast|southwest))*(?:[-_]?\d+[a-z]?)?$`

// region compiles regionText.
var region = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(regionText) })

// names knows the names of environments: the well-known ones, or those that a person has given, in their order.
type names struct{ given []string }

// rank returns where an environment stands in the order, from 0.
func (n names) rank(name string) (int, bool) {
	if len(n.given) > 0 {
		i := slices.Index(n.given, name)
		return i, i >= 0
	}
	i := slices.IndexFunc(environments, func(row []string) bool { return slices.Contains(row, strings.ToLower(name)) })
	return i, i >= 0
}

// isProduction reports whether an environment is production: by its name, or as the last of those that were given.
func (n names) isProduction(name string) bool {
	if len(n.given) > 0 {
		return name == n.given[len(n.given)-1]
	}
	return slices.Contains(production, strings.ToLower(name))
}

// spot is the environment, and the region of it, that a path is about.
type spot struct {
	environment, target string
	pattern             string // the path, with ${target.name} in place of the region
}

// targetName is what stands in a pipeline file for the name of a target.
const targetName = "${target.name}"

// spot reads a path; false if no environment is in it. A folder that is called as an environment counts before one that
// has it in its name.
func (n names) spot(file, object string) (spot, bool) {
	parts := strings.Split(file, "/")
	for _, whole := range []bool{true, false} {
		for i, part := range parts {
			before, name, after, ok := n.within(stem(part))
			if !ok || whole && (before != "" || after != "") {
				continue
			}
			s := spot{environment: name, pattern: file}
			for _, side := range []string{after, before} {
				if region().MatchString(side) {
					return s.at(parts, i, side), true
				}
			}
			for j, other := range parts {
				if j != i && region().MatchString(stem(other)) {
					return s.at(parts, j, stem(other)), true
				}
			}
			return s, true
		}
	}
	if _, name, _, ok := n.within(object); ok {
		return spot{environment: name, pattern: file}, true
	}
	return spot{}, false
}

// at returns the spot with its target, which stands in one part of the path.
func (s spot) at(parts []string, i int, target string) spot {
	changed := slices.Clone(parts)
	at := strings.LastIndex(changed[i], target)
	changed[i] = changed[i][:at] + targetName + changed[i][at+len(target):]
	return spot{environment: s.environment, target: target, pattern: strings.Join(changed, "/")}
}

// stem returns a part of a path without the endings of files.
func stem(part string) string {
	for _, ending := range []string{".json", ".auto", ".tfvars", ".yaml", ".yml"} {
		part = strings.TrimSuffix(part, ending)
	}
	return part
}

// within finds the name of an environment between separators, the longest first: pre-prod before prod.
func (n names) within(text string) (before, name, after string, ok bool) {
	cuts := []int{0}
	for i, r := range text {
		if strings.ContainsRune("-_.", r) {
			cuts = append(cuts, i, i+1)
		}
	}
	cuts = append(cuts, len(text))
	best := -1
	for a := 0; a < len(cuts); a += 2 {
		for b := a + 1; b < len(cuts); b += 2 {
			part := text[cuts[a]:cuts[b]]
			if _, known := n.rank(part); known && len(part) > best {
				best, name = len(part), part
				before, after = text[:max(cuts[a]-1, 0)], text[min(cuts[b]+1, len(text)):]
			}
		}
	}
	return before, name, after, best >= 0
}

// inOrder sorts the names of environments by the way of a version.
func (n names) inOrder(all []string) []string {
	return slices.SortedStableFunc(slices.Values(all), func(a, b string) int {
		i, _ := n.rank(a)
		j, _ := n.rank(b)
		return cmp.Or(i-j, strings.Compare(a, b))
	})
}
