package story

import (
	"bytes"
	"errors"
	"strings"

	"golang.org/x/tools/txtar"
)

// nothing is the notation for a step without outcomes.
const nothing = "(nothing)"

// Parse reads a story file. It reports all mistakes, joined into one error of *Error values; name is the file's name in
// them. A step may lack its outcomes, so that they can be filled in.
func Parse(name string, data []byte) (Story, error) {
	archive := txtar.Parse(data)
	s := Story{Name: name, About: string(archive.Comment), Files: archive.Files}
	script, first, err := scriptOf(name, archive)
	if err != nil {
		return Story{}, err
	}
	p := parser{story: &s}
	for i, text := range splitLines(script) {
		if err := p.line(scanner{file: name, line: first + i, text: text}); err != nil {
			p.errs = append(p.errs, err)
		}
	}
	s.After = p.prose
	if len(p.errs) > 0 {
		return Story{}, errors.Join(p.errs...)
	}
	return s, nil
}

// scriptOf returns the contents of the file "story" and the line of the archive at which they begin.
func scriptOf(name string, a *txtar.Archive) (script []byte, first int, err error) {
	line := 1 + bytes.Count(a.Comment, []byte("\n"))
	for _, f := range a.Files {
		if f.Name == fileName && first != 0 {
			return nil, 0, &Error{File: name, Line: line, Col: 1, Message: "there are two files named story"}
		}
		if f.Name == fileName {
			script, first = f.Data, line+1
		}
		line += 1 + bytes.Count(f.Data, []byte("\n"))
	}
	if first == 0 {
		return nil, 0, &Error{File: name, Line: 1, Col: 1, Message: "there is no file named story in this archive"}
	}
	return script, first, nil
}

// parser assembles a story from its lines.
type parser struct {
	story *Story
	prose []string // lines that are not yet above a step
	said  bool     // the current step has the line (nothing)
	errs  []error
}

func (p *parser) line(s scanner) error {
	if i := strings.IndexByte(s.text, '\r'); i >= 0 {
		return s.errorf(i, "a carriage return stands inside the line")
	}
	switch {
	case strings.HasPrefix(s.text, ">"):
		return p.step(&s)
	case strings.HasPrefix(s.text, " ") && strings.TrimSpace(s.text) != "":
		return p.outcome(&s)
	}
	p.prose = append(p.prose, s.text)
	return nil
}

func (p *parser) step(s *scanner) error {
	s.pos = 1
	source := strings.Trim(s.text[1:], " \t")
	h, err := happening(s)
	p.story.Steps = append(p.story.Steps, Step{Before: p.prose, Source: source, Line: s.line, Happening: h})
	p.prose, p.said = nil, false
	return err
}

func (p *parser) outcome(s *scanner) error {
	if len(p.story.Steps) == 0 || len(p.prose) > 0 {
		return s.errorf(0, "this outcome does not follow a happening: that line begins with \">\"")
	}
	step := &p.story.Steps[len(p.story.Steps)-1]
	if strings.TrimSpace(s.text) == nothing {
		if p.said || len(step.Outcomes) > 0 {
			return s.errorf(2, "(nothing) stands alone")
		}
		p.said = true
		return nil
	}
	if p.said {
		return s.errorf(2, "(nothing) stands alone")
	}
	o, err := outcome(s)
	if err == nil && o.Timed != (step.Happening.Kind == Wait) {
		err = s.errorf(2, "the outcomes of a wait, and only they, begin with +TIME")
	}
	step.Outcomes = append(step.Outcomes, o)
	return err
}
