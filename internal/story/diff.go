package story

import "github.com/aymanbagabas/go-udiff"

// Diff compares a story as written with the same story as played. It returns a unified diff of both files, or "" if
// they are equal.
func Diff(written, played Story) string {
	return udiff.Unified(written.Name+" (as written)", written.Name+" (as it happened)",
		string(written.Format()), string(played.Format()))
}
