package store

import (
	"encoding/json"
	"fmt"
	"time"

	"waybill/promotion"
)

// ServerChain is the number of the chain for lines about no pipeline. It also names the ends of the other chains, so
// that one of them that was replaced, cut off or removed shows.
const ServerChain int64 = 0

// noteAgain is how long the server's chain may be silent about a chain that does not grow. It is shorter than the audit
// trail can be kept, so that retention never has to wait for the next note.
const noteAgain = 30 * 24 * time.Hour

// The words of lines about chains.
const (
	chainOpened    = "opened"    // it has got its first line, or its pipeline has a file again
	chainNoted     = "noted"     // it has grown
	chainShortened = "shortened" // retention has removed lines
	// the file of its pipeline is gone; the lines about the cancelled promotions then come after
	chainEnded = "ended"
)

// Chain is one hash chain of the audit trail.
type Chain struct {
	Pipeline int64          // ServerChain, or the pipeline that its lines are about
	Repo     promotion.Repo // the home repository of the pipeline; empty: it is not stored
	Seq      int64          // the last line; 0: none
	Hash     string         // of the last line
	Mark     Mark
}

// Mark is the last line of a chain that retention has removed. Its zero value says that none was.
type Mark struct {
	Seq  int64
	Hash string
}

// String names the chain for people.
func (c Chain) String() string {
	switch {
	case c.Pipeline == ServerChain:
		return "the server's chain"
	case c.Repo != "":
		return "the chain of " + string(c.Repo)
	}
	return fmt.Sprintf("the chain of pipeline %d", c.Pipeline)
}

func (c *Chain) dest() []any {
	return []any{&c.Pipeline, &c.Repo, &c.Seq, &c.Hash, &c.Mark.Seq, &c.Mark.Hash}
}

const selectChains = `SELECT chains.pipeline, COALESCE(pipelines.repo, ''), chains.seq, chains.hash,
		removed_seq, removed_hash
	FROM chains LEFT JOIN pipelines ON pipelines.id = chains.pipeline`

// Chains returns all chains, the server's first.
func (au Audit) Chains() ([]Chain, error) {
	all, err := list(au.tx, (*Chain).dest, selectChains+` ORDER BY chains.pipeline`)
	if err != nil {
		return nil, fmt.Errorf("list the chains of the audit trail: %w", err)
	}
	return all, nil
}

// Chain returns one chain; ErrNotFound if there is no line about the pipeline.
func (au Audit) Chain(pipeline int64) (c Chain, err error) {
	found, err := au.tx.one(c.dest(), selectChains+` WHERE chains.pipeline = $1`, pipeline)
	return c, orNotFound(found, err, fmt.Sprintf("read chain %d of the audit trail", pipeline))
}

// grow makes room for so many lines at the end of a chain, and returns that end as it was. The row of the chain stays
// locked until the transaction ends, so that no other transaction can append to the same line.
func (au Audit) grow(pipeline int64, lines int) (end Chain, opened bool, err error) {
	for range 2 {
		found, err := au.tx.one([]any{&end.Seq, &end.Hash},
			`UPDATE chains SET seq = seq + $2 WHERE pipeline = $1 RETURNING seq, hash`, pipeline, lines)
		if err != nil || found {
			end.Pipeline, end.Seq = pipeline, end.Seq-int64(lines)
			return end, opened, err
		}
		n, err := au.tx.exec(`INSERT INTO chains (pipeline, seq, hash, removed_seq, removed_hash, noted_seq)
			VALUES ($1, 0, '', 0, '', 0) ON CONFLICT DO NOTHING`, pipeline)
		if err != nil {
			return end, false, err
		}
		opened = n > 0
	}
	return end, false, ErrConflict
}

// note is the text of a line of the server's chain about a chain.
type note struct {
	Pipeline    int64  `json:"pipeline"`
	Seq         int64  `json:"seq"`
	Hash        string `json:"hash"`
	RemovedSeq  int64  `json:"removed_seq"`
	RemovedHash string `json:"removed_hash"`
}

func (n *note) dest() []any {
	return []any{&n.Pipeline, &n.Seq, &n.Hash, &n.RemovedSeq, &n.RemovedHash}
}

// note writes to the server's chain where a chain begins and ends now. Of a chain that is not there nothing is written.
func (au Audit) note(pipeline int64, word string) error {
	var n note
	found, err := au.tx.one(n.dest(), `UPDATE chains SET noted_seq = seq, noted_at = $2 WHERE pipeline = $1
		RETURNING pipeline, seq, hash, removed_seq, removed_hash`, pipeline, micros(au.tx.Now))
	if err != nil || !found {
		return err
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return au.Log(Event{Kind: EventChain, Word: word, Source: "audit", Text: string(text)})
}

// noteFiles notes that the file of a pipeline has come back or is gone.
func (au Audit) noteFiles(old, row PipelineRow) error {
	had, has := len(old.Config) > 0, len(row.Config) > 0
	switch {
	case had && !has:
		return au.note(row.ID, chainEnded)
	case !had && has:
		return au.note(row.ID, chainOpened)
	}
	return nil
}

// NoteChains writes to the server's chain where the chains end that have grown since it named them last, or that it has
// not named for long. It returns how many it has named; if that is limit, there may be more.
func (au Audit) NoteChains(limit int) (int, error) {
	due, err := list(au.tx, single[int64], `SELECT pipeline FROM chains
		WHERE (pipeline <> $1 AND seq > noted_seq) OR noted_at < $2 ORDER BY pipeline LIMIT $3 + 0`,
		ServerChain, micros(au.tx.Now.Add(-noteAgain)), limit)
	for _, pipeline := range due {
		if err == nil {
			err = au.note(pipeline, chainNoted)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("note the ends of chains: %w", err)
	}
	return len(due), nil
}
