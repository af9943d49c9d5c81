package pages

import (
	"bytes"
	"html/template"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// address is one that is linked where it stands. Those of the sandbox have numbers for names.
var address = regexp.MustCompile(`^https?://[\w.-]+(?::\d+)?(?:[/?#][^\s<>]*)?`)

// gfm reads Markdown as GitHub does. HTML in it is left in, and sanitized with everything else.
var gfm = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.NewLinkify(extension.WithLinkifyURLRegexp(address)), extension.TaskList,
	),
	goldmark.WithRendererOptions(html.WithUnsafe(), html.WithHardWraps()),
)

// markdown renders what somebody wrote below an issue or pull request of a repository; "": it belongs to none.
func markdown(repo, text string) template.HTML {
	var b bytes.Buffer
	if err := gfm.Convert([]byte(text), &b); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>")
	}
	return template.HTML(sanitize(repo, b.String()))
}
