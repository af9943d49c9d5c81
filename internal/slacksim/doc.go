// Package slacksim is a simulator of Slack at the wire: the Web API over HTTP on loopback TCP, Socket Mode over a
// websocket, signed slash commands, button clicks and events out. It models Slack, not our client: what it answers
// comes from Slack's documentation or a report of what it did, and the conformance table names the source of each row.
//
// The world is the workspace; webAPI takes the App's requests; Courier tells the App of commands, clicks and events.
//
// Three doors lead in. Programs use HTTP. People are played by methods of Server (Slash, Press, Mention, OpenHome),
// which send the events that Slack would send and report how they were acknowledged. Tests and pages read the state
// through Messages, Home and the like, and break it through Faults. An unknown method is reported through
// Options.Report.
package slacksim
