package oracle

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"waybill/internal/oracle/recorded"
	"waybill/promotion"
)

// line is one line of a file: a pipeline, which gets the next number from 0 on, or a pair.
type line struct {
	Pipeline *recorded.Pipeline `json:",omitzero"`
	Pair     *pairLine          `json:",omitzero"`
}

// pairLine is a Pair with the number of its pipeline.
type pairLine struct {
	From     string
	Call     int
	Now      time.Time
	Pipeline int
	Snapshot *recorded.Snapshot
	Decision *recorded.Decision
}

// Write writes pairs, with each pipeline before the first pair that needs it.
func Write(to io.Writer, pairs []*Pair) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := writer{json.NewEncoder(packed), map[*recorded.Pipeline]int{}, map[[sha256.Size]byte]int{}}
	for _, p := range pairs {
		if err := w.write(p); err != nil {
			return fmt.Errorf("write %s: %w", p, err)
		}
	}
	return packed.Close()
}

type writer struct {
	json    *json.Encoder
	known   map[*recorded.Pipeline]int
	numbers map[[sha256.Size]byte]int // of pipelines, by their contents
}

func (w *writer) write(p *Pair) error {
	n, err := w.number(p.Pipeline)
	if err != nil {
		return err
	}
	return w.json.Encode(line{Pair: &pairLine{p.From, p.Call, p.Now, n, p.Snapshot, p.Decision}})
}

// number returns the number of a pipeline, and writes it if it is new.
func (w *writer) number(p *recorded.Pipeline) (int, error) {
	if n, known := w.known[p]; known {
		return n, nil
	}
	text, err := json.Marshal(p)
	if err != nil {
		return 0, err
	}
	sum := sha256.Sum256(text)
	n, known := w.numbers[sum]
	if !known {
		n = len(w.numbers)
		w.numbers[sum] = n
		if err := w.json.Encode(line{Pipeline: p}); err != nil {
			return 0, err
		}
	}
	w.known[p] = n
	return n, nil
}

// Read returns the pairs of a file in their order. It ends with an error if the file cannot be read to its end, or has
// a field that the recorded types do not know.
func Read(from io.Reader) iter.Seq2[*Pair, error] {
	return func(yield func(*Pair, error) bool) {
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			yield(nil, err)
			return
		}
		lines := json.NewDecoder(unpacked)
		lines.DisallowUnknownFields()
		var pipelines []*recorded.Pipeline
		for {
			var l line
			switch err := lines.Decode(&l); {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			case l.Pipeline != nil:
				pipelines = append(pipelines, l.Pipeline)
				continue
			}
			p := l.Pair
			if !yield(&Pair{p.From, p.Call, p.Now, pipelines[p.Pipeline], p.Snapshot, p.Decision}, nil) {
				return
			}
		}
	}
}

// Check decides all pairs of a file again.
func Check(file io.Reader, decide Decider, wanted []Wanted) (*Report, error) {
	r := new(Report)
	var last *recorded.Pipeline
	var pipeline *promotion.Pipeline
	for p, err := range Read(file) {
		if err != nil {
			return nil, err
		}
		if p.Pipeline != last {
			last, pipeline = p.Pipeline, pipelineOf(p.Pipeline)
		}
		r.check(p, pipeline, decide, wanted)
	}
	return r, nil
}
