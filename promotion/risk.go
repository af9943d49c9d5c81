package promotion

import (
	"path"
	"slices"
	"strings"
)

// Risk is what the files of a pull request tell about how much it may break, before anybody reads it.
type Risk struct {
	Files      int      `json:"files,omitempty"` // that it changes
	Lines      int      `json:"lines,omitempty"` // that it adds or removes
	Areas      []string `json:"areas,omitempty"` // the top folders of the files; "." stands for files in none
	Migrations []string `json:"migrations,omitempty"`
	More       bool     `json:"more,omitempty"` // there are others, which GitHub does not list
}

// The most that are told of each kind.
const mostAreas, mostMigrations = 5, 3

// migrating are the names of folders in which tools keep migrations of databases.
var migrating = []string{"migrations", "migration", "migrate", "alembic", "flyway", "liquibase", "changelog"}

// RiskOf returns the risk of a pull request that touches some paths.
func RiskOf(t Touched) Risk {
	r := Risk{Files: t.Files, Lines: t.Lines, More: t.More}
	for _, p := range slices.Sorted(slices.Values(t.Paths)) {
		top, _, inside := strings.Cut(p, "/")
		if !inside {
			top = "."
		}
		if !slices.Contains(r.Areas, top) && len(r.Areas) < mostAreas {
			r.Areas = append(r.Areas, Clip(top, ShownText))
		}
		if migrates(p) && len(r.Migrations) < mostMigrations {
			r.Migrations = append(r.Migrations, Clip(p, ShownText))
		}
	}
	return r
}

// migrates reports whether a file looks like a migration of a database.
func migrates(p string) bool {
	return path.Ext(p) == ".sql" || slices.ContainsFunc(strings.Split(path.Dir(p), "/"),
		func(folder string) bool { return slices.Contains(migrating, strings.ToLower(folder)) })
}

// Risk sums up what comes along, or is taken away, as far as the notes list it and it is known.
func (n *Notes) Risk() (sum Risk) {
	for _, c := range n.Cargo {
		if c.Risk == nil {
			sum.More = true
			continue
		}
		sum.Files, sum.Lines, sum.More = sum.Files+c.Risk.Files, sum.Lines+c.Risk.Lines, sum.More || c.Risk.More
		sum.Areas, sum.Migrations = append(sum.Areas, c.Risk.Areas...), append(sum.Migrations, c.Risk.Migrations...)
	}
	slices.Sort(sum.Areas)
	sum.Areas = slices.Compact(sum.Areas)
	return sum
}
