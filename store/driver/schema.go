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
	// Adds says that it only adds what the program of the version before leaves alone: that one can go on working with the
	// database, beside the new one or instead of it.
	Adds bool
}

// Made is the schema that made a database, as the database says.
type Made struct {
	Version int64
	Digest  string
	Oldest  int64 // the first version whose program can work with it
}

// Accept refuses a database that another schema made. The remedy ends with where a new database may be made.
func (s Schema) Accept(m Made, elsewhere string) error {
	upgrades, err := s.Since(m, elsewhere)
	if err == nil && len(upgrades) > 0 {
		err = fmt.Errorf("%w: its schema is version %d, and that of this program %d: "+
			"start the server on it first, which upgrades it", ErrOlder, m.Version, s.Version)
	}
	return err
}

// Exactly refuses a database that is not of this very schema.
func (s Schema) Exactly(m Made, elsewhere string) error {
	if m.Version > s.Version {
		m.Oldest = m.Version
	}
	return s.Accept(m, elsewhere)
}

// Since returns the upgrades that a database lacks. It refuses one that no upgrade leads on from, and a newer one with
// which this program cannot work.
func (s Schema) Since(m Made, elsewhere string) ([]Upgrade, error) {
	switch {
	case m.Version > s.Version && m.Oldest <= s.Version:
		return nil, nil
	case m.Version > s.Version:
		return nil, fmt.Errorf("%w: its schema is version %d and this program knows version %d: "+
			"run the newer Waybill, or restore a backup from before it", ErrNewer, m.Version, s.Version)
	case m.Version == s.Version && m.Digest == s.Digest:
		return nil, nil
	case m.Version >= 1 && m.Version <= int64(len(s.Upgrades)) && m.Digest == s.Upgrades[m.Version-1].From:
		return s.Upgrades[m.Version-1:], nil
	}
	return nil, fmt.Errorf("%w: its schema is another than that of this program: nothing was changed; "+
		"run the Waybill that made it, or choose %s for a new database", ErrOlder, elsewhere)
}

// After returns what a database says of itself after some upgrades that lead to this version.
func (s Schema) After(m Made, upgrades []Upgrade) Made {
	for i, u := range upgrades {
		if !u.Adds {
			m.Oldest = s.Version - int64(len(upgrades)-1-i)
		}
	}
	m.Version, m.Digest = s.Version, s.Digest
	return m
}
