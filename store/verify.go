package store

import (
	"encoding/json"
	"errors"
	"fmt"
)

// BadLine says which line of the audit trail is not the one that was written, and how that shows.
type BadLine struct {
	Chain Chain
	Seq   int64
	Why   string
}

// Error implements error.
func (b *BadLine) Error() string { return fmt.Sprintf("line %d of %s %s", b.Seq, b.Chain, b.Why) }

// End is a line that a chain is known to have had, and its hash. It reads the JSON of a Line.
type End struct {
	Pipeline int64  `json:"pipeline"`
	Seq      int64  `json:"seq"`
	Hash     string `json:"hash"`
}

// CheckTrail checks the whole audit trail: that each line continues the one before, that the trail agrees with the
// server's chain, and that it holds the lines that are known from elsewhere. It returns how many lines there are, and a
// BadLine for the first that is not the one that was written.
func (au Audit) CheckTrail(known ...End) (lines int64, err error) {
	chains, err := au.Chains()
	if err != nil {
		return 0, err
	}
	if len(chains) == 0 || chains[0].Pipeline != ServerChain {
		return 0, missingChain(End{Pipeline: ServerChain, Seq: 1}, "every database has one")
	}
	for _, c := range chains {
		n, err := au.follow(c, c.Mark.Seq)
		if err != nil {
			return lines, err
		}
		lines += n
	}
	if err := au.checkNotes(chains); err != nil {
		return lines, err
	}
	for _, end := range known {
		if err := au.CheckEnd(end); err != nil {
			return lines, err
		}
	}
	return lines, au.checkStrays()
}

// CheckEnds checks the last lines of each chain, about limit in all, and the end of every chain.
func (au Audit) CheckEnds(limit int64) error {
	chains, err := au.Chains()
	if err != nil {
		return err
	}
	if err := au.checkEnds(); err != nil {
		return err
	}
	each := limit / int64(len(chains)+1)
	for _, c := range chains {
		if each == 0 {
			break
		}
		if _, err := au.follow(c, max(c.Mark.Seq, c.Seq-each)); err != nil {
			return err
		}
	}
	return nil
}

// CheckEnd checks that a chain holds a line that is known from elsewhere, or that retention has removed it.
func (au Audit) CheckEnd(end End) error {
	c, err := au.Chain(end.Pipeline)
	if errors.Is(err, ErrNotFound) {
		return missingChain(end, inArchive)
	}
	if err != nil {
		return err
	}
	return au.confirm(c, end, inArchive)
}

const inArchive = "an archive has it"

// follow checks a chain from the line after one of them to its end.
func (au Audit) follow(c Chain, after int64) (lines int64, err error) {
	last, hash := after, c.Mark.Hash
	err = au.EachLine(c, after, func(l Line) error {
		if why := l.follows(last); why != "" {
			return &BadLine{c, min(l.Seq, last+1), why}
		}
		last, hash, lines = l.Seq, l.Hash, lines+1
		return nil
	})
	switch {
	case err != nil:
		return lines, err
	case last < c.Seq:
		return lines, &BadLine{c, last + 1, fmt.Sprintf("is missing: %d lines have been written", c.Seq)}
	case last > c.Seq || hash != c.Hash:
		why := fmt.Sprintf("was slipped in: the chain ends with line %d and another hash", c.Seq)
		return lines, &BadLine{c, last, why}
	}
	return lines, nil
}

// follows returns why a line is not the one that was written after the line last; empty if it may be.
func (l Line) follows(last int64) string {
	switch {
	case l.Seq != last+1:
		return fmt.Sprintf("is missing: the next that is there is %d", l.Seq)
	case !json.Valid([]byte(l.String())):
		return "was changed: it is not JSON any more"
	case hashOf(l.Text) != l.Hash:
		return "was changed, or the hash of the line before it was: its own hash is not that of its text"
	}
	return ""
}

// checkEnds looks for a chain that does not end in its last line.
func (au Audit) checkEnds() error {
	var c Chain
	found, err := au.tx.one(c.dest(), selectChains+`
		LEFT JOIN events e ON e.pipeline = chains.pipeline AND e.seq = chains.seq
		WHERE chains.seq > removed_seq AND (e.hash IS NULL OR e.hash <> chains.hash)
		ORDER BY chains.pipeline LIMIT 1 + 0`)
	if err != nil || !found {
		return err
	}
	return &BadLine{c, c.Seq, "is missing or was changed: the chain has ended with another"}
}

// checkStrays looks for a line that belongs to no chain.
func (au Audit) checkStrays() error {
	var c Chain
	var seq int64
	found, err := au.tx.one([]any{&c.Pipeline, &seq}, `SELECT pipeline, seq FROM events
		WHERE NOT EXISTS (SELECT 1 FROM chains WHERE chains.pipeline = events.pipeline)
		ORDER BY pipeline, seq LIMIT 1 + 0`)
	if err != nil || !found {
		return err
	}
	return &BadLine{c, seq, "was slipped in: its chain was never opened"}
}

// checkNotes checks everything that the server's chain says of the chains, and that it says something of each.
func (au Audit) checkNotes(chains []Chain) error {
	all, last := make(map[int64]Chain, len(chains)), make(map[int64]note, len(chains))
	for _, c := range chains {
		all[c.Pipeline] = c
	}
	err := au.EachLine(all[ServerChain], 0, func(l Line) error {
		n, err := l.note()
		if n == nil || err != nil {
			return err
		}
		last[n.Pipeline] = *n
		end, where := End{n.Pipeline, n.Seq, n.Hash}, fmt.Sprintf("line %d of the server's chain names it", l.Seq)
		c, there := all[n.Pipeline]
		if !there {
			return missingChain(end, where)
		}
		return au.confirm(c, end, where)
	})
	for _, c := range chains {
		n, named := last[c.Pipeline]
		if err == nil && !named && c.Pipeline != ServerChain {
			err = &BadLine{c, c.Mark.Seq + 1, "was slipped in: the server's chain does not name its chain"}
		}
		if err == nil {
			err = n.checkMark(c)
		}
	}
	return err
}

// note returns the note of a line of the server's chain about another chain; nil if the line is about something else.
func (l Line) note() (*note, error) {
	var said struct{ Kind, Text string }
	if err := json.Unmarshal([]byte(l.String()), &said); err != nil || said.Kind != string(EventChain) {
		return nil, err
	}
	n := new(note)
	if err := json.Unmarshal([]byte(said.Text), n); err != nil {
		return nil, fmt.Errorf("read line %d of the server's chain: %w", l.Seq, err)
	}
	return n, nil
}

// checkMark checks that a chain begins where the last note about it says.
func (n note) checkMark(c Chain) error {
	if (Mark{n.RemovedSeq, n.RemovedHash}) == c.Mark {
		return nil
	}
	return &BadLine{c, max(n.RemovedSeq, c.Mark.Seq), fmt.Sprintf(
		"was removed, but not by retention: the server's chain says that this has removed the lines up to %d", n.RemovedSeq)}
}

// confirm checks that a chain holds a line, and says where the line is expected if it does not. Lines that retention
// has removed are believed.
func (au Audit) confirm(c Chain, said End, where string) error {
	if said.Seq < c.Mark.Seq {
		return nil
	}
	there, hash := true, c.Mark.Hash
	if said.Seq > c.Mark.Seq {
		var err error
		if there, err = au.hashOf(said.Pipeline, said.Seq, &hash); err != nil {
			return fmt.Errorf("read %s: %w", c, err)
		}
	}
	switch {
	case !there:
		return &BadLine{c, said.Seq, "is missing: " + where}
	case hash != said.Hash:
		return &BadLine{c, said.Seq, "is another than was written: " + where + " with another hash"}
	}
	return nil
}

func missingChain(said End, where string) error {
	return &BadLine{Chain{Pipeline: said.Pipeline}, said.Seq, "is missing with its whole chain: " + where}
}
