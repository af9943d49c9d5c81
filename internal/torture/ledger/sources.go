package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/Masterminds/semver/v3"
)

// Sources are the acts of people and CI that produce freight.
type Sources struct {
	db *Database

	Sources []Source
	Images  map[string]bool // freight that has an image
}

// Source is an act of people or CI that produces freight: a merged pull request, a push, a release, a tag or a report.
type Source struct {
	Warehouses []string
	Kind       string // of the warehouse, as the pipeline file names it
	Repo       string
	Number     int // of the pull request, if it is one
	SHA        string
	Tag        string // of a release or tag
	Version    string // of a release, tag or report
	Author     string
	At         time.Time // determines the order
	Nth        int       // determines the order of equal times
	Hands      []string  // who opened, merged, pushed, published or reported it, and whom its commits name
	Anybody    bool      // somebody had a hand in it of whom GitHub does not know who that is
	Doubtful   bool      // freight is optional: the act was undone, or its report may not have arrived
	Moved      *Source   // what its tag was moved to; nil: it was not
}

// NoteHands records people who had a hand in the source.
func (s *Source) NoteHands(people ...string) {
	for _, who := range people {
		if !slices.Contains(s.Hands, who) {
			s.Hands = append(s.Hands, who)
		}
	}
}

// Name returns the name of the source's freight in a warehouse.
func (s Source) Name(warehouse string) string {
	switch s.Kind {
	case "pushes":
		return warehouse + "@" + s.SHA[:10]
	case "releases", "tags":
		return warehouse + "@" + s.Tag
	case "reports":
		return warehouse + "@" + s.Version
	}
	return fmt.Sprintf("%s#%d", warehouse, s.Number)
}

// Ref returns the name that commands use for the source's freight.
func (s Source) Ref() string {
	if s.Number == 0 && len(s.Warehouses) > 0 {
		return s.Name(s.Warehouses[0])
	}
	return fmt.Sprintf("#%d", s.Number)
}

// Value returns the value that stages write for the source's freight.
func (s Source) Value() string {
	if s.Version != "" {
		return s.Version
	}
	return s.SHA[:7]
}

// SourceOf returns the source of a promotion's freight.
func (f *Sources) SourceOf(p Promo) (Source, bool) {
	for _, s := range f.Sources {
		if slices.Contains(s.Warehouses, p.Warehouse) && s.Name(p.Warehouse) == p.Name {
			return s, true
		}
	}
	return Source{}, false
}

// DoubtReports makes the freight of reports since a time optional. GitHub does not know it.
func (f *Sources) DoubtReports(since time.Time) {
	for i := range f.Sources {
		s := &f.Sources[i]
		s.Doubtful = s.Doubtful || s.Kind == "reports" && !s.At.Before(since.Truncate(time.Second))
	}
}

// TagMoved records that a person has moved a tag to the commit of s. A tag that is no freight is left out.
func (f *Sources) TagMoved(warehouse string, s Source) {
	for i := range f.Sources {
		if o := &f.Sources[i]; slices.Contains(o.Warehouses, warehouse) && o.Tag == s.Tag {
			o.Moved = &s
		}
	}
}

// LoseTags has the tags that the database does not know be what they were moved to: it is a copy from before them.
func (f *Sources) LoseTags() {
	for i := range f.Sources {
		s := &f.Sources[i]
		lost := func(warehouse string) bool {
			return f.db.Count(`SELECT COUNT(*) FROM freight WHERE name = ?`, s.Name(warehouse)) == 0
		}
		if s.Moved != nil && slices.ContainsFunc(s.Warehouses, lost) {
			s.SHA = s.Moved.SHA
			s.NoteHands(s.Moved.Hands...)
		}
	}
}

// InOrder lists the sources of a warehouse, oldest first. Versions are the order of releases and tags: a draft may be
// published after a later version.
func (f *Sources) InOrder(warehouse string) []Source {
	all := slices.DeleteFunc(slices.Clone(f.Sources), func(s Source) bool {
		return !slices.Contains(s.Warehouses, warehouse)
	})
	slices.SortFunc(all, func(a, b Source) int {
		return cmp.Or(a.byVersion(b), a.At.Compare(b.At), a.Nth-b.Nth)
	})
	return all
}

// byVersion compares the versions of two releases or tags; other sources are equal.
func (s Source) byVersion(o Source) int {
	one, err := semver.NewVersion(s.Version)
	other, errOther := semver.NewVersion(o.Version)
	if s.Tag == "" || o.Tag == "" || err != nil || errOther != nil {
		return 0
	}
	return one.Compare(other)
}

// At names a commit: that of a promotion or of a source; false if stories have no name for it, because the program does
// not know yet that it has made it.
func (f *Sources) At(sha string) (name string, told bool) {
	for _, p := range f.db.Seen.Promotions {
		if p.MergeSHA == sha {
			return fmt.Sprintf("m%d", p.Number), true
		}
	}
	for _, s := range f.Sources {
		if s.SHA == sha {
			return fmt.Sprintf("c%d", s.Number), true
		}
	}
	return fmt.Sprintf("%.7s", sha), false
}
