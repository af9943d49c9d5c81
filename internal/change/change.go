// Package change computes the new contents of a stage's files when freight is promoted into it. It implements the kinds
// of change that a pipeline file can ask for. It reads files through a function and writes nothing; its callers commit
// the result.
package change

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"waybill/internal/keypath"
	"waybill/promotion"
)

// Read returns a file of the base commit, or the reason why the file cannot be changed, as a sentence for people.
type Read func(path string) (content []byte, trouble string)

// Result describes a stage's files after a promotion.
type Result struct {
	Paths    []string          // the files that change, in the order of the pipeline file
	Contents map[string]string // the new contents of the files that change
	Copied   map[string]Blob   // the files that change because a folder is copied; the zero Blob deletes a file
	Tree     string            // the hash of the branch's new tree if the whole branch is copied, else ""
	Values   []promotion.Value // the values at every place that the stage sets, changed or not
	Hash     string            // a hash of all the stage's files after the change: equal hashes mean equal contents
	Problem  promotion.Reason  // Unreadable PATH REASON, for the first file that cannot be changed
}

// Work computes the changes to the stage's files that promote f. If one file cannot be changed, no file is.
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

// rewrite returns the new content of one file, and the values at every place that is set. The kinds of change are
// applied in order, each to the result of the one before.
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

// assignments fills in the values for one file. It skips values of another warehouse's freight: if two warehouses feed
// one stage, each keeps the values that the other has set (Q15).
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
