package yamledit

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"waybill/internal/keypath"
)

// find returns the scalar at a path. A file of several documents is treated as a list: a path that begins with brackets
// selects some of them, as in `[kind=Deployment].spec.replicas`. The rest of the path must then lead to a value in
// exactly one document.
func find(documents []*yaml.Node, p keypath.Path) (*yaml.Node, error) {
	filled := withoutEmpty(documents)
	if len(filled) == 1 {
		return settable(filled[0], p, "the file")
	}
	candidates, p, err := choose(filled, p)
	if err != nil {
		return nil, err
	}
	var have []*yaml.Node
	for _, d := range candidates {
		if _, err := follow(d, p, "the document"); err == nil {
			have = append(have, d)
		}
	}
	switch {
	case len(have) == 1:
		return settable(have[0], p, "the document")
	case len(candidates) == 1:
		return settable(candidates[0], p, "the document")
	case len(have) == 0:
		return nil, fmt.Errorf("none of %d documents has it", len(candidates))
	}
	return nil, fmt.Errorf("%d documents have it, the first two at lines %d and %d; begin the path with what tells them "+
		"apart, such as [kind=Deployment] or [metadata.name=api]",
		len(have), have[0].Line, have[1].Line)
}

// withoutEmpty leaves out the empty documents. There may be any number of them between two ---.
func withoutEmpty(documents []*yaml.Node) []*yaml.Node {
	filled := slices.DeleteFunc(slices.Clone(documents),
		func(d *yaml.Node) bool { return d.Kind == yaml.ScalarNode && d.Value == "" && !quoted(d) })
	if len(filled) == 0 {
		return documents[:1]
	}
	return filled
}

// choose returns the documents that a path may select, and the path inside them.
func choose(documents []*yaml.Node, p keypath.Path) ([]*yaml.Node, keypath.Path, error) {
	first, rest := p[0], p[1:]
	switch first.Kind {
	case keypath.ByIndex:
		if first.Index >= len(documents) {
			return nil, nil, fmt.Errorf("the file has %d documents and no %s", len(documents), first)
		}
		return documents[first.Index : first.Index+1], rest, nil
	case keypath.ByMatch:
		matching := slices.DeleteFunc(slices.Clone(documents), func(d *yaml.Node) bool { return !matches(d, first) })
		if len(matching) == 0 {
			return nil, nil, fmt.Errorf("none of the file's %d documents is %s", len(documents), first)
		}
		return matching, rest, nil
	}
	return documents, p, nil
}

// settable follows a path to a scalar.
func settable(root *yaml.Node, p keypath.Path, whole string) (*yaml.Node, error) {
	node, err := follow(root, p, whole)
	if err == nil {
		err = passable(node, p, whole)
	}
	if err == nil && node.Kind != yaml.ScalarNode {
		err = fmt.Errorf("%s is %s, and only a single value can be set", describe(p, whole), kindOf(node))
	}
	return node, err
}

// follow follows a path from the root. The error names the part of the path that exists.
func follow(root *yaml.Node, p keypath.Path, whole string) (*yaml.Node, error) {
	node := root
	for i, s := range p {
		if err := passable(node, p[:i], whole); err != nil {
			return nil, err
		}
		next, reason := take(s, node)
		if reason != "" {
			return nil, fmt.Errorf("%s %s", describe(p[:i], whole), reason)
		}
		node = next
	}
	return node, nil
}

// describe names the part of a path that has been followed.
func describe(p keypath.Path, whole string) string {
	if len(p) == 0 {
		return whole
	}
	return p.String()
}

// passable refuses aliases: a change through an alias would change the anchored value wherever else it is used.
func passable(node *yaml.Node, so keypath.Path, whole string) error {
	if node.Kind == yaml.AliasNode {
		return fmt.Errorf("%s is the alias *%s, and setting it would change what stands at the anchor", describe(so, whole),
			node.Value)
	}
	return nil
}

// take takes a step from a node. The reason completes a sentence that begins with the path so far.
func take(s keypath.Step, node *yaml.Node) (*yaml.Node, string) {
	switch s.Kind {
	case keypath.ByIndex:
		return element(s, node)
	case keypath.ByMatch:
		return match(s, node)
	}
	return member(s, node)
}

func member(s keypath.Step, node *yaml.Node) (*yaml.Node, string) {
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Sprintf("is %s, which has no key %q", kindOf(node), s.Key)
	}
	values := lookUp(node, s.Key)
	switch {
	case len(values) == 1:
		return values[0], ""
	case len(values) > 1:
		return nil, fmt.Sprintf("has the key %q more than once", s.Key)
	case len(lookUp(node, "<<")) > 0:
		return nil, fmt.Sprintf("has no key %q of its own (what << brings in cannot be set)", s.Key)
	}
	return nil, fmt.Sprintf("has no key %q", s.Key)
}

func element(s keypath.Step, node *yaml.Node) (*yaml.Node, string) {
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Sprintf("is %s, which has no element %s", kindOf(node), s)
	}
	if s.Index >= len(node.Content) {
		return nil, fmt.Sprintf("has %d elements and no %s", len(node.Content), s)
	}
	return node.Content[s.Index], ""
}

func match(s keypath.Step, node *yaml.Node) (*yaml.Node, string) {
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Sprintf("is %s, which has no element %s", kindOf(node), s)
	}
	found := slices.DeleteFunc(slices.Clone(node.Content), func(e *yaml.Node) bool { return !matches(e, s) })
	switch len(found) {
	case 0:
		return nil, fmt.Sprintf("has no element %s", s)
	case 1:
		return found[0], ""
	}
	return nil, fmt.Sprintf("has %d elements %s, and only one can be meant", len(found), s)
}

// matches reports whether a node matches the step. If a key is repeated, each of its values counts.
func matches(node *yaml.Node, s keypath.Step) bool {
	nodes := []*yaml.Node{node}
	for _, key := range s.Where {
		var inside []*yaml.Node
		for _, n := range nodes {
			if n.Kind == yaml.MappingNode {
				inside = append(inside, lookUp(n, key)...)
			}
		}
		nodes = inside
	}
	return slices.ContainsFunc(nodes, func(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Value == s.Is })
}

// lookUp returns the values of a key in a mapping. There is more than one if the file repeats the key.
func lookUp(mapping *yaml.Node, key string) []*yaml.Node {
	var values []*yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if k := mapping.Content[i]; k.Kind == yaml.ScalarNode && k.Value == key {
			values = append(values, mapping.Content[i+1])
		}
	}
	return values
}

func kindOf(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if node.ShortTag() == "!!null" {
		return "empty"
	}
	return "a single value"
}
