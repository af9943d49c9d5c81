package store

// Version returns the version of the stage in the basis.
func (b Basis) Version() int64 { return b.version }
