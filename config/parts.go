package config

import (
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A repository may have several pipeline files: PipelinePath, and each file in PartsPath, which is a part. Together
// they make one pipeline, in the order of their paths. The stage prod of the part cart.yml is cart-prod everywhere
// else, and its warehouse app is cart-app. Inside the part, prod means cart-prod if there is one, and otherwise the
// stage prod of the pipeline. So a file works the same when it becomes a part.

// PartsPath is the folder of the parts in the home repository.
const PartsPath = ".github/waybill"

// PartsAlone is the pipeline file that parts join where there is none.
const PartsAlone = "version: 1\n"

// maxParts is how many parts a pipeline may have.
const maxParts = 500

// PartOf returns the name of the part that a file of the home repository is; "" if it is none.
func PartOf(file string) string {
	folder, base := path.Split(file)
	if folder != PartsPath+"/" {
		return ""
	}
	for _, ending := range []string{".yml", ".yaml"} {
		if name, is := strings.CutSuffix(base, ending); is {
			return name
		}
	}
	return ""
}

// The paths that people take for those of the pipeline and policy file.
const (
	misnamedPipeline = ".github/waybill.yaml"
	misnamedPolicy   = ".github/waybill.policy.yaml"
)

// Misnamed has these paths, with those that are meant. Such a file is refused: a policy that nobody reads would protect
// nothing.
var Misnamed = map[string]string{misnamedPipeline: PipelinePath, misnamedPolicy: PolicyPath}

// HomePaths tell the home of a pipeline from other repositories: it holds one of them, perhaps by a wrong name.
var HomePaths = []string{PipelinePath, PartsPath, misnamedPipeline}

// NotRead says that a misnamed file is not read, and what to do.
func NotRead(file string) string { return file + notRead(file) }

func notRead(file string) string {
	return " is not read, because its name ends in .yaml: rename it to " + Misnamed[file]
}

// Overlooked reports whether people may take a file for a part, the pipeline file or the policy file, although it is
// none. Folders end with a slash.
func Overlooked(file string) bool {
	if Misnamed[file] != "" {
		return true
	}
	folder, base := path.Split(strings.ToLower(strings.TrimSuffix(file, "/")))
	looks := strings.HasSuffix(file, "/") || strings.Contains(base, ".yml") || strings.Contains(base, ".yaml")
	return folder == PartsPath+"/" && looks && PartOf(file) == ""
}

// maxOverlooked is how many such files are told of.
const maxOverlooked = 20

// overlooked tells of what nobody reads: of parts it only warns.
func overlooked(files []string) (all Problems) {
	for _, file := range files[:min(len(files), maxOverlooked)] {
		if Misnamed[file] != "" {
			all = append(all, Problem{File: file, Line: 1, Col: 1, Message: "this file" + notRead(file)})
			continue
		}
		message := "this file is not read: the name of a pipeline file ends in .yml or .yaml, in small letters, and " +
			"something stands before that; rename it, or keep it elsewhere"
		if strings.HasSuffix(file, "/") {
			message = "nothing in this folder is read: pipeline files lie in " + PartsPath + " itself; move them there"
		}
		all = append(all, Problem{File: visible(file), Line: 1, Col: 1, Warning: true, Message: message})
	}
	return all
}

// called returns the full name of a stage or warehouse of a part. Without a part it is the name itself.
func called(part, name string) string {
	if part == "" {
		return name
	}
	return part + "-" + name
}

// own returns the name that a part gives to the stage or warehouse of a full name.
func own(part, name string) string {
	if part == "" {
		return name
	}
	return strings.TrimPrefix(name, called(part, ""))
}

// part returns the part that a place is in; "" if that is another file.
func (r *report) part(at pos) string {
	file, _ := r.place(at)
	return PartOf(file)
}

// whole is the reading of all files of a pipeline.
type whole struct {
	reader      *reader // counts the values of all files
	report      *report
	inventories *inventories
	repeated    *repeated
	lists       []entry[[]found[item]] // of for-each in the parts
}

func newWhole(r *reader, values int, texts map[string]string) *whole {
	to := r.report
	return &whole{
		reader:      r,
		report:      to,
		inventories: &inventories{texts: texts, read: map[string]*inventory{}, report: to},
		repeated:    &repeated{report: to, nodes: min(maxNodes, r.most), values: values, bytes: maxExpanded},
	}
}

// readPipeline reads the files of a pipeline as far as the budget of a meter goes.
func readPipeline(m *Meter, name string, data []byte, from Found) (pipelineFile, *reader) {
	r := m.reader(&report{file: name})
	w := newWhole(r, m.items(), from.Inventories)
	defer func() {
		m.count(r)
		m.full = m.full || w.repeated.over
	}()
	alone := len(from.Parts) > 0 && (len(data) == 0 || string(data) == PartsAlone)
	if alone {
		data = []byte(PartsAlone)
	}
	root := parseDocument(data, r.report)
	if root == nil {
		return pipelineFile{}, r
	}
	if alone {
		root = shifted(root, linesOfFile) // what the whole lacks is told of the first part: there may be no other file
	}
	root = w.written(w.spelt(root, pipelineObject.names()))
	for i, path := range slices.Sorted(maps.Keys(from.Parts)) {
		if i == maxParts {
			r.errorf(top, "there are %d files in %s; at most %d are read", len(from.Parts), PartsPath, maxParts)
			break
		}
		root = w.with(root, path, from.Parts[path])
	}
	file := take(r, pipelineForm, posOf(root), root).value
	file.forEach.value = append(file.forEach.value, w.lists...)
	if len(from.Parts) > 0 {
		qualify(&file, r.report)
	}
	return file, r
}

// tables are the keys of a file that are read before the others.
var tables = []string{"warehouses", "stages", "for-each"}

// spelt returns the root of a file with the keys of its tables as they were meant, and reports those that are misspelt.
// known are the keys that the file may have.
func (w *whole) spelt(root *yaml.Node, known []string) *yaml.Node {
	if root.Kind != yaml.MappingNode {
		return root
	}
	all := *root
	all.Content = slices.Clone(root.Content)
	for i := 0; i+1 < len(all.Content); i += 2 {
		k := all.Content[i]
		meant := Nearest(k.Value, known)
		if slices.Contains(known, k.Value) || !slices.Contains(tables, meant) || valueOf(&all, meant) != nil {
			continue
		}
		w.reader.unknownKey(pair{name: k.Value, at: posOf(k)}, known)
		right := *k
		right.Value = meant
		all.Content[i] = &right
	}
	return &all
}

// written returns the root of a file with everything written out that stands for more: the lists of inventories, and
// the entries of all items.
func (w *whole) written(root *yaml.Node) *yaml.Node {
	return w.inventories.targets(w.repeated.expand(w.inventories.lists(root)))
}

// with returns the root of a pipeline with the warehouses and stages of a part.
func (w *whole) with(root *yaml.Node, path, text string) *yaml.Node {
	n := w.parsed(path, text)
	if n == nil {
		return root
	}
	r := w.reader
	if name := PartOf(path); !stageNames.pattern.MatchString(name) {
		r.errorf(posOf(n), "the names of the stages in this file begin with its own, and the name of a stage cannot begin "+
			"with %s: %s; rename the file%s", quote(name), stageNames.rule, renamed(name))
		return root
	}
	if n.Kind != yaml.MappingNode {
		r.wrong(n, "a pipeline file: a mapping with keys such as version")
		return root
	}
	own := *n
	own.Content = nil
	versioned := false
	for _, p := range r.pairs(w.spelt(n, append([]string{"version"}, tables...))) {
		switch p.name {
		case "version":
			take(r.key(p.name), version, p.at, p.value)
			versioned = true
		case "warehouses", "stages":
			own.Content = append(own.Content, p.key(), calledBy(PartOf(path), p.value))
		case "for-each":
			own.Content = append(own.Content, p.key(), p.value)
		default:
			r.errorf(p.at, "%s does not belong here: a file in %s has `version`, `warehouses`, `stages` and `for-each`; what "+
				"is said once for the whole pipeline stands in %s", quote(p.name), PartsPath, PipelinePath)
		}
	}
	if !versioned {
		r.errorf(posOf(n), "`version` is missing: %s", formatVersion)
	}
	out := w.written(&own)
	for _, p := range r.pairs(out) {
		if p.name == "for-each" {
			w.lists = append(w.lists, take(r.key(p.name), forEachForm, p.at, p.value).value...)
			continue
		}
		root = w.joined(root, p)
	}
	return root
}

// renamed proposes a name for a part; "" if there is none.
func renamed(name string) string {
	better := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !wordLike.MatchString(string(r)) }), "-")
	if !stageNames.pattern.MatchString(better) {
		return ""
	}
	return ", to " + better + ".yml for example"
}

// parsed returns the root of a part, with its lines counted on behind those of the files before it.
func (w *whole) parsed(path, text string) *yaml.Node {
	w.report.others = append(w.report.others, path)
	told := &report{file: path}
	root := parseDocument([]byte(text), told)
	if root == nil {
		w.report.problems, w.report.errors = append(w.report.problems, told.problems...), w.report.errors+told.errors
		return nil
	}
	return shifted(root, len(w.report.others)*linesOfFile)
}

// joined returns the root of a pipeline with more entries in one of its tables.
func (w *whole) joined(root *yaml.Node, more pair) *yaml.Node {
	if more.value.Kind != yaml.MappingNode {
		w.reader.key(more.name).wrong(more.value, "a mapping")
		return root
	}
	all := *root
	all.Content = slices.Clone(root.Content)
	for i := 0; all.Kind == yaml.MappingNode && i+1 < len(all.Content); i += 2 {
		table := all.Content[i+1]
		if all.Content[i].Value != more.name || table.Kind != yaml.MappingNode {
			continue
		}
		both := *table
		both.Content = slices.Concat(table.Content, more.value.Content)
		all.Content[i+1] = &both
		return &all
	}
	all.Content = append(all.Content, more.key(), more.value)
	return &all
}

// key returns the key as a value.
func (p pair) key() *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: p.name, Line: p.at.line, Column: p.at.col}
}

// calledBy returns a table of a part with the full names of its entries.
func calledBy(part string, table *yaml.Node) *yaml.Node {
	if table.Kind == yaml.AliasNode {
		table = table.Alias
	}
	if table.Kind != yaml.MappingNode {
		return table
	}
	all := *table
	all.Anchor, all.Content = "", slices.Clone(table.Content)
	for i := 0; i+1 < len(all.Content); i += 2 {
		name := *all.Content[i]
		name.Value = called(part, name.Value)
		all.Content[i] = &name
	}
	return &all
}

// names are those of all warehouses, or of all stages, of a pipeline with parts.
type names struct {
	report *report
	at     map[string]int // where a name stands among them
	all    []string
	keys   []pos // of all
}

// namesIn returns the names of entries.
func namesIn[V any](entries []entry[V], to *report) names {
	n := names{report: to, at: make(map[string]int, len(entries))}
	for i, e := range entries {
		n.at[e.name], n.all, n.keys = i, append(n.all, e.name), append(n.keys, e.key)
	}
	return n
}

// meant returns the full name that a name means at a place.
func (n names) meant(at pos, name string) string {
	own := called(n.report.part(at), name)
	if _, among := n.at[own]; among {
		return own
	}
	return name
}

// like returns the end of a message about an unknown name at a place, where names are written as they can be there.
func (n names) like(r *reader, at pos, name string) string {
	part, written := n.report.part(at), slices.Clone(n.all)
	for i := range written {
		if part == n.report.part(n.keys[i]) {
			written[i] = own(part, written[i])
		}
	}
	return r.didYouMean(name, written)
}

// qualify puts full names in place of all names of warehouses and stages that a file refers to.
func qualify(f *pipelineFile, to *report) {
	warehouses, stages := namesIn(f.warehouses.value, to), namesIn(f.stages.value, to)
	for i := range f.stages.value {
		s := &f.stages.value[i].value
		qualifyGate(&s.after.value, stages)
		for j := range s.from.value {
			e := &s.from.value[j]
			e.name = warehouses.meant(e.key, e.name)
			qualifyGate(&e.value.after.value, stages)
		}
		for j := range s.copy.value {
			c := &s.copy.value[j].value
			c.warehouse.value = warehouses.meant(c.warehouse.at, c.warehouse.value)
			c.stage.value = stages.meant(c.stage.at, c.stage.value)
		}
	}
}

func qualifyGate(g *gateFile, stages names) {
	for _, list := range []found[[]found[string]]{g.any, g.all, g.majority, g.of} {
		for i := range list.value {
			list.value[i].value = stages.meant(list.value[i].at, list.value[i].value)
		}
	}
}
