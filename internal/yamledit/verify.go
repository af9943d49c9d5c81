package yamledit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"waybill/internal/keypath"
)

// verify proves that result has the values of the edits and is otherwise equal to the old file. It is the final check
// if a line proves too little: it refuses a wrong edit that the other files of this package overlooked.
func (f format) verify(old []*yaml.Node, result []byte, edits []edit) error {
	paths := make([]string, len(edits))
	for i, e := range edits {
		paths[i] = e.Path
	}
	is, err := f.parse(result)
	if err != nil {
		return &keypath.Error{
			Path: strings.Join(paths, ", "), Reason: "the value cannot be written in its place: " + err.Error(),
		}
	}
	wanted := make(map[*yaml.Node]*edit, len(edits))
	for i := range edits {
		wanted[edits[i].node] = &edits[i]
	}
	if len(is.documents) != len(old) {
		return &keypath.Error{Path: strings.Join(paths, ", "), Reason: "the value cannot be written in its place"}
	}
	for i := range old {
		if err := same(old[i], is.documents[i], wanted); err != nil {
			return &keypath.Error{Path: strings.Join(paths, ", "), Reason: err.Error()}
		}
	}
	return nil
}

func same(old, new *yaml.Node, wanted map[*yaml.Node]*edit) error {
	if e, ok := wanted[old]; ok {
		return took(e, new)
	}
	if old.Kind != new.Kind || old.Tag != new.Tag || old.Value != new.Value || old.Anchor != new.Anchor ||
		len(old.Content) != len(new.Content) {
		return fmt.Errorf("line %d would change its meaning too", old.Line)
	}
	for i := range old.Content {
		if err := same(old.Content[i], new.Content[i], wanted); err != nil {
			return err
		}
	}
	return nil
}

// took reports whether the new node is as requested: the same text, and a string or the type of the old value.
func took(e *edit, new *yaml.Node) error {
	kinds := []string{"!!str"}
	if sameKind(e.node, e.Value) {
		kinds = append(kinds, "!!int", "!!float", "!!bool")
	}
	if new.Kind != yaml.ScalarNode || new.Value != e.Value || new.Anchor != e.node.Anchor ||
		!slices.Contains(kinds, new.ShortTag()) {
		return errors.New("the value cannot be written in its place")
	}
	return nil
}
