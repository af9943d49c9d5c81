package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A list of for-each, and the targets of a stage, may stand in another file of the repository: an inventory, which is a
// list of items. An item is a name, or a mapping with a name and labels. As a target its label `path` is its path. An
// inventory may also have the labels of targets that a glob finds.

// Found is what files of the repository say that a pipeline is made of besides its own files, all of one commit.
type Found struct {
	// Globs are the paths that each glob of the pipeline file matches (Globs, Find), by its text.
	Globs map[string][]string `json:"globs,omitempty"`
	// Parts are the contents of the parts, by their paths, and PartsTree is Git's name for their folder; "": there is
	// none.
	Parts     map[string]string `json:"parts,omitempty"`
	PartsTree string            `json:"partsTree,omitempty"`
	// Overlooked are the files beside the parts that people may take for some (Overlooked).
	Overlooked []string `json:"overlooked,omitempty"`
	// Inventories are the contents of the inventories that the pipeline file names (Inventories), by their paths. One
	// that does not exist is not among them.
	Inventories map[string]string `json:"inventories,omitempty"`
}

// maxInventories is how many inventories a pipeline file may name. Together they are no larger than one file may be.
const maxInventories = 10

// inventoryFile names an inventory.
type inventoryFile struct{ from found[string] }

var inventoryForm = object[inventoryFile]{
	what: "the place of a list",
	fields: []field[inventoryFile]{
		key("from", inventoryPath, func(i *inventoryFile) *found[string] { return &i.from },
			"The path of a YAML or JSON file of this repository that is a list of items: names, or mappings with a `name` and "+
				"labels.").needed(),
	},
}.form()

var inventoryPath = form[string]{
	text("a path").schema,
	func(r *reader, n *yaml.Node) string {
		name := text("a path").read(r, n)
		switch wrong := misspelt(name); {
		case name == "":
		case wrong != "":
			r.errorf(posOf(n), "%s", wrong)
		case path.Clean(name) != name:
			r.errorf(posOf(n), "write it without empty folders and dots: %s", path.Clean(name))
		case strings.Contains(name, "${"):
			r.errorf(posOf(n), "nothing is replaced in it; write the path as it is")
		}
		return name
	},
}

// orInventory is a list in its place, or one that an inventory has in place of it by the time that the file is read. If
// it has none, that has been told where the inventory is named.
func orInventory[V any](long form[V]) form[V] {
	described := func() schema { return schema{"anyOf": []schema{long.schema(), inventoryForm.schema()}} }
	return form[V]{described, func(r *reader, n *yaml.Node) (none V) {
		if n.Kind != yaml.MappingNode {
			return once(r, n, &long)
		}
		if take(r, inventoryForm, posOf(n), n).good() {
			r.report.errors++
		}
		return none
	}}
}

// once reads a list where it stands first: an inventory, or what aliases stand for, may stand in hundreds of stages.
// Where it stands again its mistakes count, and are not told again. The same list may be one of items in one place and
// one of targets in another.
func once[V any](r *reader, n *yaml.Node, long *form[V]) V {
	this := reading{n, long}
	if of, is := r.report.known[this]; is {
		r.report.errors += of.errors
		return of.value.(V)
	}
	before := r.report.errors
	value := long.read(r, n)
	if r.report.known == nil {
		r.report.known = map[reading]known{}
	}
	r.report.known[this] = known{value, r.report.errors - before}
	return value
}

// reading is a list together with the form that it is read by.
type reading struct {
	list *yaml.Node
	by   any // a pointer to the form
}

// known is a list that has been read, and how many mistakes it has.
type known struct {
	value  any
	errors int
}

// inventories are those that a pipeline file names.
type inventories struct {
	texts  map[string]string
	read   map[string]*inventory // by their paths
	bytes  int                   // of those that have been read
	report *report
}

// inventory is a list that has been read.
type inventory struct {
	items    *yaml.Node
	wrong    string     // why it is of no use; then it has no items
	targets  *yaml.Node // the items as targets; nil: nobody has asked for them
	labelled *yaml.Node // the items as labels of targets; nil: nobody has asked for them
}

// of returns the list that an inventory has in place of the value that names it, and notes for messages where it is
// named. Any other value it returns as it is.
func (in *inventories) of(r *reader, n *yaml.Node, as func(*inventory) *yaml.Node) *yaml.Node {
	name := inventoryNamed(n)
	if !name.good() {
		return n
	}
	list := in.named(name.value)
	if list.wrong != "" {
		r.key("from").errorf(name.at, "%s", list.wrong)
		return n
	}
	in.report.mention(r.path, fmt.Sprintf("from %s, named at %s", name.value, in.report.where(posOf(n))))
	return as(list)
}

// inventoryNamed returns the path of the inventory that a value names, if it names one.
func inventoryNamed(n *yaml.Node) (none found[string]) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return none
	}
	return inventoryForm.read(newReader(&report{}), n).from
}

// named returns an inventory, which is read once.
func (in *inventories) named(name string) *inventory {
	one, known := in.read[name]
	if !known {
		one = &inventory{}
		in.read[name] = one
		one.items, one.wrong = in.parse(name)
	}
	return one
}

// parse returns the items of an inventory, or why it is of no use.
func (in *inventories) parse(name string) (items *yaml.Node, wrong string) {
	content, exists := in.texts[name]
	in.bytes += len(content)
	switch {
	case len(in.read) > maxInventories:
		return nil, fmt.Sprintf("%d other inventories are named before; use fewer", maxInventories)
	case !exists:
		return nil, fmt.Sprintf("there is no file %s in the repository", quote(name))
	case in.bytes > maxInventoryBytes:
		return nil, fmt.Sprintf("the inventories have more than %d bytes together; use smaller ones", maxInventoryBytes)
	}
	told := &report{file: name}
	root := parseDocument([]byte(content), told)
	switch {
	case root == nil && told.problems[0].Message == EmptyFile:
		return nil, name + " is empty; it must be a list of items"
	case root == nil:
		return nil, told.problems[0].String()
	case root.Kind != yaml.SequenceNode:
		return nil, fmt.Sprintf("%s must be a list of items, not %s", name, describe(root))
	}
	in.report.others = append(in.report.others, name)
	return shifted(root, len(in.report.others)*linesOfFile), ""
}

// linesOfFile is more than a file has lines. Those of the inventories are counted on behind those of the pipeline file,
// so that each place is that of one line of one file.
const linesOfFile = 2 * maxInventoryBytes

// shifted moves a value down by some lines.
func shifted(n *yaml.Node, lines int) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n.Line += lines
		return n
	}
	n.Line += lines
	for _, inner := range n.Content {
		shifted(inner, lines)
	}
	return n
}

// lists returns the root of a pipeline file with the lists of for-each that inventories have.
func (in *inventories) lists(root *yaml.Node) *yaml.Node {
	r := newReader(in.report).key("for-each")
	return eachList(root, func(name string, list *yaml.Node) *yaml.Node {
		return in.of(r.key(name), list, func(i *inventory) *yaml.Node { return i.items })
	})
}

// targets returns the root of a pipeline file with the targets of stages, and their labels, that inventories have.
func (in *inventories) targets(root *yaml.Node) *yaml.Node {
	r := newReader(in.report).key("stages")
	return eachTargets(root, func(stage string, named *yaml.Node) *yaml.Node {
		at := r.key(stage).key("targets")
		return within(in.of(at, named, (*inventory).asTargets), "labels", func(labels *yaml.Node) *yaml.Node {
			return in.of(at.key("labels"), labels, (*inventory).asLabels)
		})
	})
}

// eachList returns the root of a pipeline file with other lists of for-each.
func eachList(root *yaml.Node, other func(name string, list *yaml.Node) *yaml.Node) *yaml.Node {
	return within(root, "for-each", func(lists *yaml.Node) *yaml.Node {
		return eachValue(lists, listNames.most, other)
	})
}

// eachTargets returns the root of a pipeline file with other targets of stages.
func eachTargets(root *yaml.Node, other func(stage string, targets *yaml.Node) *yaml.Node) *yaml.Node {
	return within(root, "stages", func(stages *yaml.Node) *yaml.Node {
		return eachValue(stages, maxStages, func(name string, stage *yaml.Node) *yaml.Node {
			return within(stage, "targets", func(named *yaml.Node) *yaml.Node { return other(name, named) })
		})
	})
}

// within returns a mapping with another value of one of its keys, if it has that.
func within(m *yaml.Node, key string, other func(*yaml.Node) *yaml.Node) *yaml.Node {
	return eachValue(m, maxNames, func(name string, value *yaml.Node) *yaml.Node {
		if name != key {
			return value
		}
		return other(value)
	})
}

// eachValue returns a mapping with other values of its first keys, so many at most: a file with more is refused, and a
// small one may have an alias of a large mapping in many places. What is no mapping stays as it is.
func eachValue(m *yaml.Node, most int, other func(name string, value *yaml.Node) *yaml.Node) *yaml.Node {
	whole := m
	if m.Kind == yaml.AliasNode {
		whole = m.Alias
	}
	if whole == nil || whole.Kind != yaml.MappingNode {
		return m
	}
	var filled *yaml.Node
	for i := 0; i+1 < min(len(whole.Content), 2*most); i += 2 {
		value := other(whole.Content[i].Value, whole.Content[i+1])
		if value == whole.Content[i+1] {
			continue
		}
		if filled == nil {
			one := *whole
			one.Anchor, one.Content = "", slices.Clone(whole.Content)
			filled = &one
		}
		filled.Content[i+1] = value
	}
	if filled == nil {
		return m
	}
	return filled
}

// asTargets returns the items of an inventory as targets: what is neither a name nor a path is a label.
func (i *inventory) asTargets() *yaml.Node { return i.as(&i.targets, "name", "path") }

// asLabels returns the items of an inventory as the labels of targets that are found: what is no name is a label.
func (i *inventory) asLabels() *yaml.Node { return i.as(&i.labelled, "name") }

// as returns the items with some keys, and with the others as labels. It makes them once.
func (i *inventory) as(into **yaml.Node, keys ...string) *yaml.Node {
	if *into == nil {
		all := *i.items
		all.Anchor, all.Content = "", nil
		for _, n := range i.items.Content {
			all.Content = append(all.Content, itemAs(n, keys))
		}
		*into = &all
	}
	return *into
}

// itemAs returns an item with some keys, and with the others as labels.
func itemAs(n *yaml.Node, keys []string) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return n
	}
	target, labels := *n, yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	target.Anchor, target.Content = "", nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		into := &labels
		if slices.Contains(keys, n.Content[i].Value) {
			into = &target
		}
		into.Content = append(into.Content, n.Content[i], n.Content[i+1])
	}
	if len(labels.Content) > 0 {
		target.Content = append(target.Content,
			&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "labels", Line: labels.Line, Column: labels.Column}, &labels)
	}
	return &target
}

// Inventories returns the paths of the inventories that a pipeline file and its parts name, each once. They must be
// known before the file is loaded (Found).
func Inventories(pipeline []byte, parts map[string]string) (paths []string) {
	note := func(_ string, n *yaml.Node) *yaml.Node {
		name := inventoryNamed(n)
		if name.good() && !slices.Contains(paths, name.value) && len(paths) < maxInventories {
			paths = append(paths, name.value)
		}
		return n
	}
	texts := []string{string(pipeline)}
	for _, path := range slices.Sorted(maps.Keys(parts)) {
		texts = append(texts, parts[path])
	}
	for _, text := range texts {
		if root := parseDocument([]byte(text), &report{}); root != nil {
			eachList(root, note)
			eachTargets(root, func(_ string, named *yaml.Node) *yaml.Node {
				return within(note("", named), "labels", func(labels *yaml.Node) *yaml.Node { return note("", labels) })
			})
		}
	}
	return paths
}
