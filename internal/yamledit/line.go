package yamledit

import (
	"bytes"

	"go.yaml.in/yaml/v4"
)

// provenByLine verifies most edits without parsing the whole file again. A value in block style that is alone on its
// line, with no other edit there, has the same meaning on the line as in the file. provenByLine parses that line before
// and after the edit. If it returns false, nothing is proven.
func provenByLine(content []byte, old file, edits []edit) bool {
	inFlow := make(map[*yaml.Node]bool)
	for _, root := range old.documents {
		markFlow(root, false, inFlow)
	}
	done := -1 // end of the previous edit's line; edits are in the order of the file
	for _, e := range edits {
		begin, end := lineAround(content, e.span)
		if begin < done || e.span.start == e.span.end || inFlow[e.node] ||
			bytes.ContainsAny(content[begin:end], "\r\u0085\u2028\u2029") {
			return false
		}
		if !e.provenOn(content[begin:end], begin) {
			return false
		}
		done = end
	}
	return true
}

// markFlow collects all nodes inside brackets, where line breaks have no meaning.
func markFlow(node *yaml.Node, within bool, inFlow map[*yaml.Node]bool) {
	within = within || node.Style&yaml.FlowStyle != 0
	if within {
		inFlow[node] = true
	}
	for _, child := range node.Content {
		markFlow(child, within, inFlow)
	}
}

// lineAround returns the beginning and the end of the line or lines that contain a value.
func lineAround(content []byte, s span) (begin, end int) {
	begin = bytes.LastIndexByte(content[:s.start], '\n') + 1
	end = len(content)
	if i := bytes.IndexByte(content[s.end:], '\n'); i >= 0 {
		end = s.end + i
	}
	return begin, end
}

// provenOn parses one line, which begins at a given byte of the file, with the old and with the new value.
func (e edit) provenOn(line []byte, begin int) bool {
	if bytes.IndexByte(line, '\n') >= 0 {
		return false
	}
	was, err := parseYAML(line)
	if err != nil || len(was.documents) != 1 {
		return false
	}
	node := e.on(was, begin)
	if node == nil {
		return false
	}
	changed := e
	changed.span = span{start: e.span.start - begin, end: e.span.end - begin}
	is, err := parseYAML(apply(line, []edit{changed}))
	if err != nil || len(is.documents) != 1 {
		return false
	}
	return same(was.documents[0], is.documents[0], map[*yaml.Node]*edit{node: &changed}) == nil
}

// on finds the value in its line, parsed alone.
func (e edit) on(line file, begin int) *yaml.Node {
	var found *yaml.Node
	var look func(*yaml.Node)
	look = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Value == e.node.Value && n.Tag == e.node.Tag && n.Style == e.node.Style &&
			n.Anchor == e.node.Anchor {
			if s, err := line.span(n); err == nil && s.start == e.span.start-begin && s.end == e.span.end-begin {
				found = n
			}
		}
		for _, child := range n.Content {
			look(child)
		}
	}
	look(line.documents[0])
	return found
}
