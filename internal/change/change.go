// Package change works out what the files of a stage become when freight is promoted into it. It knows the kinds of
// change that a pipeline file can ask for, reads through a function and writes nothing: who makes commits of the result
// is not its business.
package change

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"waybill/internal/keypath"
	"waybill/promotion"
)

// Read returns a file of the base commit, or, as a sentence for people, why it cannot be changed.
type Read func(path string) (content []byte, trouble string)

// Result is what a stage's files become.
type Result struct {
	Paths    []string          // the files that change, in the order of the pipeline file
	Contents map[string]string // of the files that change
	Copied   map[string]Blob   // the files that change because a folder is copied; those that go are zero
	Tree     string            // what the whole branch becomes, by its hash; empty: only files change
	Values   []promotion.Value // what they say at every place that is set, whether or not it changes
	Hash     string            // of all the stage's files as they will be: equal hashes are equal contents
	Problem  promotion.Reason  // Unreadable PATH, why: the first file that cannot be changed
}

// Work works out what promoting f into the stage makes of its files. When one of them cannot be changed none is.
func Work(stage *promotion.Stage, f promotion.Freight, read Read, sides Sides) Result {
	if stage.Delivery == promotion.DeliveryWorkflow {
		return start(stage, f, read)
	}
	r := Result{Contents: map[string]string{}, Copied: map[string]Blob{}}
	sum := sha256.New()
	for _, c := range stage.Changes() {
		old, trouble := read(c.Path)
		if trouble != "" {
			return Result{Problem: promotion.Because(promotion.Unreadable, c.Path).With(trouble)}
		}
		changed, wrote, err := rewrite(c, old, promotion.Values(stage.Name, f))
		if err != nil {
			return Result{Problem: promotion.Because(promotion.Unreadable, c.Path).With(err.Error())}
		}
		if string(changed) != string(old) {
			r.Paths = append(r.Paths, c.Path)
			r.Contents[c.Path] = string(changed)
		}
		r.Values = append(r.Values, wrote...)
		io.WriteString(sum, c.Path+"\x00"+string(changed)+"\x00")
	}
	for _, c := range stage.Copies() {
		hash, problem := r.copied(c, f, sides)
		if !problem.IsZero() {
			return Result{Problem: problem}
		}
		io.WriteString(sum, c.Path+"/\x00"+hash+"\x00")
	}
	r.Hash = hex.EncodeToString(sum.Sum(nil)[:16])
	return r
}

// rewrite returns what one file becomes, and what it then says at every place that is set. The kinds of change take
// turns: each works on what the one before it has made.
func rewrite(
	c promotion.Change, content []byte, lookup func(ref string) (string, bool),
) ([]byte, []promotion.Value, error) {
	var wrote []promotion.Value
	err := byKind(c.Set, func(k kind, set []promotion.Assignment) (err error) {
		all, err := assignments(k, set, lookup)
		if err != nil {
			return err
		}
		for _, a := range all {
			wrote = append(wrote, promotion.Value{Files: c.Files, Path: c.Path, Key: a.Path, Text: a.Value})
		}
		content, err = k.set(content, all)
		return err
	})
	return content, wrote, err
}

// assignments fills in the values of one file. A value of another warehouse's freight is not touched: of two warehouses
// into one stage each keeps what the other has brought (Q15).
func assignments(
	k kind, set []promotion.Assignment, lookup func(ref string) (string, bool),
) ([]keypath.Assignment, error) {
	var all []keypath.Assignment
	for _, a := range set {
		value, err := a.Value.Expand(lookup)
		if err != nil {
			continue
		}
		if k.accept != nil {
			if reason := k.accept(a.Key, value); reason != "" {
				return nil, &keypath.Error{Path: a.Key, Reason: fmt.Sprintf("%q is no value for it: %s", value, reason)}
			}
		}
		all = append(all, keypath.Assignment{Path: a.Key, Value: value})
	}
	return all, nil
}
