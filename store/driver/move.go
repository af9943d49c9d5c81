package driver

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// Table is a table of the ledger.
type Table struct {
	Name    string
	Columns []string
}

// Sum is a checksum of the rows of a table. Tables with equal sums have equal rows, in any order.
type Sum struct {
	Rows  int64
	words [4]uint64 // the sum of the SHA-256 of each row
}

// Add adds a row. Its values are nil, bool, int64, string or []byte.
func (s *Sum) Add(row []any) error {
	h := sha256.New()
	for _, value := range row {
		var text string
		switch v := value.(type) {
		case nil:
			text = "n"
		case bool:
			text = fmt.Sprintf("b%t", v)
		case int64:
			text = fmt.Sprintf("i%d", v)
		case string:
			text = "s" + v
		case []byte:
			text = "x" + string(v)
		default:
			return fmt.Errorf("a row has a value of type %T", value)
		}
		fmt.Fprintf(h, "%d %s", len(text), text)
	}
	sum := h.Sum(nil)
	for i := range s.words {
		s.words[i] += binary.BigEndian.Uint64(sum[8*i:])
	}
	s.Rows++
	return nil
}

// String is the hash of the rows.
func (s *Sum) String() string {
	var b []byte
	for _, w := range s.words {
		b = binary.BigEndian.AppendUint64(b, w)
	}
	return hex.EncodeToString(b)
}
