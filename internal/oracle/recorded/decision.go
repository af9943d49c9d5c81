package recorded

import "time"

// Decision is all that Decide returned.
type Decision struct {
	Promotions []Promotion `json:",omitzero"`
	Stays      []Stay      `json:",omitzero"`
	Holds      []Hold      `json:",omitzero"`
	Approvals  []Approval  `json:",omitzero"`
	Answered   []Answer    `json:",omitzero"`
	Effects    []Effect    `json:",omitzero"`
	Wanted     []Effect    `json:",omitzero"`
	Log        []Entry     `json:",omitzero"`
	Ripples    bool        `json:",omitzero"`
	Wake       time.Time   `json:",omitzero"`
}

// Answer is the outcome of a request.
type Answer struct {
	Request int64  `json:",omitzero"`
	Outcome string `json:",omitzero"`
	About   int64  `json:",omitzero"`
	Plan    string `json:",omitzero"`
	Reason  Reason `json:",omitzero"`
	Rule    string `json:",omitzero"`
}

// Effect is something to be done on the outside.
type Effect struct {
	Verb      string `json:",omitzero"`
	Stage     string `json:",omitzero"`
	Promotion int64  `json:",omitzero"`
	Step      int    `json:",omitzero"`
	Round     int64  `json:",omitzero"`
	Freight   string `json:",omitzero"`
	Outcome   string `json:",omitzero"`
	Reason    Reason `json:",omitzero"`
	Request   int64  `json:",omitzero"`
	Surface   string `json:",omitzero"`
}

// Entry is a line of the audit trail.
type Entry struct {
	At        time.Time `json:",omitzero"`
	Stage     string    `json:",omitzero"`
	Promotion int64     `json:",omitzero"`
	State     string    `json:",omitzero"`
	Event     string    `json:",omitzero"`
	Class     string    `json:",omitzero"`
	SHA       string    `json:",omitzero"`
	Freight   string    `json:",omitzero"`
	Reason    Reason    `json:",omitzero"`
	By        Actor     `json:",omitzero"`
}
