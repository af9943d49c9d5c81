package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// parse returns the roots of the documents of a file, of which there is at least one.
func parse(content []byte) ([]*yaml.Node, error) {
	if len(content) > maxSize {
		return nil, fmt.Errorf("read YAML: %d bytes are more than the %d that are read", len(content), maxSize)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var roots []*yaml.Node
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF) && len(roots) == 0:
			return nil, errors.New("read YAML: the file is empty")
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, fmt.Errorf("read YAML: %w", err)
		}
		roots = append(roots, document.Content[0])
	}
}
