package layout

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"waybill/internal/yamledit"
	"waybill/promotion"
)

// Found is what was recognised in a repository.
type Found struct {
	Apps  []App    // those in the most environments first
	Left  []string // sentences about what was seen and cannot be used
	names names
	jobs  []string
	texts map[string][]byte // the files in which something was found, by path

	reported []Check // that have reported on commits
}

// App is an application with the environments that it runs in.
type App struct {
	Name    string
	Image   string // empty: not known
	Layouts []string
	Stages  []Stage // in the order in which a version goes through them
}

// nameless is the name of an application that nothing names.
const nameless = "app"

// Stage is an environment.
type Stage struct {
	Name       string
	Production bool
	Targets    []string // the regions that it consists of; none: it is one place
	Places     []Place
}

// Place is a version in a file.
type Place struct {
	Version
	Layout string
	File   string
	spot   spot
}

// Path returns the path of the file as a pipeline file has it, in a stage with targets or without.
func (p Place) path(targets bool) string {
	if targets {
		return p.spot.pattern
	}
	return p.File
}

// Look recognises the layout of a repository. stages are the names of its environments, in their order; none: the
// well-known ones.
func Look(repository fs.FS, stages []string) (Found, error) {
	files, all, err := read(repository)
	if err != nil {
		return Found{}, err
	}
	jobs, err := jobsOf(repository)
	if err != nil {
		return Found{}, err
	}
	found := Found{names: names{stages}, jobs: jobs, texts: map[string][]byte{}}
	if !all {
		found.Left = append(found.Left, fmt.Sprintf("every file after the first %d that might say what runs where", maxFiles))
	}
	var places []Place
	for _, f := range files {
		if _, told := found.names.spot(f.Path, ""); told && f.broken != nil && !bytes.Contains(f.Text, []byte("{{")) {
			found.Left = append(found.Left, fmt.Sprintf("%s, which is not YAML: %s", f.Path, f.broken))
		}
		for _, p := range found.places(f) {
			if trouble := p.trouble(f.Text); trouble != "" {
				found.Left = append(found.Left, trouble)
				continue
			}
			places = append(places, p)
			found.texts[f.Path] = f.Text
		}
	}
	for _, name := range stages {
		if !slices.ContainsFunc(places, func(p Place) bool { return p.spot.environment == name }) {
			found.Left = append(found.Left, name+", for which no version is found")
		}
	}
	for name, its := range byApp(places) {
		app, left := found.app(name, its)
		found.Apps = append(found.Apps, app)
		found.Left = append(found.Left, left...)
	}
	slices.SortFunc(found.Apps, func(a, b App) int {
		return cmp.Or(len(b.Stages)-len(a.Stages), strings.Compare(a.Name, b.Name))
	})
	slices.Sort(found.Left)
	return found, nil
}

// places returns the versions in a file that is about an environment, as the first layout reads it that finds any.
func (f Found) places(file File) (all []Place) {
	for _, l := range layouts {
		versions := l.layout.Versions(file)
		for _, v := range versions {
			if at, ok := f.names.spot(file.Path, v.Object); ok {
				all = append(all, Place{Version: v, Layout: l.name, File: file.Path, spot: at})
			}
		}
		if len(versions) > 0 {
			return all
		}
	}
	return nil
}

// trouble says why a promotion could not change a value; "" if it can.
func (p Place) trouble(content []byte) string {
	switch {
	case p.Pinned:
		return p.File + ": " + p.Key + " is pinned by a digest, which outranks a tag: write a tag in its place to promote " +
			"it, or have CI report digests"
	case p.Kind != promotion.ChangeYAML:
		return ""
	}
	got, err := yamledit.Get(content, []string{p.Key})
	if err != nil {
		return p.File + ": " + p.Key + ": " + err.Error()
	}
	if got[p.Key] != p.Before+p.Text {
		return p.File + ": " + p.Key + " is not found again"
	}
	return ""
}

// byApp sorts places by their applications. Where one application has a name, places without a name are its own.
func byApp(places []Place) map[string][]Place {
	var known []string
	for _, p := range places {
		if p.App != "" && !slices.Contains(known, p.App) {
			known = append(known, p.App)
		}
	}
	otherwise := nameless
	if len(known) == 1 {
		otherwise = known[0]
	}
	all := map[string][]Place{}
	for _, p := range places {
		name := cmp.Or(p.App, otherwise)
		all[name] = append(all[name], p)
	}
	return all
}

// app makes an application of its places, and says which of them it leaves out.
func (f Found) app(name string, places []Place) (a App, left []string) {
	a = App{Name: name}
	stages := map[string][]Place{}
	var order []string
	for _, p := range places {
		a.Image = cmp.Or(a.Image, p.Image)
		if !slices.Contains(a.Layouts, p.Layout) {
			a.Layouts = append(a.Layouts, p.Layout)
		}
		if stages[p.spot.environment] == nil {
			order = append(order, p.spot.environment)
		}
		stages[p.spot.environment] = append(stages[p.spot.environment], p)
	}
	for _, environment := range f.names.inOrder(order) {
		s := Stage{Name: environment, Production: f.names.isProduction(environment)}
		var without []string
		s.Targets, s.Places, without = rollout(stages[environment])
		a.Stages = append(a.Stages, s)
		left = append(left, without...)
	}
	return a, left
}

// rollout returns the regions of an environment, if there are several, with the places that all of them have, and says
// which it leaves out.
func rollout(places []Place) (targets []string, kept []Place, left []string) {
	type change struct{ pattern, key, before string }
	regions, having := map[string]bool{}, map[change]map[string]bool{}
	for _, p := range places {
		if p.spot.target == "" {
			continue
		}
		regions[p.spot.target] = true
		c := change{p.spot.pattern, p.Key, p.Before}
		if having[c] == nil {
			having[c] = map[string]bool{}
		}
		having[c][p.spot.target] = true
	}
	if len(regions) < 2 {
		return nil, places, nil
	}
	for _, p := range places {
		if len(having[change{p.spot.pattern, p.Key, p.Before}]) != len(regions) {
			left = append(left, p.File+": "+p.Key+": not every region of "+p.spot.environment+" has it")
			continue
		}
		kept = append(kept, p)
		if !slices.Contains(targets, p.spot.target) {
			targets = append(targets, p.spot.target)
		}
	}
	if len(kept) == 0 {
		return nil, places, nil
	}
	slices.Sort(targets)
	return targets, kept, left
}
