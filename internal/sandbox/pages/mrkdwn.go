package pages

import (
	"html"
	"html/template"
	"regexp"
	"strings"

	"waybill/internal/slacksim"
)

// mrkdwn renders Slack's markup. Its names are those of people and channels by id.
type mrkdwn struct{ names map[string]string }

// The elements of mrkdwn: code blocks, code, text in angle brackets, and text between marks.
var (
	fences   = regexp.MustCompile("(?s)```(.+?)```")
	codes    = regexp.MustCompile("`([^`\n]+)`")
	brackets = regexp.MustCompile(`<([^<>\n]+)>`)
	bolds    = regexp.MustCompile(`(^|[\s(_~>])\*([^*\n]+)\*`)
	italics  = regexp.MustCompile(`(^|[\s(*~>])_([^_\n]+)_`)
	strikes  = regexp.MustCompile(`(^|[\s(*_>])~([^~\n]+)~`)
	emojis   = regexp.MustCompile(`:([a-z0-9_+-]+):`)
)

// pictures maps names of emoji to the emoji. Other names are shown unchanged.
var pictures = map[string]string{
	"white_check_mark": "✅", "x": "❌", "warning": "⚠️", "rocket": "🚀", "eyes": "👀", "hourglass": "⌛",
	"hourglass_flowing_sand": "⏳", "no_entry": "⛔", "raised_hand": "✋", "thumbsup": "👍", "+1": "👍", "-1": "👎", "lock": "🔒",
	"double_vertical_bar": "⏸", "rewind": "⏪", "large_green_circle": "🟢", "red_circle": "🔴", "large_yellow_circle": "🟡",
	"white_circle": "⚪", "snowflake": "❄️", "bell": "🔔",
}

// text renders a text object. Only the type mrkdwn has markup.
func (m mrkdwn) text(t slacksim.Text) template.HTML {
	if t.Type == "plain_text" {
		return template.HTML(lines(html.EscapeString(t.Text)))
	}
	return m.markup(t.Text)
}

// markup renders mrkdwn. Code is found first, because code contains no markup.
func (m mrkdwn) markup(s string) template.HTML {
	return template.HTML(between(fences, s, func(code string) string {
		return "<pre>" + literally(strings.Trim(code, "\n")) + "</pre>"
	}, func(s string) string {
		return between(codes, s, func(code string) string { return "<code>" + literally(code) + "</code>" }, m.marks)
	}))
}

// between renders the first group of each match with match, and the text around the matches with rest.
func between(piece *regexp.Regexp, s string, match, rest func(string) string) string {
	var b strings.Builder
	at := 0
	for _, found := range piece.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(rest(s[at:found[0]]))
		b.WriteString(match(s[found[2]:found[3]]))
		at = found[1]
	}
	b.WriteString(rest(s[at:]))
	return b.String()
}

// marks renders text in brackets, bold, italic and struck text, and emoji.
func (m mrkdwn) marks(s string) string {
	return between(brackets, s, m.bracket, func(s string) string {
		s = literally(s)
		s = bolds.ReplaceAllString(s, "$1<strong>$2</strong>")
		s = italics.ReplaceAllString(s, "$1<em>$2</em>")
		s = strikes.ReplaceAllString(s, "$1<del>$2</del>")
		s = emojis.ReplaceAllStringFunc(s, func(name string) string {
			if picture, known := pictures[strings.Trim(name, ":")]; known {
				return picture
			}
			return name
		})
		return lines(s)
	})
}

// bracket renders <@U1>, <#C1|name>, <!channel>, <!date^...|text> and <address|text>.
func (m mrkdwn) bracket(inside string) string {
	to, label, labelled := strings.Cut(inside, "|")
	switch {
	case strings.HasPrefix(to, "@"), strings.HasPrefix(to, "#"):
		name := m.names[to[1:]]
		if name == "" {
			name = label
		}
		return `<span class="mention">` + literally(to[:1]+name) + "</span>"
	case strings.HasPrefix(to, "!date^"):
		return literally(label)
	case strings.HasPrefix(to, "!"):
		return `<span class="mention">` + literally("@"+to[1:]) + "</span>"
	case !harmless(html.UnescapeString(to)):
		return literally("<" + inside + ">")
	}
	if !labelled {
		label = to
	}
	return `<a href="` + literally(to) + `" rel="nofollow noopener noreferrer">` + literally(label) + "</a>"
}

// literally returns Slack's text as HTML. Slack stores &, < and > as &amp;, &lt; and &gt;.
func literally(s string) string {
	return html.EscapeString(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s))
}

func lines(s string) string { return strings.ReplaceAll(s, "\n", "<br>") }
