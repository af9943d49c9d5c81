package store

// Version is the version of the stage that the basis saw.
func (b Basis) Version() int64 { return b.version }
