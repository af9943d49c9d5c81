package store

import (
	"fmt"

	"github.com/klauspost/compress/s2"
)

// pack compresses a body: GitHub repeats every address in it many times. It is never nil, because a column that must
// not be NULL takes no nil.
func pack(body []byte) []byte {
	if len(body) == 0 {
		return []byte{}
	}
	return s2.Encode(nil, body)
}

// unpacked scans a column with what pack has made.
type unpacked struct{ into *[]byte }

// Scan implements sql.Scanner.
func (u unpacked) Scan(v any) (err error) {
	packed, is := v.([]byte)
	switch {
	case !is:
		return fmt.Errorf("read a body: it is a %T", v)
	case len(packed) == 0:
		*u.into = []byte{}
		return nil
	}
	if *u.into, err = s2.Decode(nil, packed); err != nil {
		return fmt.Errorf("decompress a body: %w", err)
	}
	return nil
}

// notNil makes an empty body of none, for the same reason.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
