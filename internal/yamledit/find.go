package yamledit

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// find follows the path from the root to a scalar. The error names the part of the path that exists.
func (p Path) find(root *yaml.Node) (*yaml.Node, error) {
	node := root
	for i, s := range p {
		if err := passable(node, p[:i]); err != nil {
			return nil, err
		}
		next, reason := s.from(node)
		if reason != "" {
			return nil, fmt.Errorf("%s %s", p[:i].describe(), reason)
		}
		node = next
	}
	if err := passable(node, p); err != nil {
		return nil, err
	}
	if node.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("%s is %s, and only a single value can be set", p.describe(), kindOf(node))
	}
	return node, nil
}

// describe names the part of a path that has been followed.
func (p Path) describe() string {
	if len(p) == 0 {
		return "the file"
	}
	return p.String()
}

// passable refuses aliases: a change behind one would change the anchored value, wherever else that is used.
func passable(node *yaml.Node, so Path) error {
	if node.Kind == yaml.AliasNode {
		return fmt.Errorf("%s is the alias *%s, and setting it would change what stands at the anchor", so.describe(), node.Value)
	}
	return nil
}

// from takes the step from a node. The reason completes a sentence that begins with the path so far.
func (s step) from(node *yaml.Node) (*yaml.Node, string) {
	switch s.kind {
	case byIndex:
		return s.element(node)
	case byMatch:
		return s.match(node)
	}
	return s.member(node)
}

func (s step) member(node *yaml.Node) (*yaml.Node, string) {
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Sprintf("is %s, which has no key %q", kindOf(node), s.key)
	}
	values := lookUp(node, s.key)
	switch {
	case len(values) == 1:
		return values[0], ""
	case len(values) > 1:
		return nil, fmt.Sprintf("has the key %q more than once", s.key)
	case len(lookUp(node, "<<")) > 0:
		return nil, fmt.Sprintf("has no key %q of its own (what << brings in cannot be set)", s.key)
	}
	return nil, fmt.Sprintf("has no key %q", s.key)
}

func (s step) element(node *yaml.Node) (*yaml.Node, string) {
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Sprintf("is %s, which has no element %s", kindOf(node), s)
	}
	if s.index >= len(node.Content) {
		return nil, fmt.Sprintf("has %d elements and no %s", len(node.Content), s)
	}
	return node.Content[s.index], ""
}

func (s step) match(node *yaml.Node) (*yaml.Node, string) {
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Sprintf("is %s, which has no element %s", kindOf(node), s)
	}
	var found []*yaml.Node
	for _, element := range node.Content {
		if element.Kind != yaml.MappingNode {
			continue
		}
		for _, v := range lookUp(element, s.key) {
			if v.Kind == yaml.ScalarNode && v.Value == s.value {
				found = append(found, element)
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Sprintf("has no element %s", s)
	case 1:
		return found[0], ""
	}
	return nil, fmt.Sprintf("has %d elements %s, and only one can be meant", len(found), s)
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
