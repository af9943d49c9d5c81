package config

import "go.yaml.in/yaml/v4"

// boolean is true or false, written as such.
var boolean = form[bool]{func() schema { return schema{"type": "boolean"} }, func(r *reader, n *yaml.Node) bool {
	var b bool
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || n.Decode(&b) != nil {
		r.wrong(n, "true or false")
	}
	return b
}}
