package story

import (
	"strconv"
	"strings"
	"time"

	"waybill/promotion"
)

// The slots of happenings, in the order in which the forms use them first.

var name = slot{
	func(s *scanner, h *Happening) (err error) { h.Name, _, err = s.word(); return err },
	func(h Happening) string { return " " + quote(h.Name) },
}

var line = slot{
	func(s *scanner, h *Happening) error { h.Text = s.rest(); return nil },
	func(h Happening) string { return strings.TrimRight(" "+h.Text, " ") },
}

var text = slot{
	func(s *scanner, h *Happening) error {
		if !s.mark(':') {
			return s.errorf(s.pos, "want \":\" and a text here")
		}
		h.Text = s.rest()
		return nil
	},
	func(h Happening) string { return strings.TrimRight(": "+h.Text, " ") },
}

var login = slot{
	func(s *scanner, h *Happening) error {
		word, _, err := s.word()
		h.By = promotion.Login(word)
		return err
	},
	func(h Happening) string { return " " + quote(string(h.By)) },
}

var by = slot{
	func(s *scanner, h *Happening) error {
		if err := s.literal("by"); err != nil {
			return err
		}
		return login.read(s, h)
	},
	func(h Happening) string { return " by" + login.write(h) },
}

var pull = slot{
	func(s *scanner, h *Happening) error {
		word, at, err := s.word()
		if err != nil {
			return err
		}
		if !isPull(word) {
			return s.errorf(at, "%q is no pull request: want #N or owner/name#N", word)
		}
		h.Pull = PullOf(word)
		return nil
	},
	func(h Happening) string { return " " + quote(h.Pull.String()) },
}

var promo = slot{
	func(s *scanner, h *Happening) error {
		word, at, err := s.word()
		if err != nil {
			return err
		}
		n, ok := numbered(word, 'p')
		if !ok {
			return s.errorf(at, "%q is no promotion: want p1, p2, ...", word)
		}
		h.Promotion = promotion.Number(n)
		return nil
	},
	func(h Happening) string { return " p" + strconv.FormatInt(int64(h.Promotion), 10) },
}

// subject is the pull request to merge: a promotion's, or a source pull request.
var subject = slot{
	func(s *scanner, h *Happening) error {
		if _, ok := numbered(s.peek(), 'p'); ok {
			return promo.read(s, h)
		}
		return pull.read(s, h)
	},
	func(h Happening) string {
		if h.Promotion != 0 {
			return promo.write(h)
		}
		return pull.write(h)
	},
}

func result(what string, words []string) slot {
	return slot{
		func(s *scanner, h *Happening) (err error) { h.Result, err = s.oneOf(what, words); return err },
		func(h Happening) string { return " " + h.Result },
	}
}

var at = slot{
	func(s *scanner, h *Happening) error {
		preposition, err := s.oneOf("place", []string{"on", "at"})
		if err != nil {
			return err
		}
		word, col, err := s.word()
		if err != nil {
			return err
		}
		where, target, _ := strings.Cut(word, "/")
		if where == "" {
			return s.errorf(col, "%q names no place: want a stage or a commit", word)
		}
		h.At = Place{Target: target}
		if preposition == "on" {
			h.At.Stage = promotion.StageName(where)
			return nil
		}
		var ok bool
		if h.At.Commit, ok = commitOf(where); !ok {
			return s.errorf(col, "%q is no commit: want m1 (of a promotion) or c1 (of a pull request)", where)
		}
		return nil
	},
	func(h Happening) string { return " " + h.At.String() },
}

var suite = option("in", func(h *Happening) *string { return &h.Suite })
var app = option("from", func(h *Happening) *string { return &h.App })

// option is an optional preposition with a word.
func option(preposition string, field func(*Happening) *string) slot {
	return slot{
		func(s *scanner, h *Happening) error {
			if s.peek() != preposition {
				return nil
			}
			_ = s.literal(preposition)
			word, _, err := s.word()
			*field(h) = word
			return err
		},
		func(h Happening) string {
			if *field(&h) == "" {
				return ""
			}
			return " " + preposition + " " + quote(*field(&h))
		},
	}
}

var stage = slot{
	func(s *scanner, h *Happening) error {
		word, _, err := s.word()
		h.Stage = promotion.StageName(word)
		return err
	},
	func(h Happening) string { return " " + quote(string(h.Stage)) },
}

// shown is what check runs show: a stage, or all that shows on the merge commit of a source pull request.
var shown = slot{
	func(s *scanner, h *Happening) error {
		if strings.Contains(s.peek(), "#") {
			return pull.read(s, h)
		}
		return stage.read(s, h)
	},
	func(h Happening) string {
		if h.Stage == "" {
			return pull.write(h)
		}
		return stage.write(h)
	},
}

var target = slot{
	func(s *scanner, h *Happening) error {
		word, at, err := s.word()
		if err != nil {
			return err
		}
		stage, name, found := strings.Cut(word, "/")
		if !found || name == "" {
			return s.errorf(at, "%q is no target: want stage/name", word)
		}
		h.Stage, h.Target = promotion.StageName(stage), name
		return nil
	},
	func(h Happening) string { return " " + quote(string(h.Stage)+"/"+h.Target) },
}

var freight = slot{
	func(s *scanner, h *Happening) error {
		if s.done() {
			return nil
		}
		word, at, err := s.word()
		if err == nil && !isFreight(word) {
			return s.errorf(at, "%q is no freight: want warehouse#N or warehouse@TAG", word)
		}
		h.Freight = word
		return err
	},
	func(h Happening) string {
		if h.Freight == "" {
			return ""
		}
		return " " + quote(h.Freight)
	},
}

var paths = slot{
	func(s *scanner, h *Happening) error {
		for len(h.Paths) == 0 || s.peek() != "by" {
			word, _, err := s.word()
			if err != nil {
				return err
			}
			h.Paths = append(h.Paths, word)
		}
		return nil
	},
	func(h Happening) string {
		var b strings.Builder
		for _, p := range h.Paths {
			b.WriteString(" " + quote(p))
		}
		return b.String()
	},
}

// pushed is the branch of a promotion, or a list of files.
var pushed = slot{
	func(s *scanner, h *Happening) error {
		if _, ok := numbered(s.peek(), 'p'); ok {
			return promo.read(s, h)
		}
		return paths.read(s, h)
	},
	func(h Happening) string {
		if h.Promotion != 0 {
			return promo.write(h)
		}
		return paths.write(h)
	},
}

// files are paths up to the end of the line.
var files = slot{
	func(s *scanner, h *Happening) error {
		for len(h.Paths) == 0 || !s.done() {
			word, _, err := s.word()
			if err != nil {
				return err
			}
			h.Paths = append(h.Paths, word)
		}
		return nil
	},
	paths.write,
}

var path = slot{
	func(s *scanner, h *Happening) error {
		word, _, err := s.word()
		h.Paths = []string{word}
		return err
	},
	func(h Happening) string { return " " + quote(h.Paths[0]) },
}

var value = slot{
	func(s *scanner, h *Happening) (err error) { h.Result, _, err = s.word(); return err },
	func(h Happening) string { return " " + quote(h.Result) },
}

var duration = slot{
	func(s *scanner, h *Happening) error {
		word, at, err := s.word()
		if err != nil {
			return err
		}
		h.For, err = time.ParseDuration(word)
		if err != nil || h.For <= 0 {
			return s.errorf(at, "%q is no time to wait: want 30s, 15m or 1h30m", word)
		}
		return nil
	},
	func(h Happening) string { return " " + promotion.Brief(h.For) },
}

func literal(word string) slot {
	return slot{
		func(s *scanner, _ *Happening) error { return s.literal(word) },
		func(Happening) string { return " " + word },
	}
}

var effect = slot{
	func(s *scanner, h *Happening) error {
		word, err := s.oneOf("effect", verbs)
		h.Effect = promotion.Verb(word)
		return err
	},
	func(h Happening) string { return " " + string(h.Effect) },
}

var code = slot{
	func(s *scanner, h *Happening) error {
		word, at, err := s.word()
		if err != nil {
			return err
		}
		h.Code, err = strconv.Atoi(word)
		if err != nil || h.Code < 400 || h.Code > 599 {
			return s.errorf(at, "%q is no failure: want an HTTP status of 400 to 599", word)
		}
		return nil
	},
	func(h Happening) string { return " " + strconv.Itoa(h.Code) },
}

// count is an optional number of deliveries; the default is one.
var count = slot{
	func(s *scanner, h *Happening) error {
		if s.done() {
			return nil
		}
		word, at, err := s.word()
		if err != nil {
			return err
		}
		n, ok := natural(word)
		if !ok {
			return s.errorf(at, "%q is no number from 1", word)
		}
		h.Count = n
		return nil
	},
	func(h Happening) string {
		if h.Count == 0 {
			return ""
		}
		return " " + strconv.Itoa(h.Count)
	},
}

// times is an optional number of failures, "3 times"; the default is one.
var times = slot{
	func(s *scanner, h *Happening) error {
		if err := count.read(s, h); err != nil || h.Count == 0 {
			return err
		}
		return s.literal("times")
	},
	func(h Happening) string {
		if h.Count == 0 {
			return ""
		}
		return count.write(h) + " times"
	},
}
