package pages

import (
	"bytes"
	"html/template"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// address matches URLs that are linked in plain text. Hosts may be IP addresses, as those of the sandbox are.
var address = regexp.MustCompile(`^https?://[\w.-]+(?::\d+)?(?:[/?#][^\s<>]*)?`)

// gfm renders GitHub Flavored Markdown. It keeps HTML, which is sanitized with the rest.
var gfm = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.NewLinkify(extension.WithLinkifyURLRegexp(address)), extension.TaskList,
	),
	goldmark.WithRendererOptions(html.WithUnsafe(), html.WithHardWraps()),
)

// markdown renders a text on an issue or pull request of a repository; repo is "" for texts of no repository.
func markdown(repo, text string) template.HTML {
	var b bytes.Buffer
	if err := gfm.Convert([]byte(text), &b); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>")
	}
	return template.HTML(sanitize(repo, b.String()))
}
