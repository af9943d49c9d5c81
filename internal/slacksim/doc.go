// Package slacksim is a simulator of Slack at the wire: the Web API over HTTP on loopback TCP, Socket Mode over a
// websocket, signed slash commands, button clicks and events out. It models Slack, not Waybill's client: its answers
// follow Slack's documentation or a report of Slack's behaviour, and the conformance table names the source of each
// row.
//
// The type world is the workspace; webAPI handles the App's requests; Courier delivers commands, clicks and events to
// the App.
//
// The simulator has three kinds of users. Programs use HTTP. Methods of Server act as people (Slash, Press, Mention,
// OpenHome): they send the events that Slack would send and return the App's acknowledgement. Tests and pages read the
// state through Messages, Home and the like, and inject failures through Faults. An unknown method is reported through
// Options.Report.
package slacksim
