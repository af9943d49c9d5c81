package promotion

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Warehouse is a source of freight: the merged pull requests of one branch of one repository, the pushes to it, the
// repository's releases or tags, or the reports of CI.
type Warehouse struct {
	Name   WarehouseName
	Kind   WarehouseKind
	Repo   Repo
	Branch string   // of pull requests and pushes
	Paths  []string // of pull requests and pushes: globs, a leading "!" excludes; empty: everything but Except
	Labels []string // a pull request must have each, or must not with a leading "!"
	// the stages' files when the warehouse has no Paths of its own, and always the folders that they copy
	Except    []string
	Versions  Versions  // of releases and tags
	Images    []Awaited // of pull requests and pushes: the images that make freight complete
	Reporters Reporters // of reports: which runs of workflows may report by a token of GitHub
}

// WarehouseKind is the source of a warehouse's freight, named as its key in the pipeline file.
type WarehouseKind string

// FromPulls takes merged pull requests, FromPushes the commits that are pushed to a branch, FromReleases the releases
// on GitHub, FromTags tags, with or without a release, FromReports the versions that CI reports.
const (
	FromPulls    WarehouseKind = "pull-requests"
	FromPushes   WarehouseKind = "pushes"
	FromReleases WarehouseKind = "releases"
	FromTags     WarehouseKind = "tags"
	FromReports  WarehouseKind = "reports"
)

// Keys are the values that freight of the warehouse has, for messages.
func (w *Warehouse) Keys() []string {
	switch w.Kind {
	case FromPulls:
		return append([]string{"commit", "short", "number", "name"}, w.imageKeys()...)
	case FromPushes:
		return append([]string{"commit", "short", "name"}, w.imageKeys()...)
	case FromReports:
		return []string{"version", "image", "digest", "commit", "short", "name"}
	}
	return []string{"tag", "version", "commit", "short", "name"}
}

// imageKeys are the values of the images that the warehouse awaits.
func (w *Warehouse) imageKeys() (keys []string) {
	for _, a := range w.Images {
		for _, value := range imageValues() {
			keys = append(keys, a.key(value))
		}
	}
	return keys
}

// key is how the pipeline file writes a value of the image.
func (a Awaited) key(value string) string {
	if a.Name == "" {
		return value
	}
	return imageKeys + a.Name + "." + value
}

// Resolve returns the key of the value that a key of the pipeline file means: those of images are called there as the
// file likes.
func (w *Warehouse) Resolve(key string) string {
	for _, a := range w.Images {
		for _, value := range imageValues() {
			if a.key(value) == key {
				return imageKey(a.Image, value)
			}
		}
	}
	return key
}

// Touched are the paths that a pull request touches, both of a file that it moves.
type Touched struct {
	Paths []string
	More  bool // there are others, which GitHub does not list
	Files int  // how many files of a pull request that are, and
	Lines int  // how many lines it adds and removes in them; 0: not known
}

// Any reports whether a path may be among the wanted ones. GitHub does not list the files of a large change: rather one
// promotion too many than a change that never gets anywhere.
func (t Touched) Any(wanted func(path string) bool) bool {
	return t.More || slices.ContainsFunc(t.Paths, wanted)
}

// Contains reports whether later freight of the warehouse contains all earlier one: it comes from one branch, which
// only grows. Releases, tags and reports may come of several.
func (w *Warehouse) Contains() bool { return w.Kind == FromPulls || w.Kind == FromPushes }

// Wants reports whether a push that touches files is freight of this warehouse.
func (w *Warehouse) Wants(files Touched) bool { return files.Any(w.WantsFile) }

// Accepts reports whether a merged pull request that touches files and carries labels is freight of this warehouse. A
// pull request that changes only excluded files is not, and neither is one that touches only stages' files (semantics
// 7.7).
func (w *Warehouse) Accepts(files Touched, labels []string) bool {
	return w.wantsLabels(labels) && w.Wants(files)
}

// WantsFile reports whether a change of this one file makes freight: it matches a pattern (or there is none that
// includes) and no pattern that excludes.
func (w *Warehouse) WantsFile(file string) bool {
	included, asked := false, false
	for _, p := range w.Paths {
		pattern, excludes := strings.CutPrefix(p, "!")
		matches := doublestar.MatchUnvalidated(pattern, file)
		if excludes && matches {
			return false
		}
		if !excludes {
			asked, included = true, included || matches
		}
	}
	for _, e := range w.Except {
		if Inside(file, path.Clean(e)) {
			return false
		}
	}
	return included || !asked
}

func (w *Warehouse) wantsLabels(labels []string) bool {
	for _, want := range w.Labels {
		name, refused := strings.CutPrefix(want, "!")
		if slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, name) }) == refused {
			return false
		}
	}
	return true
}
