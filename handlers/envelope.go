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
	repoID       int64
	installation int64

	text   string // of a comment
	bot    bool   // wrote the comment
	app    int64  // that a check run or suite is of
	slug   string // of that App
	status string // of a check run or suite; the state of a status
	name   string // of a check run; the context of a status
	sha    promotion.SHA

	ref, home string          // of a push, and the default branch
	deleted   bool            // the branch was pushed away
	head      string          // the branch of a pull request
	sender    string          // the type of the account that caused it
	rebased   json.RawMessage // the branch that a pull request went into, if it has changed
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
			return s.fields(map[string]any{"full_name": &e.repo, "id": &e.repoID, "default_branch": &e.home})
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
		case "pull_request":
			if event == string(key) {
				return s.branchOf(&e)
			}
		case "sender":
			return s.member("type", &e.sender)
		case "changes":
			return s.member("base", &e.rebased)
		}
		if into := e.field(event, string(key)); into != nil {
			return s.decode(into)
		}
		return s.skip()
	})
	if !ok || !s.end() {
		return envelope{}, errNotJSON
	}
	return e, nil
}

// field returns where a member of the outermost object of an event belongs; nil: nowhere.
func (e *envelope) field(event, key string) any {
	switch event + "." + key {
	case "push.ref":
		return &e.ref
	case "push.deleted":
		return &e.deleted
	case "status.sha":
		return &e.sha
	case "status.context":
		return &e.name
	case "status.state":
		return &e.status
	}
	return nil
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
			return s.fields(map[string]any{"id": &e.app, "slug": &e.slug})
		case "status":
			return s.decode(&e.status)
		case "name":
			return s.decode(&e.name)
		case "head_sha":
			return s.decode(&e.sha)
		}
		return s.skip()
	})
}

// branchOf reads the branch of the pull request that comes next.
func (s *scanner) branchOf(e *envelope) bool {
	if !s.sees('{') {
		return s.skip()
	}
	return s.members(func(key []byte) bool {
		if string(key) == "head" {
			return s.member("ref", &e.head)
		}
		return s.skip()
	})
}

// member decodes one member of the object that comes next. Anything else that comes next is stepped over.
func (s *scanner) member(name string, into any) bool {
	return s.fields(map[string]any{name: into})
}

// fields decodes some members of the object that comes next, as member does.
func (s *scanner) fields(into map[string]any) bool {
	if !s.sees('{') {
		return s.skip()
	}
	return s.members(func(key []byte) bool {
		if to := into[string(key)]; to != nil {
			return s.decode(to)
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
