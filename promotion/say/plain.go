package say

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"waybill/promotion"
)

// plain makes text of other people harmless in Markdown: it shows as it was typed, and pings, links and formats
// nothing. GitHub looks for names, issues and addresses in the rendered text, where an escaped character is itself
// again: only an invisible character behind it keeps them from being found.
func plain(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(oneLine(s), "www.", "www\u200b.") {
		switch {
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && r != breaker:
			continue // invisible characters, and those that turn the direction of others
		case strings.ContainsRune("\\`*_{}[]()<>+!|~&=$", r):
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("@#:-", r):
			fmt.Fprintf(&b, "&#%d;%c", r, breaker)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// breaker has no width, and no name, number or address goes on behind it.
const breaker = '\u200b'

// code shows text of other people as code, in which nothing pings, links or formats either.
func code(s string) string {
	if s = bare(oneLine(s)); s == "" {
		return ""
	}
	return "`" + promotion.Clip(s, 200) + "`"
}

// bare leaves out of a line what would end the code that it is in, and what does not show.
func bare(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '`' || unicode.Is(unicode.C, r) {
			return -1
		}
		return r
	}, line)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// address returns an address on the web, or "" if it is none that can stand in a text by itself.
func address(url string) string {
	web := strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")
	if !web || len(url) > 1000 || strings.ContainsAny(url, " \t\r\n<>\"'`()[]|\\") {
		return ""
	}
	return url
}

// cells shows texts as code in a cell of a table.
func cells(all []string) string {
	shown := make([]string, len(all))
	for i, one := range all {
		shown[i] = strings.ReplaceAll(code(one), "|", `\|`)
	}
	return strings.Join(shown, ", ")
}

// row is a row of a Markdown table.
func row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// fence shows a command so that GitHub offers to copy it. It reads as a command when it is pasted.
func fence(command string) string { return fenced("Next", command) }

// fenced is fence with other words in front.
func fenced(words, command string) string {
	return "\n" + words + ":\n```\n" + strings.ReplaceAll(oneLine(command), "`", "") + "\n```\n"
}

// moment is a time as people read it.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// firstOf names the first of many targets.
func firstOf(targets []promotion.TargetName) string {
	return strings.Join(promotion.FirstOf(promotion.Texts(targets)), ", ")
}
