package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// parse returns the root of a file that holds exactly one document.
func parse(content []byte) (*yaml.Node, error) {
	if len(content) > maxSize {
		return nil, fmt.Errorf("read YAML: %d bytes are more than the %d that are read", len(content), maxSize)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, errors.New("read YAML: the file is empty")
	} else if err != nil {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return nil, fmt.Errorf("read YAML: a second document begins at line %d, and a path does not say which one it means",
			second.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read YAML: %w", err)
	}
	return document.Content[0], nil
}
