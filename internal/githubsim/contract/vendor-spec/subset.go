package main

import (
	"fmt"
	"strings"
)

// subset lists the wanted parts of the description.
type subset struct {
	operations []operation
	events     []string
}

// operation names one operation by lower-case method and path template, as the description does.
type operation struct {
	method, path string
}

// parseSubset parses the format described at the head of subset.txt.
func parseSubset(text string) (subset, error) {
	var wanted subset
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		kind, name, ok := strings.Cut(line, " ")
		switch {
		case !ok:
			return subset{}, fmt.Errorf("subset.txt:%d: want METHOD /path or EVENT name, got %q", i+1, line)
		case kind == "EVENT":
			wanted.events = append(wanted.events, name)
		case strings.HasPrefix(name, "/"):
			wanted.operations = append(wanted.operations, operation{strings.ToLower(kind), name})
		default:
			return subset{}, fmt.Errorf("subset.txt:%d: %q is no path", i+1, name)
		}
	}
	return wanted, nil
}
