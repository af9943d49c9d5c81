// Package githubsim is a simulator of GitHub at the wire: HTTP on loopback TCP, REST under /api/v3 and GraphQL at
// /api/graphql, App and installation tokens, real Git underneath, webhooks out. It models GitHub, not our client: what
// it answers comes from GitHub's own description, its documentation or a report of what it did, and the conformance
// suite names the source of each row.
//
// Programs use HTTP. Tests play people by the methods of Admin, Developer and Services (CreateRepo, OpenPull,
// CreateCheckRun), which send the webhooks that GitHub would send, and look at the result through Observer (Pulls,
// File, CheckRuns). They break it through Faults and the Courier's methods (HoldWebhooks, FailWebhooks), and wait for
// webhooks with Settle. All of these are methods of Server. An unknown route, an unsupported GraphQL field and an
// exchange that breaks GitHub's description are reported through Options.Report: a silent 404 would hide a gap of the
// simulator.
//
// # Rooms
//
//	githubsim   Server puts the rooms together; people act and tests look (admin, developer, services, observer)
//	wire        records requests and injects faults, without knowing what the requests mean
//	contract    holds exchanges and webhooks against GitHub's description
//	rest        routes of the REST API
//	graphql     objects and mutations of the GraphQL API, which graph executes
//	access      tokens, permissions, limits
//	hub         the state and its rules; gitstore has the Git objects and references
//	render      the hub as JSON, for REST and for webhooks
//	hooks       the courier of webhooks
//	signin      the pages for signing in, and the issuer of the tokens of workflows
//
// A request goes wire -> contract -> rest or graphql -> access -> hub. The hub tells of each change by a hub.Event, and
// webhooks.go takes it on: render -> contract -> hooks. No room knows one that stands before it on the way; a test of
// imports sees to that.
//
// # Where a change goes
//
//   - A route: a line and a function in the file of its noun in rest. A field or mutation: likewise in graphql.
//   - A webhook: the room of the hub that it is about sends an Event (hub/events.go), render/webhook.go renders its
//     subject, and hub/apps.go says which permission shows it to an App.
//   - An act by people: admin*.go, developer*.go or services.go. A look by tests: observer*.go.
//   - A fault of requests (lost or stale answers, errors after the effect, secondary limits): wire/faults.go.
//   - A fault of webhooks (order, doubles, loss): hooks/faults.go. Events without a subscription: sees in hub/apps.go.
//     Suites of other Apps: Checks.pushed in hub/checks.go.
//   - A limit of requests or points: access/limits.go. A limit of content (pull requests, comments): Tracker, which
//     opens and writes all of them. A limit of the size of a GraphQL document: graphql/api.go before it is executed,
//     graph/execute.go while it is.
//   - A rule of branches or merge methods: hub/rules.go, and rest/branches.go shows it. Signatures: hub/rules.go and
//     verification in render/commits.go.
//   - A delay: hub.New names what follows a push, a report and a review; Hub.Request begins each request, by which a
//     delay may count; Repository.Seen is Git as requests read it; Pulls.Look in hub/mergeability.go says when the
//     mergeability is known; rest/finish.go has the Date.
//   - Permissions and tokens: access/authorize.go and access/tokens.go. ETags: rest/finish.go. Names that repositories
//     had before: API.repository in rest/api.go.
package githubsim
