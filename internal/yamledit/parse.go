package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

func parseYAML(content []byte) (file, error) {
	if len(content) > maxSize {
		return file{}, fmt.Errorf("read YAML: %d bytes are more than the %d that are read", len(content), maxSize)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var roots []*yaml.Node
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF) && len(roots) == 0:
			return file{}, errors.New("read YAML: the file is empty")
		case errors.Is(err, io.EOF):
			return file{roots, newIndex(content).span}, nil
		case err != nil:
			return file{}, fmt.Errorf("read YAML: %w", err)
		}
		roots = append(roots, document.Content[0])
	}
}
