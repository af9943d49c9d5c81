package driver

import "fmt"

// Schema is the schema that a database must have.
type Schema struct {
	Text    string // creates all tables, in the words of PostgreSQL
	OnCopy  string // the statement that tells a copy that it is one
	Version int64
	Digest  string // of Text

	// Upgrades lead from each earlier version to the next: the first from version 1.
	Upgrades []Upgrade
}

// Upgrade makes the tables of a version out of those of the one before.
type Upgrade struct {
	From string // the digest of the version before
	Text string // in the words of PostgreSQL
}

// Accept refuses a database that another schema made. The remedy ends with where a new database may be made.
func (s Schema) Accept(version int64, digest, elsewhere string) error {
	upgrades, err := s.Since(version, digest, elsewhere)
	if err == nil && len(upgrades) > 0 {
		err = fmt.Errorf("%w: its schema is version %d, and that of this program %d: "+
			"start the server on it first, which upgrades it", ErrOlder, version, s.Version)
	}
	return err
}

// Since returns the upgrades that a database lacks. It refuses one that no upgrade leads on from.
func (s Schema) Since(version int64, digest, elsewhere string) ([]Upgrade, error) {
	switch {
	case version > s.Version:
		return nil, fmt.Errorf("%w: its schema is version %d and this program knows version %d: "+
			"run the newer Waybill, or restore a backup from before it", ErrNewer, version, s.Version)
	case version == s.Version && digest == s.Digest:
		return nil, nil
	case version >= 1 && version <= int64(len(s.Upgrades)) && digest == s.Upgrades[version-1].From:
		return s.Upgrades[version-1:], nil
	}
	return nil, fmt.Errorf("%w: its schema is another than that of this program: nothing was changed; "+
		"run the Waybill that made it, or choose %s for a new database", ErrOlder, elsewhere)
}
