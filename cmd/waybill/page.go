package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// page is text for people, 80 columns wide. Text from elsewhere, titles above all, cannot write anything but letters to
// the terminal.
type page struct {
	out    io.Writer
	screen bool // it is a terminal, which can be cleared
	colour bool
	now    time.Time // the time of the printed state
	err    error     // of the first line that could not be written
}

// width is how wide a page is.
const width = 80

// tone is how something looks to the eye; the words say it, too.
type tone string

const (
	plain tone = ""
	good  tone = "32"
	bad   tone = "31;1"
	waits tone = "33"
	quiet tone = "2"
	loud  tone = "1"
)

// line prints a line, its first words in a tone.
func (p *page) line(indent int, t tone, text string) {
	prefix := strings.Repeat(" ", indent)
	for _, part := range wrap(clean(text), width-indent) {
		p.print(prefix + p.toned(t, part) + "\n")
		prefix = strings.Repeat(" ", indent+2)
	}
}

// entry prints a line that begins with a name in a column of its own.
func (p *page) entry(name string, column int, t tone, text string) {
	name = clean(name)
	if len(name) >= column {
		p.print(p.toned(loud, name) + "\n")
		p.line(column, t, text)
		return
	}
	parts := wrap(clean(text), width-column)
	p.print(p.toned(loud, name) + strings.Repeat(" ", column-len(name)) + p.toned(t, parts[0]) + "\n")
	for _, part := range parts[1:] {
		p.print(strings.Repeat(" ", column+2) + p.toned(t, part) + "\n")
	}
}

func (p *page) print(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.out, text)
	}
}

func (p *page) toned(t tone, text string) string {
	if !p.colour || t == plain {
		return text
	}
	return fmt.Sprintf("\x1b[%sm%s\x1b[0m", string(t), text)
}

// wrap breaks text between words, where it can. Lines after the first are two columns shorter.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		room := width
		if len(lines) > 0 {
			room -= 2
		}
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= room:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// harmless writes texts of others: their lines and characters that show, and nothing that a terminal takes for an
// order.
type harmless struct{ to io.Writer }

// Write implements io.Writer.
func (h harmless) Write(p []byte) (int, error) {
	lines := strings.Split(string(p), "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	if _, err := io.WriteString(h.to, strings.Join(lines, "\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// clean makes one line of text that people have typed.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

// ago says how long ago something was.
func (p *page) ago(t time.Time) string { return brief(p.now.Sub(t)) + " ago" }

// in says when something will be.
func (p *page) in(t time.Time) string {
	if !t.After(p.now) {
		return "now"
	}
	return fmt.Sprintf("in %s (%s)", brief(t.Sub(p.now)), p.clock(t))
}

// clock is a time in UTC, as everywhere else that Waybill says one; with the day if it is another one.
func (p *page) clock(t time.Time) string {
	t = t.UTC()
	if t.Format(time.DateOnly) == p.now.UTC().Format(time.DateOnly) {
		return t.Format("15:04:05 UTC")
	}
	return t.Format("2006-01-02 15:04 UTC")
}

// brief is a duration in its two largest units.
func brief(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = max(0, d); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < day:
		return inUnits(d, time.Hour, "h", time.Minute, "m")
	}
	return inUnits(d, day, "d", time.Hour, "h")
}

// inUnits is a duration in two units, without the second if there is none of it.
func inUnits(d, large time.Duration, name string, small time.Duration, second string) string {
	text := fmt.Sprint(int64(d/large)) + name
	if rest := d % large / small; rest > 0 {
		text += fmt.Sprint(int64(rest)) + second
	}
	return text
}
