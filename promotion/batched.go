package promotion

import (
	"fmt"
)

// maxNamed is how many targets of a batch are named.
const maxNamed = 10

// firstOf returns the first of many names, and how many there are besides.
func FirstOf(names []string) []string {
	if more := len(names) - maxNamed; more > 0 {
		return append(names[:maxNamed:maxNamed], fmt.Sprintf("%d more", more))
	}
	return names
}
