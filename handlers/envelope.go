package handlers

import (
	"encoding/json"
	"errors"

	"waybill/promotion"
)

// envelope has the fields that can be read off a delivery without decoding it.
type envelope struct {
	action       string
	repo         promotion.Repo
	installation int64

	text   string // of a comment
	bot    bool   // wrote the comment
	app    int64  // that a check run or suite is of
	status string // of a check run or suite
}

// errNotJSON says that a signed body is no JSON object.
var errNotJSON = errors.New("the body is not a JSON object")

// readEnvelope steps through the outermost object of a delivery. Decoding 10 KB to learn three words would cost eight
// times as much as verifying the signature.
func readEnvelope(event string, body []byte) (envelope, error) {
	var e envelope
	s := scanner{text: body}
	ok := s.members(func(key []byte) bool {
		switch string(key) {
		case "action":
			return s.decode(&e.action)
		case "repository":
			return s.member("full_name", &e.repo)
		case "installation":
			return s.member("id", &e.installation)
		case "comment":
			if event == "issue_comment" {
				return s.comment(&e)
			}
		case "check_run", "check_suite":
			if event == string(key) {
				return s.ofApp(&e)
			}
		}
		return s.skip()
	})
	if !ok || !s.end() {
		return envelope{}, errNotJSON
	}
	return e, nil
}

// comment reads the text and the author of the comment that comes next.
func (s *scanner) comment(e *envelope) bool {
	if !s.sees('{') {
		return s.skip()
	}
	return s.members(func(key []byte) bool {
		switch string(key) {
		case "body":
			return s.decode(&e.text)
		case "user":
			var kind string
			ok := s.member("type", &kind)
			e.bot = kind == "Bot"
			return ok
		}
		return s.skip()
	})
}

// ofApp reads the App and the status of the check run or suite that comes next.
func (s *scanner) ofApp(e *envelope) bool {
	if !s.sees('{') {
		return s.skip()
	}
	return s.members(func(key []byte) bool {
		switch string(key) {
		case "app":
			return s.member("id", &e.app)
		case "status":
			return s.decode(&e.status)
		}
		return s.skip()
	})
}

// member decodes one member of the object that comes next. Anything else that comes next is stepped over.
func (s *scanner) member(name string, into any) bool {
	if !s.sees('{') {
		return s.skip()
	}
	return s.members(func(key []byte) bool {
		if string(key) == name {
			return s.decode(into)
		}
		return s.skip()
	})
}

// decode decodes the value that comes next, and leaves a value of another type alone.
func (s *scanner) decode(into any) bool {
	s.space()
	start := s.at
	if !s.skip() {
		return false
	}
	_ = json.Unmarshal(s.text[start:s.at], into) // of another type: as if it were absent
	return true
}
