package yamledit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"waybill/internal/keypath"
)

// The standard library's decoder parses JSON and reports where each value ends. The result is the same tree as for
// YAML, so that paths are followed and results verified by the same code.

// SetJSON is Set for a JSON file.
func SetJSON(content []byte, assignments []keypath.Assignment) ([]byte, error) {
	return set(format{parseJSON, spellJSON, nil}, content, assignments)
}

// GetJSON is Get for a JSON file.
func GetJSON(content []byte, paths []string) (map[string]string, error) {
	return get(parseJSON, content, paths)
}

// SketchJSON is Sketch for a JSON file.
func SketchJSON(paths []string, value string) ([]byte, error) {
	root, err := sketch(paths, value)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := root.Decode(&tree); err != nil {
		return nil, fmt.Errorf("sketch: %w", err)
	}
	text, err := json.MarshalIndent(tree, "", "  ")
	return append(text, '\n'), err
}

func parseJSON(content []byte) (file, error) {
	switch {
	case len(content) > maxSize:
		return file{}, fmt.Errorf("read JSON: %d bytes are more than the %d that are read", len(content), maxSize)
	case !utf8.Valid(content):
		return file{}, errors.New("read JSON: the file is not UTF-8")
	case len(bytes.TrimSpace(content)) == 0:
		return file{}, errors.New("read JSON: the file is empty")
	}
	text := bytes.TrimPrefix(content, []byte("\ufeff"))
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return file{}, notJSON(text, err)
	}
	r := jsonReader{content: content, skipped: len(content) - len(text), spans: make(map[*yaml.Node]span)}
	r.decoder = json.NewDecoder(bytes.NewReader(text))
	r.decoder.UseNumber()
	root, err := r.value()
	if err != nil {
		return file{}, notJSON(text, err)
	}
	return file{[]*yaml.Node{root}, func(n *yaml.Node) (span, error) { return r.spans[n], nil }}, nil
}

// notJSON returns an error with the line where a file stops being JSON.
func notJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("read JSON: %w", err)
	}
	at := min(max(int(syntax.Offset)-1, 0), len(text))
	remedy := ""
	if at < len(text) && (text[at] == '/' || text[at] == '#') {
		remedy = " (JSON has no comments; lines of files that have them can be marked for `replace`)"
	}
	return fmt.Errorf("read JSON: line %d: %w%s", 1+bytes.Count(text[:at], []byte("\n")), err, remedy)
}

// jsonReader reads a file that is known to be JSON with a bounded depth.
type jsonReader struct {
	content []byte
	skipped int // bytes before the decoder's input
	decoder *json.Decoder
	spans   map[*yaml.Node]span // spans of scalars
}

// at returns the offset in the file after the last token.
func (r *jsonReader) at() int { return r.skipped + int(r.decoder.InputOffset()) }

func (r *jsonReader) value() (*yaml.Node, error) {
	start := r.at()
	for start < len(r.content) && strings.IndexByte(" \t\r\n:,", r.content[start]) >= 0 {
		start++
	}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return r.inside(yaml.MappingNode, "!!map")
	case json.Delim('['):
		return r.inside(yaml.SequenceNode, "!!seq")
	}
	node := r.scalar(token, start)
	r.spans[node] = span{start: start, end: r.at()}
	return node, nil
}

// inside reads the contents of a pair of brackets: values, or keys and values in turn.
func (r *jsonReader) inside(kind yaml.Kind, tag string) (*yaml.Node, error) {
	node := &yaml.Node{Kind: kind, Tag: tag}
	for r.decoder.More() {
		child, err := r.value()
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	if _, err := r.decoder.Token(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return node, nil
}

// scalar returns the node of a single value. A value that is not a string keeps its spelling.
func (r *jsonReader) scalar(token json.Token, start int) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Value: string(r.content[start:r.at()])}
	switch token := token.(type) {
	case string:
		node.Tag, node.Style, node.Value = "!!str", yaml.DoubleQuotedStyle, token
	case bool:
		node.Tag = "!!bool"
	case json.Number:
		node.Tag = "!!float"
		if _, err := token.Int64(); err == nil {
			node.Tag = "!!int"
		}
	default:
		node.Tag = "!!null"
	}
	return node
}

// spellJSON spells value as a string, or as a number or boolean if the old value has that type too.
func spellJSON(old *yaml.Node, text, value string) (string, error) {
	switch {
	case !utf8.ValidString(value):
		return "", errors.New("the new value is not valid UTF-8")
	case old.Tag == "!!str" && old.Value == value:
		return text, nil
	case sameKind(old, value):
		return value, nil
	}
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("spell %q: %w", value, err)
	}
	return strings.TrimSuffix(quoted.String(), "\n"), nil
}
