package pages

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shownTags are the elements that are kept, with the attributes that are kept. Of other elements only the contents are
// kept, unless lostTags has them.
var shownTags = map[string][]string{
	"p": nil, "br": nil, "hr": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "em": nil,
	"strong": nil, "b": nil, "i": nil, "del": nil, "s": nil, "ins": nil, "sub": nil, "sup": nil, "kbd": nil, "samp": nil,
	"var": nil, "code": nil, "pre": nil, "blockquote": nil, "ul": nil, "ol": {"start"}, "li": nil, "table": nil,
	"thead": nil, "tbody": nil, "tr": nil, "th": {"align", "colspan", "rowspan"}, "td": {"align", "colspan", "rowspan"},
	"details": {"open"}, "summary": nil, "a": {"href", "title"}, "dl": nil, "dt": nil, "dd": nil,
}

// lostTags are the elements that are dropped with their contents, which are no text for people.
var lostTags = []string{
	"script", "style", "iframe", "object", "embed", "template", "noscript", "svg", "math", "textarea", "title", "select",
	"video", "audio", "xmp",
}

// sanitize keeps the harmless parts of HTML. It parses the text as a browser does and writes a new tree, so that
// unclosed, wrongly nested or malformed tags cannot affect the rest of the page.
func sanitize(repo, text string) string {
	nodes, err := html.ParseFragment(strings.NewReader(text),
		&html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return "<pre>" + html.EscapeString(text) + "</pre>"
	}
	c := cleaner{repo: repo}
	for _, n := range nodes {
		c.write(n, false)
	}
	return c.String()
}

// cleaner writes the parts that are kept.
type cleaner struct {
	strings.Builder
	repo string
}

// write writes a node. In literal text, within code or a link, mentions and numbers are not marked.
func (c *cleaner) write(n *html.Node, literal bool) {
	attributes, shown := shownTags[n.Data]
	switch {
	case n.Type == html.TextNode && literal:
		c.WriteString(html.EscapeString(n.Data))
	case n.Type == html.TextNode:
		c.WriteString(c.named(n.Data))
	case n.Type != html.ElementNode || slices.Contains(lostTags, n.Data):
		return
	case n.Data == "img":
		fmt.Fprintf(c, `<span class="image" title="%s">image: %s</span>`, html.EscapeString(attribute(n, "src")),
			html.EscapeString(attribute(n, "alt")))
	case n.Data == "input" && attribute(n, "type") == "checkbox":
		c.checkbox(n)
	case n.Data == "pre" && isMermaid(n.FirstChild):
		c.WriteString(diagram(inner(n)))
	case shown:
		c.element(n, attributes, literal)
	default:
		c.inside(n, literal)
	}
}

func (c *cleaner) inside(n *html.Node, literal bool) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c.write(child, literal)
	}
}

func (c *cleaner) checkbox(n *html.Node) {
	c.WriteString(`<input type="checkbox" disabled`)
	if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
		c.WriteString(" checked")
	}
	c.WriteString(">")
}

func (c *cleaner) element(n *html.Node, attributes []string, literal bool) {
	c.WriteString("<" + n.Data)
	for _, a := range n.Attr {
		if slices.Contains(attributes, a.Key) && (a.Key != "href" || harmless(a.Val)) {
			fmt.Fprintf(c, ` %s="%s"`, a.Key, html.EscapeString(a.Val))
		}
	}
	if n.Data == "a" {
		c.WriteString(` rel="nofollow noopener noreferrer"`)
	}
	c.WriteString(">")
	if n.Data == "br" || n.Data == "hr" {
		return
	}
	c.inside(n, literal || n.Data == "a" || n.Data == "code" || n.Data == "pre")
	c.WriteString("</" + n.Data + ">")
}

// harmless reports whether a URL is relative or has a harmless scheme.
func harmless(address string) bool {
	at, err := url.Parse(strings.TrimSpace(address))
	return err == nil && slices.Contains([]string{"", "http", "https", "mailto"}, strings.ToLower(at.Scheme))
}

// names matches mentions of people and teams, and numbers of issues or pull requests, as GitHub does.
var names = regexp.MustCompile(`(^|[^\w@/.-])(?:@([A-Za-z\d][A-Za-z\d-]*(?:/[\w-]+)?)|#(\d+))\b`)

// named marks mentions and links numbers, so that users see whether a text would notify people.
func (c *cleaner) named(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range names.FindAllStringSubmatchIndex(text, -1) {
		from := m[3] // end of the text before the name
		b.WriteString(html.EscapeString(text[at:from]))
		switch {
		case m[4] >= 0:
			fmt.Fprintf(&b, `<span class="mention">@%s</span>`, html.EscapeString(text[m[4]:m[5]]))
		case c.repo == "":
			b.WriteString(html.EscapeString(text[from:m[1]]))
		default:
			number := text[m[6]:m[7]]
			fmt.Fprintf(&b, `<a href="/%s/pull/%s">#%s</a>`, html.EscapeString(c.repo), number, number)
		}
		at = m[1]
	}
	b.WriteString(html.EscapeString(text[at:]))
	return b.String()
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// inner returns the text of an element.
func inner(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		b.WriteString(inner(child))
	}
	return b.String()
}

func isMermaid(n *html.Node) bool {
	return n != nil && n.Data == "code" && attribute(n, "class") == "language-mermaid"
}
