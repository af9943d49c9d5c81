// Package arrows keeps the import arrows of the house pointing one way. It has tests only.
package arrows
