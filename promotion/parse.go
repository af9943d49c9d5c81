package promotion

// Place returns the stage or target that a command names, as people write it.
func (c Command) Place() string {
	if c.Target == "" {
		return string(c.Stage)
	}
	return string(c.Stage) + "/" + string(c.Target)
}
