package handlers

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// markdown reads comments as GitHub does, as far as it matters for telling statements from quotations.
var markdown = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
})

// maxComment bounds the part of a comment that is read, in bytes. GitHub allows four times as much, which can be made
// to keep a parser of Markdown busy for seconds.
const maxComment = 16 << 10

// Lines returns the lines of a comment that are said by its author in so many words: those of paragraphs that stand in
// nothing else. Code, quotes, lists, tables, headings, links, and HTML with its contents are shown, not said (T6). A
// comment that is nothing but a command as code was copied from one of ours: it is said.
func Lines(comment string) []string {
	comment = readable(comment)
	if !mayCommand(comment) {
		return nil
	}
	if line, is := bare(comment); is {
		return []string{line}
	}
	source := []byte(withoutSignature(comment))
	var lines []string
	open := 0 // HTML elements that have begun and not ended
	for n := markdown().Parse(text.NewReader(source)).FirstChild(); n != nil; n = n.NextSibling() {
		switch n.Kind() {
		case ast.KindHTMLBlock:
			open = max(0, open+opened(blockText(n, source)))
		case ast.KindParagraph:
			if open == 0 {
				lines = append(lines, said(n, source)...)
			}
			open = max(0, open+openedIn(n, source))
		}
	}
	return lines
}

// readable is the part of a comment that is read, with the ends of lines that Go knows.
func readable(comment string) string {
	comment = strings.ReplaceAll(strings.ReplaceAll(comment, "\r\n", "\n"), "\r", "\n")
	return comment[:min(len(comment), maxComment)]
}

// mayCommand reports whether a line begins as commands do. Most comments have none, and need not be parsed.
func mayCommand(comment string) bool {
	for line := range strings.Lines(comment) {
		line = strings.TrimLeft(line, " \t`\u00a0\u200b\ufeff")
		if strings.HasPrefix(line, "/") || strings.HasPrefix(line, "@") {
			return true
		}
	}
	return false
}

// bare takes the back-ticks off a comment that is one line of code. Only /hold may be given so: a person who pastes
// that wants everything to stop.
func bare(comment string) (string, bool) {
	line := strings.TrimSpace(comment)
	inner, is := strings.CutPrefix(line, "`")
	if !is || !strings.HasSuffix(inner, "`") || strings.ContainsAny(strings.TrimSuffix(inner, "`"), "`\n") {
		return "", false
	}
	inner = strings.TrimSuffix(inner, "`")
	return inner, strings.HasPrefix(strings.ToLower(inner)+" ", "/hold ")
}

// withoutSignature cuts a comment at the line by which mail programs begin a signature. It would turn the text before
// it into a heading.
func withoutSignature(comment string) string {
	for _, mark := range []string{"\n-- \n", "\n--\n"} {
		comment, _, _ = strings.Cut(comment, mark)
	}
	return comment
}

// said returns the lines of a paragraph that begin with text: with nothing that is only shown. The asterisks of a
// command are those of its patterns, also where Markdown takes two of them for emphasis: /hold *-eu-*.
func said(paragraph ast.Node, source []byte) []string {
	var lines []string
	var line strings.Builder
	shown := false // the line begins with something that is not text
	end := func() {
		if !shown && line.Len() > 0 {
			lines = append(lines, line.String())
		}
		line.Reset()
		shown = false
	}
	var read func(ast.Node)
	read = func(parent ast.Node) {
		for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
			t, is := n.(*ast.Text)
			switch {
			case is:
				line.Write(t.Segment.Value(source))
				if t.SoftLineBreak() || t.HardLineBreak() {
					end()
				}
			case n.Kind() == ast.KindRawHTML: // a mark of another program
				shown = shown || line.Len() == 0
			case starred(n, source) && mayCommand(line.String()):
				line.WriteByte('*')
				read(n)
				line.WriteByte('*')
			default:
				shown = shown || line.Len() == 0
				line.WriteString(flat(n, source))
			}
		}
	}
	read(paragraph)
	end()
	return lines
}

// starred reports whether a node is text between two single asterisks.
func starred(n ast.Node, source []byte) bool {
	e, is := n.(*ast.Emphasis)
	if !is || e.Level != 1 {
		return false
	}
	t, is := e.FirstChild().(*ast.Text)
	return is && t.Segment.Start > 0 && source[t.Segment.Start-1] == '*'
}

// flat returns the text in a node, in one line.
func flat(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, is := n.(*ast.Text); is && entering {
			b.Write(t.Segment.Value(source))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.ReplaceAll(b.String(), "\n", " ")
}

func blockText(n ast.Node, source []byte) []byte {
	block := n.(*ast.HTMLBlock)
	all := bytes.Clone(block.Lines().Value(source))
	if block.HasClosure() {
		all = append(all, block.ClosureLine.Value(source)...)
	}
	return all
}

// openedIn counts the elements that begin in a paragraph and do not end there.
func openedIn(paragraph ast.Node, source []byte) int {
	count := 0
	for n := paragraph.FirstChild(); n != nil; n = n.NextSibling() {
		if raw, is := n.(*ast.RawHTML); is {
			count += opened(raw.Segments.Value(source))
		}
	}
	return count
}

// opened counts the elements that begin in a piece of HTML and do not end there; it is negative if more end.
func opened(fragment []byte) int {
	count := 0
	z := html.NewTokenizer(bytes.NewReader(fragment))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return count
		case html.StartTagToken:
			if name, _ := z.TagName(); holds(string(name)) {
				count++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); holds(string(name)) {
				count--
			}
		}
	}
}

// holds reports whether an element holds the text between its tags, and needs both of them.
func holds(element string) bool {
	switch element {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
		"wbr", "p", "li", "tr", "td", "th":
		return false
	}
	return true
}
