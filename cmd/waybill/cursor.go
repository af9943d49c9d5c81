package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"waybill/store"
)

// cursor is where an export begins. Lines get their numbers in the order in which they are committed, but only within
// their chain: so a place in the whole trail is a place in each chain, which an earlier export holds.
type cursor struct {
	line int64               // in every chain that the ends do not name
	ends map[int64]store.End // the last line of each chain
}

// cursorOf reads where an earlier export ends; the beginning, if no file is named.
func cursorOf(file string) (c cursor, err error) {
	if file == "" {
		return c, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return c, fmt.Errorf("read an earlier export: %w", err)
	}
	defer f.Close()
	c.ends = map[int64]store.End{}
	lines := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return c, nil
		case err != nil && !errors.Is(err, io.EOF):
			return c, fmt.Errorf("read an earlier export: %w", err)
		}
		var end store.End
		if err := json.Unmarshal(bytes.TrimSpace(line), &end); err != nil || end.Seq <= 0 || end.Hash == "" {
			return c, fmt.Errorf("read an earlier export: line %d of %s is not a line of the audit trail: "+
				"remove it if it was cut short", n, file)
		}
		c.ends[end.Pipeline] = end
	}
}

// known returns the lines that the trail must hold, if retention has not removed them.
func (c cursor) known() []store.End {
	all := make([]store.End, 0, len(c.ends))
	for _, end := range c.ends {
		all = append(all, end)
	}
	slices.SortFunc(all, func(a, b store.End) int { return int(a.Pipeline - b.Pipeline) })
	return all
}
