package yamledit

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"waybill/internal/keypath"
)

// Sketch returns the smallest YAML file that has a value at each path, so that Set can set all of them. It returns an
// error if paths contradict each other.
func Sketch(paths []string, value string) ([]byte, error) {
	root, err := sketch(paths, value)
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(root)
}

func sketch(paths []string, value string) (*yaml.Node, error) {
	root := &yaml.Node{}
	for _, text := range paths {
		path, err := keypath.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("sketch %s: %w", text, err)
		}
		node := root
		for _, s := range path {
			if node = grow(s, node); node == nil {
				return nil, fmt.Errorf("sketch %s: another path makes %s something else", text, s)
			}
		}
		if node.Kind != 0 && node.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("sketch %s: another path goes through it", text)
		}
		node.SetString(value)
	}
	return root, nil
}

// grow takes the step from a node and creates missing nodes. It returns nil if the node is of another kind.
func grow(s keypath.Step, node *yaml.Node) *yaml.Node {
	kind := yaml.SequenceNode
	if s.Kind == keypath.ByKey {
		kind = yaml.MappingNode
	}
	if node.Kind == 0 {
		node.Kind = kind
	}
	if node.Kind != kind {
		return nil
	}
	switch s.Kind {
	case keypath.ByIndex:
		for len(node.Content) <= s.Index {
			node.Content = append(node.Content, &yaml.Node{})
		}
		return node.Content[s.Index]
	case keypath.ByMatch:
		return growMatch(s, node)
	}
	return growMember(node, s.Key)
}

// growMatch returns the element of a sequence that matches the step.
func growMatch(s keypath.Step, sequence *yaml.Node) *yaml.Node {
	for _, element := range sequence.Content {
		if matches(element, s) {
			return element
		}
	}
	element := &yaml.Node{Kind: yaml.MappingNode}
	sequence.Content = append(sequence.Content, element)
	inside := element
	for _, key := range s.Where {
		inside.Kind = yaml.MappingNode
		inside = growMember(inside, key)
	}
	inside.SetString(s.Is)
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
