package main

import (
	"errors"
	"fmt"
)

// part is each of-th mutant, beginning with the k-th; the zero part is all of them.
type part struct {
	k, of int
	seen  int
}

// Set reads K/N, as a flag has it.
func (p *part) Set(text string) error {
	if n, err := fmt.Sscanf(text+"\n", "%d/%d\n", &p.k, &p.of); n != 2 || err != nil || p.k < 1 || p.k > p.of {
		return errors.New("a part is written K/N, with K from 1 to N: 3/8")
	}
	return nil
}

func (p *part) String() string { return "" }

// next reports whether the next mutant belongs to the part.
func (p *part) next() bool {
	p.seen++
	return p.of == 0 || (p.seen-p.k)%p.of == 0
}
