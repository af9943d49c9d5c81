package change

import (
	"errors"
	"fmt"

	"waybill/internal/keypath"
	"waybill/internal/markedit"
	"waybill/internal/yamledit"
	"waybill/promotion"
)

// kind is a kind of change: it parses keys, and reads and writes the values at them.
type kind struct {
	key    func(written string) (key string, err error)       // returns the canonical spelling of a key
	accept func(key, value string) (reason string)            // the reason to refuse a value; nil: accepts all
	set    func([]byte, []keypath.Assignment) ([]byte, error) // returns the new content of a file
	get    func(content []byte, keys []string) (map[string]string, error)
	sketch func(keys []string, value string) ([]byte, error)
}

var kinds = map[promotion.ChangeKind]kind{
	promotion.ChangeYAML:      {pathKey, nil, yamledit.Set, yamledit.Get, yamledit.Sketch},
	promotion.ChangeKustomize: {pathKey, acceptImage, setImages, yamledit.Get, yamledit.Sketch},
	promotion.ChangeHelm:      {pathKey, acceptVersion, yamledit.Set, yamledit.Get, yamledit.Sketch},
	promotion.ChangeJSON:      {pathKey, nil, yamledit.SetJSON, yamledit.GetJSON, yamledit.SketchJSON},
	promotion.ChangeReplace:   {markKey, acceptMarked, markedit.Set, markedit.Get, markedit.Sketch},
}

// Key returns the canonical spelling of a key, or an error if it is not a valid key.
func Key(k promotion.ChangeKind, written string) (string, error) {
	how, known := kinds[k]
	if !known {
		return "", fmt.Errorf("no change is made in the way %q", k)
	}
	return how.key(written)
}

// Refuse returns the reason why a key cannot have a value, or "". It does not see the file.
func Refuse(k promotion.ChangeKind, key, value string) string {
	if kinds[k].accept == nil {
		return ""
	}
	return kinds[k].accept(key, value)
}

// Edit returns a file's content after one value has been changed in it.
func Edit(k promotion.ChangeKind, content []byte, key, value string) ([]byte, error) {
	return kinds[k].set(content, []keypath.Assignment{{Path: key, Value: value}})
}

// Sketch returns the smallest file that has a value at every place that the change sets.
func Sketch(c promotion.Change, value string) ([]byte, error) {
	if len(c.Set) == 0 {
		return nil, nil
	}
	content, err := kinds[c.Set[0].Kind].sketch(keys(c.Set), value)
	if err != nil {
		return nil, fmt.Errorf("sketch %s: %w", c.Path, err)
	}
	return content, nil
}

func pathKey(written string) (string, error) {
	path, err := keypath.Parse(written)
	if err != nil {
		return "", fmt.Errorf("%w; a path is written as a.b, a.b[0] or a.b[name=x].c, with \"\" around a key that has dots",
			err)
	}
	return path.String(), nil
}

func markKey(written string) (string, error) {
	if !markedit.IsName(written) {
		return "", errors.New("a mark is called by letters, digits and . _ / - between them, as in `# waybill: image.tag`")
	}
	return written, nil
}

func acceptMarked(_, value string) string { return markedit.Refuse(value) }

// byKind calls do once for each run of assignments of the same kind, in order.
func byKind(all []promotion.Assignment, do func(kind, []promotion.Assignment) error) error {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Kind == all[0].Kind {
			n++
		}
		if err := do(kinds[all[0].Kind], all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

func keys(all []promotion.Assignment) []string {
	keys := make([]string, len(all))
	for i, a := range all {
		keys[i] = a.Key
	}
	return keys
}
