package story

import (
	"fmt"
	"strings"
	"time"

	"waybill/promotion"
)

// Outcome is one line below a happening: acts of one promotion, or one event of a stage, a pull request or Slack.
type Outcome struct {
	Timed     bool          // it has an offset, as every outcome of a wait does
	Offset    time.Duration // from the start of the wait
	Where     string        // a stage with or without a target, a warehouse, a pull request, or "slack"
	Promotion promotion.Number
	Freight   string          // in the promotion's first outcome, and in an event about freight
	Class     promotion.Class // in the promotion's first outcome
	Acts      []Act           // exactly one if Promotion is 0
	Because   promotion.Reason
}

// Act is a word with its arguments: a state, a class, an effect, or an event.
type Act struct {
	Word string
	Args []string
}

// String returns the outcome in the notation of stories, without the indentation.
func (o Outcome) String() string {
	var b strings.Builder
	if o.Timed {
		fmt.Fprintf(&b, "+%s ", promotion.Brief(o.Offset))
	}
	fmt.Fprintf(&b, "%s:", quote(o.Where))
	if o.Promotion != 0 {
		fmt.Fprintf(&b, " p%d", o.Promotion)
	}
	if o.Freight != "" {
		b.WriteString(" " + quote(o.Freight))
	}
	if o.Class != "" {
		fmt.Fprintf(&b, " %s:", o.Class)
	}
	for i, a := range o.Acts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + a.String())
	}
	if !o.Because.IsZero() {
		fmt.Fprintf(&b, " because %s%s", o.Because.Code, quoteAll(o.Because.Args))
	}
	return b.String()
}

// String returns the act with its arguments.
func (a Act) String() string { return a.Word + quoteAll(a.Args) }

func quoteAll(args []string) string {
	var b strings.Builder
	for _, arg := range args {
		b.WriteString(" " + quote(arg))
	}
	return b.String()
}

// outcome reads a whole outcome, up to the end of the line.
func outcome(s *scanner) (Outcome, error) {
	var o Outcome
	if err := o.readOffset(s); err != nil {
		return o, err
	}
	where, _, err := s.word()
	if err != nil {
		return o, err
	}
	o.Where = where
	if !s.mark(':') {
		return o, s.errorf(s.pos, "want \":\" after where it happens")
	}
	if _, ok := numbered(s.peek(), 'p'); ok {
		err = o.readPromotion(s)
	} else {
		err = o.readEvent(s)
	}
	if err != nil {
		return o, err
	}
	if err := o.readReason(s); err != nil {
		return o, err
	}
	return o, s.end()
}

func (o *Outcome) readOffset(s *scanner) error {
	if !strings.HasPrefix(s.peek(), "+") {
		return nil
	}
	word, at, err := s.word()
	if err != nil {
		return err
	}
	o.Offset, err = time.ParseDuration(word[1:])
	if err != nil || o.Offset < 0 {
		return s.errorf(at, "%q is no time: want +30s, +15m or +1h30m", word)
	}
	o.Timed = true
	return nil
}

// readPromotion reads pN, the freight and class that follow it in its first outcome, and its acts.
func (o *Outcome) readPromotion(s *scanner) error {
	word, _, err := s.word()
	if err != nil {
		return err
	}
	n, _ := numbered(word, 'p')
	o.Promotion = promotion.Number(n)
	if isFreight(s.peek()) {
		if o.Freight, _, err = s.word(); err != nil {
			return err
		}
		class, err := s.oneOf("class", classes)
		if err != nil {
			return err
		}
		o.Class = promotion.Class(class)
		if !s.mark(':') {
			return s.errorf(s.pos, "want \":\" after the class")
		}
	}
	for {
		act, err := promotionAct(s)
		if err != nil {
			return err
		}
		o.Acts = append(o.Acts, act)
		if !s.mark(',') {
			return nil
		}
	}
}

// promotionAct reads a state with its commit, a class, an effect with its arguments, or "waits" with a time.
func promotionAct(s *scanner) (Act, error) {
	known := append(append(append(states(), classes...), verbs...), "waits")
	word, err := s.oneOf("act", known)
	if err != nil {
		return Act{}, err
	}
	act := Act{Word: word}
	switch {
	case contains(verbs, word):
		act.Args, err = arguments(s)
	case word == "waits":
		if _, err := time.ParseDuration(s.peek()); err == nil {
			act.Args, _ = oneArgument(s)
		}
	case isCommit(s.peek()):
		act.Args, err = oneArgument(s)
	}
	return act, err
}

// readEvent reads an event of a stage or of freight, or an effect without a promotion.
func (o *Outcome) readEvent(s *scanner) error {
	known := append(append([]string{}, stageEvents...), verbs...)
	if isFreight(s.peek()) {
		var err error
		if o.Freight, _, err = s.word(); err != nil {
			return err
		}
		known = freightEvents
	}
	word, err := s.oneOf("event", known)
	if err != nil {
		return err
	}
	act := Act{Word: word}
	if contains(verbs, word) {
		if act.Args, err = arguments(s); err != nil {
			return err
		}
	}
	o.Acts = []Act{act}
	return nil
}

func (o *Outcome) readReason(s *scanner) error {
	if s.peek() != "because" {
		return nil
	}
	if err := s.literal("because"); err != nil {
		return err
	}
	code, err := s.oneOf("reason", codes)
	if err != nil {
		return err
	}
	args, err := arguments(s)
	o.Because = promotion.Because(promotion.Code(code), args...)
	return err
}

// arguments reads words up to a comma, a reason or the end of the line.
func arguments(s *scanner) ([]string, error) {
	var args []string
	for !s.done() && !s.atBreak() && s.text[s.pos:] != "because" && !strings.HasPrefix(s.text[s.pos:], "because ") {
		word, _, err := s.word()
		if err != nil {
			return nil, err
		}
		args = append(args, word)
	}
	return args, nil
}

func oneArgument(s *scanner) ([]string, error) {
	word, _, err := s.word()
	return []string{word}, err
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}
