package config

import (
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
)

// IsPolicy tells a policy file from a pipeline file: by its name, or else by a key that only the one has.
func IsPolicy(name string, data []byte) bool {
	if strings.Contains(filepath.Base(name), "policy") {
		return true
	}
	root := parseDocument(data, &report{})
	if root == nil || root.Kind != yaml.MappingNode {
		return false
	}
	for _, p := range newReader(&report{}).pairs(root) {
		if p.name == "automatic" || p.name == "may" || p.name == "retention" {
			return true
		}
	}
	return false
}
