package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"waybill/promotion"
)

// A warehouse or a stage whose name has the name of a list of `for-each` in it stands for one of each item of the list.
// Its text is repeated with the item in place of each ${LIST}, and the label of the item in place of each
// ${LIST.LABEL}, before anything else of it is read.

// item is one item of a list of for-each: its name, and its labels by their names.
type item struct {
	at     pos
	name   string
	labels map[string]string
}

var listNames = naming{
	what:    "a list",
	pattern: expressed(`^[a-z][a-z0-9-]{0,29}$`),
	rule:    "it takes small letters, digits and -, begins with a letter, and has at most 30 characters",
	most:    20,
}

var itemLabelNames = naming{
	what:    "a label",
	pattern: listNames.pattern,
	rule:    listNames.rule,
	most:    20,
}

// itemForm is an item: its name, or a mapping with `name` and labels.
var itemForm = either(
	convert(text("an item, or a mapping with its name and labels"), func(t found[string]) item {
		return item{at: t.at, name: t.value}
	}),
	form[item]{
		func() schema { return labelled.schema().with("required", []string{"name"}) },
		func(r *reader, n *yaml.Node) item {
			one := item{at: posOf(n), labels: map[string]string{}}
			for _, l := range labelled.read(r, n) {
				one.labels[l.name] = l.value
			}
			if one.name = one.labels["name"]; one.name == "" && n.Kind == yaml.MappingNode {
				r.errorf(posOf(n), "`name` is missing: what stands in place of the name of the list")
			}
			return one
		},
	})

var labelled = table(itemLabelNames, text("a label"))

var forEachForm = table(listNames, orInventory(some("items", maxStages, itemForm)))

// maxExpanded is how many bytes of texts the entries of all items make at most.
const maxExpanded = 4 << 20

// repeated is the expansion of the files of one pipeline.
type repeated struct {
	report *report
	lists  []entry[[]found[item]] // of the file that is expanded
	nodes  int                    // that may still be looked at in lists
	values int                    // that may still be made
	bytes  int                    // the same of texts
	over   bool
}

// expand returns the root of a pipeline file with the entries of all items in place of those that stand for them. What
// is wrong with the lists themselves, reading the file tells.
func (e *repeated) expand(root *yaml.Node) *yaml.Node {
	to := e.report
	listed := valueOf(root, "for-each")
	if listed == nil {
		return root
	}
	quiet := &report{file: to.file, others: to.others} // the file is read again, with what comes out
	e.lists = take(&reader{report: quiet, nodes: &e.nodes}, forEachForm, posOf(listed), listed).value
	for i := range e.lists {
		e.lists[i].value = usable(e.lists[i].value)
		to.nothing = to.nothing || len(e.lists[i].value) == 0
	}
	whole := *root
	whole.Content = slices.Clone(root.Content)
	for i := 0; i+1 < len(whole.Content); i += 2 {
		if name := whole.Content[i].Value; name == "warehouses" || name == "stages" {
			whole.Content[i+1] = e.entries(name, whole.Content[i+1])
		}
	}
	return &whole
}

// usable returns the items of a list that have no mistake.
func usable(items []found[item]) []found[item] {
	return slices.DeleteFunc(slices.Clone(items), func(one found[item]) bool { return !one.good() })
}

// valueOf returns the value of a key of a mapping; nil if there is none.
func valueOf(n *yaml.Node, name string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// entries repeats the entries of a table that stand for items.
func (e *repeated) entries(table string, n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return n
	}
	all := *n
	all.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		of := e.named(k.Value)
		if k.Kind != yaml.ScalarNode || len(of) == 0 {
			all.Content = append(all.Content, k, v)
			continue
		}
		e.each(of, nil, func(chosen []choice) {
			if e.spend(k, len(all.Content)/2 < maxStages, fmt.Sprintf("has more than %d entries", maxStages)); e.over {
				return
			}
			name := e.copy(k, chosen)
			e.report.note(newReader(e.report).key(table).key(name.Value).path, of, e.said(chosen))
			all.Content = append(all.Content, name, e.copy(v, chosen))
		})
	}
	return &all
}

// choice is an item that was chosen from a list.
type choice struct {
	list string
	item
}

// labelNames lists the labels of an item. It completes the error about a label that the item does not have.
func (c choice) labelNames() string {
	if len(c.labels) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(promotion.FirstOf(slices.Sorted(maps.Keys(c.labels))), ", ")
}

// said says which items were chosen, and where they are, for messages.
func (e *repeated) said(chosen []choice) string {
	all := make([]string, len(chosen))
	for i, c := range chosen {
		all[i] = fmt.Sprintf("%s %s, at %s", c.list, quote(c.name), e.report.where(c.at))
	}
	return strings.Join(all, "; ")
}

// each calls visit with each choice of one item from each list, in their order.
func (e *repeated) each(lists []entry[[]found[item]], chosen []choice, visit func([]choice)) {
	if len(lists) == 0 {
		visit(chosen)
		return
	}
	for _, one := range lists[0].value {
		if e.over {
			return
		}
		e.each(lists[1:], append(slices.Clip(chosen), choice{lists[0].name, one.value}), visit)
	}
}

// itemReference matches a reference to an item, or to one of its labels.
var itemReference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{([a-z][a-z0-9-]*)(?:\.([a-z][a-z0-9-]*))?\}`)
})

// named returns the lists that a text refers to, each once.
func (e *repeated) named(text string) (of []entry[[]found[item]]) {
	for _, ref := range itemReference().FindAllStringSubmatch(text, -1) {
		has := func(l entry[[]found[item]]) bool { return l.name == ref[1] }
		if i := slices.IndexFunc(e.lists, has); i >= 0 && !slices.ContainsFunc(of, has) {
			of = append(of, e.lists[i])
		}
	}
	return of
}

// copy copies a value with the chosen items in place of the references to them. Where an alias is, what it stands for
// is copied.
func (e *repeated) copy(n *yaml.Node, chosen []choice) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	c := *n
	c.Anchor, c.Content = "", nil
	if n.Kind == yaml.ScalarNode {
		c.Value = e.fill(n, chosen)
	}
	e.values--
	e.bytes -= len(c.Value)
	if e.spend(n, e.values >= 0 && e.bytes >= 0, "has too many values, or texts that are too long"); e.over {
		return &c
	}
	for _, inner := range n.Content {
		c.Content = append(c.Content, e.copy(inner, chosen))
	}
	return &c
}

// spend ends the expansion if there is not enough for what is made of a value.
func (e *repeated) spend(n *yaml.Node, enough bool, why string) {
	if !enough && !e.over {
		e.over = true
		e.report.add(posOf(n), false, "for-each: what is made of the items "+why+"; use fewer items, or shorter entries")
	}
}

// fill replaces the references to items in a text.
func (e *repeated) fill(n *yaml.Node, chosen []choice) string {
	if !strings.Contains(n.Value, "${") {
		return n.Value
	}
	return itemReference().ReplaceAllStringFunc(n.Value, func(written string) string {
		ref := itemReference().FindStringSubmatch(written)
		i := slices.IndexFunc(chosen, func(c choice) bool { return c.list == ref[1] })
		switch {
		case i < 0:
			return written
		case ref[2] == "":
			return chosen[i].name
		}
		label, has := chosen[i].labels[ref[2]]
		if !has {
			e.report.add(posOf(n), false, fmt.Sprintf("%s has no value here: the item (%s) has no label %s; %s", written,
				e.said(chosen[i:i+1]), quote(ref[2]), chosen[i].labelNames()))
		}
		return label
	})
}

// lists judges the names of the lists of for-each, and names those that nothing is made of.
func lists(file *pipelineFile, r *reader) {
	r = r.key("for-each")
	for _, l := range file.forEach.value {
		name := called(r.report.part(l.key), l.name)
		taken := func(w entry[warehouseFile]) bool { return w.name == name }
		switch {
		case l.name == "stage" || l.name == "target":
			r.key(l.name).errorf(l.key, "${%s} stands for something else; give the list another name", l.name)
		case slices.ContainsFunc(file.warehouses.value, taken):
			r.key(l.name).errorf(l.key, "a warehouse has this name, too; give one of them another")
		case !l.bad && !r.report.made(l.key):
			r.key(l.name).warnf(l.key, "no warehouse or stage has ${%s} in its name, so nothing is made of the list; "+
				"write it into a name, or remove the list", l.name)
		}
		var names []string
		for _, one := range l.value {
			if one.good() && slices.Contains(names, one.value.name) {
				r.key(l.name).errorf(one.at, "the item %s is there already; remove one of the two", quote(one.value.name))
			}
			names = append(names, one.value.name)
		}
	}
}

// Expand returns a pipeline file as it is read: with the entries of all items of `for-each` written out, and with the
// lists that its inventories have, by their paths, in their places.
func Expand(name string, data []byte, inventories map[string]string) ([]byte, Problems) {
	told := &report{file: name}
	root := parseDocument(data, told)
	if root == nil {
		return nil, told.sorted()
	}
	whole := newWhole(newReaderOf(told, maxNodesInForce), maxNodesInForce, inventories).written(root)
	if told.errors > 0 {
		return nil, told.sorted()
	}
	for i := 0; i+1 < len(whole.Content); i += 2 {
		if whole.Content[i].Value == "for-each" {
			whole.Content = slices.Delete(slices.Clone(whole.Content), i, i+2)
			break
		}
	}
	text, err := yaml.Marshal(whole)
	if err != nil {
		told.add(top, false, err.Error())
		return nil, told.sorted()
	}
	return text, told.sorted()
}
