package promotion

// touchesAny reports whether one of the paths is a file of the target, or lies in a folder of it.
func (t *Target) TouchesAny(paths []string) bool {
	own := Stage{Changes: t.Changes, Copies: t.Copies}
	return own.touchesAny(paths)
}
