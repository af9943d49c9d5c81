package pages

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// flowchart is a diagram of boxes and arrows in the subset of Mermaid that this package reads.
type flowchart struct {
	nodes  map[string]*node
	order  []string
	arrows [][2]string
}

type node struct {
	label string
	class string
	rank  int // its column
}

// diagram renders a flowchart in columns. Other text is shown unchanged.
func diagram(text string) string {
	chart, ok := readFlowchart(text)
	if !ok {
		return `<pre class="mermaid-text">` + html.EscapeString(text) + "</pre>"
	}
	chart.rank()
	var b strings.Builder
	b.WriteString(`<div class="chart" role="img" aria-label="diagram">`)
	for i, column := range chart.columns() {
		if i > 0 {
			b.WriteString(`<span class="arrow" aria-hidden="true"></span>`)
		}
		b.WriteString(`<div class="column">`)
		for _, n := range column {
			fmt.Fprintf(&b, `<span class="box is-%s">%s</span>`, html.EscapeString(n.class), n.shown())
		}
		b.WriteString("</div>")
	}
	b.WriteString("</div>")
	return b.String()
}

// The syntax of a flowchart: boxes with a class, arrows between boxes, and lines that only change the looks.
var (
	boxText   = regexp.MustCompile(`^([\w-]+)\s*(?:[\[({>]+(?:"([^"]*)"|([^"\[\](){}]*))[\])}]+)?(?::::([\w-]+))?$`)
	arrowText = regexp.MustCompile(`\s*(?:--+>|==+>|-\.+->|--+|-\.+-)(?:\|[^|]*\|)?\s*`)
	looksOnly = []string{
		"classDef ", "style ", "linkStyle ", "%%", "direction ", "subgraph ", "end", "accTitle", "accDescr",
	}
)

// readFlowchart parses a flowchart; ok is false if a line cannot be read.
func readFlowchart(text string) (c flowchart, ok bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if !strings.HasPrefix(lines[0], "flowchart") && !strings.HasPrefix(lines[0], "graph") {
		return c, false
	}
	c.nodes = map[string]*node{}
	for _, line := range lines[1:] {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		starts := func(word string) bool { return strings.HasPrefix(line, word) }
		switch {
		case line == "" || slices.ContainsFunc(looksOnly, starts):
		case starts("class "):
			c.classify(strings.Fields(line))
		case !c.link(line):
			return c, false
		}
	}
	return c, len(c.nodes) > 0
}

// classify reads `class a,b name`.
func (c *flowchart) classify(words []string) {
	if len(words) < 3 {
		return
	}
	for _, id := range strings.Split(words[1], ",") {
		c.node(id).class = words[2]
	}
}

// link reads a chain of boxes: `a["A"] --> b & c --> d`.
func (c *flowchart) link(line string) bool {
	var before []string
	for _, part := range arrowText.Split(line, -1) {
		var here []string
		for _, text := range strings.Split(part, " & ") {
			m := boxText.FindStringSubmatch(strings.TrimSpace(text))
			if m == nil {
				return false
			}
			n := c.node(m[1])
			n.label = cmp.Or(m[2], m[3], n.label)
			n.class = cmp.Or(m[4], n.class)
			here = append(here, m[1])
		}
		for _, from := range before {
			for _, to := range here {
				c.arrows = append(c.arrows, [2]string{from, to})
			}
		}
		before = here
	}
	return true
}

func (c *flowchart) node(id string) *node {
	if c.nodes[id] == nil {
		c.nodes[id] = &node{label: id}
		c.order = append(c.order, id)
	}
	return c.nodes[id]
}

// rank moves every box to the right of all boxes that lead to it. In a cycle, the number of columns is the limit.
func (c *flowchart) rank() {
	for range c.order {
		for _, a := range c.arrows {
			from, to := c.nodes[a[0]], c.nodes[a[1]]
			to.rank = min(max(to.rank, from.rank+1), len(c.order)-1)
		}
	}
}

func (c *flowchart) columns() [][]*node {
	columns := make([][]*node, len(c.order))
	for _, id := range c.order {
		n := c.nodes[id]
		columns[n.rank] = append(columns[n.rank], n)
	}
	return slices.DeleteFunc(columns, func(column []*node) bool { return len(column) == 0 })
}

// charCode matches Mermaid's escaped characters.
var charCode = regexp.MustCompile(`#(\d+|quot|amp|lt|gt|nbsp);`)

// shown returns the label as HTML, with its line breaks.
func (n *node) shown() string {
	text := charCode.ReplaceAllStringFunc(n.label, func(code string) string {
		if r, err := strconv.ParseInt(code[1:len(code)-1], 10, 32); err == nil {
			return string(rune(r))
		}
		return html.UnescapeString("&" + code[1:])
	})
	parts := regexp.MustCompile(`<br ?/?>`).Split(text, -1)
	for i, p := range parts {
		parts[i] = html.EscapeString(p)
	}
	return strings.Join(parts, "<br>")
}
