// Package githubsim is a simulator of GitHub at the wire: HTTP on loopback TCP, REST under /api/v3 and GraphQL at /api/graphql,
// App and installation tokens, real Git underneath, webhooks out. It models GitHub, not our client: what it answers comes from
// GitHub's own description, its documentation or a report of what it did, and the conformance suite names the source of each row.
//
// Three doors lead in. Programs use HTTP. People are played by methods of Server (OpenPull, MergePull, Comment), which send the
// webhooks that GitHub would send. Tests read the state through Pulls, File, CheckRuns and the like, break it through Faults, and
// wait for the webhooks with Settle. An unknown route, an unsupported GraphQL field and an exchange that breaks GitHub's
// description are reported through Options.Report: a silent 404 would hide a gap of the simulator.
package githubsim
