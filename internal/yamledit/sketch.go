package yamledit

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// Sketch returns the smallest YAML file in which there is a value at each path: what Set needs to find before it can set
// anything. Paths that contradict each other are an error.
func Sketch(paths []string, value string) ([]byte, error) {
	root := &yaml.Node{}
	for _, text := range paths {
		path, err := ParsePath(text)
		if err != nil {
			return nil, fmt.Errorf("sketch %s: %w", text, err)
		}
		node := root
		for _, s := range path {
			if node = s.grow(node); node == nil {
				return nil, fmt.Errorf("sketch %s: another path makes %s something else", text, s)
			}
		}
		if node.Kind != 0 && node.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("sketch %s: another path goes through it", text)
		}
		node.SetString(value)
	}
	return yaml.Marshal(root)
}

// grow takes the step from a node and makes what is not there; nil when the node is of another kind.
func (s step) grow(node *yaml.Node) *yaml.Node {
	kind := yaml.SequenceNode
	if s.kind == byKey {
		kind = yaml.MappingNode
	}
	if node.Kind == 0 {
		node.Kind = kind
	}
	if node.Kind != kind {
		return nil
	}
	switch s.kind {
	case byIndex:
		for len(node.Content) <= s.index {
			node.Content = append(node.Content, &yaml.Node{})
		}
		return node.Content[s.index]
	case byMatch:
		return s.growMatch(node)
	}
	return growMember(node, s.key)
}

// growMatch returns the element of a sequence that the step means.
func (s step) growMatch(sequence *yaml.Node) *yaml.Node {
	for _, element := range sequence.Content {
		if element.Kind == yaml.MappingNode && growMember(element, s.key).Value == s.value {
			return element
		}
	}
	element := &yaml.Node{Kind: yaml.MappingNode}
	growMember(element, s.key).SetString(s.value)
	sequence.Content = append(sequence.Content, element)
	return element
}

// growMember returns the value of a key.
func growMember(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	name, value := &yaml.Node{}, &yaml.Node{}
	name.SetString(key)
	mapping.Content = append(mapping.Content, name, value)
	return value
}
