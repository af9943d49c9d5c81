package say

import (
	"strings"
	"unicode"
)

// Mrkdwn makes text of other people harmless in Slack's kind of Markdown: it shows as it was typed, and pings, links
// and formats nothing. Slack reads <...> as mentions, channels and links; everything else that it would make of a text
// is kept from being recognised by an invisible character.
func Mrkdwn(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch {
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r):
			continue
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case strings.ContainsRune("*_~`:@#", r):
			b.WriteRune(r)
			b.WriteRune(breaker)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mrkdwnLink is a link in Slack, or the words alone where there is no address that can stand in one.
func mrkdwnLink(url, words string) string {
	if address(url) == "" {
		return Mrkdwn(words)
	}
	return "<" + strings.ReplaceAll(url, "&", "&amp;") + "|" + Mrkdwn(strings.ReplaceAll(words, "|", "/")) + ">"
}
