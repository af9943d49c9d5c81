package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// finding finds the targets of stages by globs.
type finding struct {
	globs     map[string][]string // the paths, by the text of the glob
	alone     bool                // the repository is not there to be looked at
	allowance *allowance
}

// targets returns the targets of a stage whose names can be used, as they are listed or as its glob has found them.
func (in finding) targets(s *compiled) []found[targetFile] {
	f := s.file.value.targets
	switch {
	case f.value.glob.Text == "":
		return distinctly(s, f.value.listed)
	case !in.seen(s):
		s.reader.warnf(f.at, "which targets %s finds is not known without the repository: neither they nor "+
			"the batches are checked", quote(f.value.glob.Text))
		return []found[targetFile]{f.value.specimen(f.at)}
	}
	return in.labelled(s, in.discovered(s))
}

// specimen is a target that the glob would find. It has each label that any has.
func (t targetsFile) specimen(place pos) found[targetFile] {
	one := at(place, "x", t.glob.specimen())
	has := map[string]bool{} // there may be as many labels as the file has bytes
	for _, labels := range t.labels.value {
		for _, l := range labels.value.labels.value {
			if !has[l.name] {
				has[l.name] = true
				one.value.labels.value = append(one.value.labels.value, l)
			}
		}
	}
	return one
}

// labelled gives targets that were found the labels that the file has for their names.
func (in finding) labelled(s *compiled, targets []found[targetFile]) []found[targetFile] {
	f, r := s.file.value.targets.value, s.reader.key("targets").key("labels")
	if !f.labels.good() || !in.allowance.pay(r, f.labels.at, Budget{Values: len(f.labels.value)}) {
		return targets
	}
	of := make(map[string]found[[]entry[string]], len(f.labels.value))
	for i, t := range f.labels.value {
		name := t.value.name.value
		if _, taken := of[name]; taken {
			r.element(i).errorf(t.at, "the labels of %s are there already; remove one of the two", quote(name))
		}
		of[name] = t.value.labels
	}
	for i := range targets {
		name := targets[i].value.name.value
		targets[i].value.labels = of[name]
		delete(of, name)
	}
	if lost := slices.Sorted(maps.Keys(of)); len(lost) > 0 && len(targets) > 0 {
		more := ""
		if n := len(lost) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		r.warnf(f.labels.at, "%s finds no target %s%s, whose labels are given; "+
			"correct the name, or remove it", quote(f.glob.Text), quote(lost[0]), more)
	}
	return targets
}

// seen reports whether it is known which targets a stage has.
func (in finding) seen(s *compiled) bool {
	return !in.alone || s.file.value.targets.value.glob.Text == ""
}

// at is a target that is found at a path.
func at(place pos, name, path string) found[targetFile] {
	return found[targetFile]{key: place, at: place, value: targetFile{
		name: found[string]{key: place, at: place, value: name}, path: found[string]{key: place, at: place, value: path},
	}}
}

// distinctly returns the targets that a file lists, each name once.
func distinctly(s *compiled, all []found[targetFile]) (targets []found[targetFile]) {
	taken := make(map[string]bool, len(all))
	for i, t := range all {
		if !t.good() {
			continue
		}
		name := t.value.name.value
		if lower := strings.ToLower(name); taken[lower] {
			s.reader.key("targets").element(i).errorf(t.at, "the target %s is there already; give this one another name",
				quote(name))
		} else {
			taken[lower] = true
			targets = append(targets, t)
		}
	}
	return targets
}

var targetNames = expressed(targetNamePattern)

// discovered returns the targets that the glob of a stage finds, in the order of their paths.
func (in finding) discovered(s *compiled) []found[targetFile] {
	f, r := s.file.value.targets, s.reader.key("targets")
	if !f.good() {
		return nil
	}
	glob := f.value.glob
	paths, looked := in.globs[glob.Text]
	switch {
	case !looked:
		r.errorf(f.at, "what %s finds is not known here; list the targets, or validate in the repository", quote(glob.Text))
		return nil
	case len(paths) == 0:
		r.errorf(f.at, "%s finds nothing in the repository; there must be a %s for each target", quote(glob.Text),
			glob.kind())
		return nil
	case len(paths) > maxFound:
		r.errorf(f.at, "%s finds %d targets, and a stage has at most %d; "+
			"let the glob find fewer", quote(glob.Text), len(paths), maxFound)
		return nil
	}
	if !in.allowance.pay(s.reader, f.at, Budget{Values: 2 * len(paths), Steps: 5 * len(paths)}) {
		return nil
	}
	var targets []found[targetFile]
	first := make(map[string]string, len(paths))
	for _, path := range slices.Sorted(slices.Values(paths)) {
		name := glob.name(path)
		other, taken := first[strings.ToLower(name)]
		switch {
		case !targetNames.MatchString(name):
			r.errorf(f.at, "%s finds %s, but %s cannot be the name of a target: it takes %s", quote(glob.Text), quote(path),
				quote(name), targetNameRule)
		case taken:
			r.errorf(f.at, "%s finds %s and %s, and both targets would be called %s; give one another name, or list the targets",
				quote(glob.Text), quote(other), quote(path), name)
		default:
			first[strings.ToLower(name)] = path
			targets = append(targets, at(f.at, name, path))
		}
	}
	return targets
}

// kind names the things that a glob finds.
func (g Glob) kind() string {
	if g.Folders {
		return "folder"
	}
	return "file"
}
