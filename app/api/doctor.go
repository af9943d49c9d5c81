package api

import "time"

// Health is everything that was looked at to find out whether something is wrong, with what was found.
type Health struct {
	At       time.Time `json:"at" doc:"the server's time"`
	State    string    `json:"state" doc:"the worst state of all findings: ok, warn or fail"`
	Findings []Finding `json:"findings" doc:"the App, its permissions and events, the pipelines, and the server"`
}

// Finding is what was found where one thing was looked at.
type Finding struct {
	Check string `json:"check" doc:"what was looked at: app, permission, pipeline, webhook, database and others"`
	About string `json:"about,omitempty" doc:"the permission, event, account or repository"`
	State string `json:"state" doc:"ok; warn: it may be meant so; fail: something that is used does not work"`
	Says  string `json:"says" doc:"what was found"`
	Off   string `json:"off,omitempty" doc:"what does not work until that is mended"`
	Do    string `json:"do,omitempty" doc:"what to do"`
	Link  string `json:"link,omitempty" doc:"the page where that is done"`
}

// The states of a finding, from best to worst.
const (
	StateOK   = "ok"
	StateWarn = "warn"
	StateFail = "fail"
)

// doctor says what is wrong.
func (s *Server) doctor(c *call) (any, error) { return s.adapter.Doctor(c.Context()) }
