// Package githubsim is a simulator of GitHub at the wire: HTTP on loopback TCP, REST under /api/v3 and GraphQL at
// /api/graphql, App and installation tokens, real Git underneath, webhooks out. It models GitHub, not Waybill's client:
// its answers follow GitHub's own description, its documentation or a report of its behaviour, and the conformance
// suite names the source of each row.
//
// Programs use HTTP. Tests act as people by the methods of Admin, Developer and Services (CreateRepo, OpenPull,
// CreateCheckRun), which send the webhooks that GitHub would send, and read the result through Observer (Pulls, File,
// CheckRuns). They inject failures through Faults and the Courier's methods (HoldWebhooks, FailWebhooks), and wait for
// webhooks with Settle. All of these are methods of Server. An unknown route, an unsupported GraphQL field and an
// exchange that violates GitHub's description are reported through Options.Report: a silent 404 would hide a gap of the
// simulator.
//
// # Packages
//
//	githubsim   Server connects the packages; it has methods for people and tests (admin, developer, services, observer)
//	wire        records requests and injects faults, and does not interpret requests
//	contract    checks exchanges and webhooks against GitHub's description
//	rest        routes of the REST API
//	graphql     objects and mutations of the GraphQL API, which graph executes
//	access      tokens, permissions, limits
//	hub         the state and its rules; gitstore has the Git objects and references
//	render      the hub as JSON, for REST and for webhooks
//	hooks       the courier of webhooks
//	signin      the pages for signing in, and the issuer of workflow tokens
//
// A request goes wire -> contract -> rest or graphql -> access -> hub. The hub reports each change as a hub.Event, and
// webhooks.go sends it on: render -> contract -> hooks. No package imports one that is before it in this order; a test
// of imports checks this. Package record stands outside: it plays against a real GitHub what is assumed, and compares
// that with a Server.
//
// # Where a change goes
//
//   - A route: a line and a function in the file of its noun in rest. A field or mutation: likewise in graphql.
//   - A webhook: the type of the hub that makes the change sends an Event (hub/events.go), render/webhook.go renders
//     its subject, and hub/apps.go has the permission that an App needs for it.
//   - An action of people: admin*.go, developer*.go or services.go. A read by tests: observer*.go.
//   - A fault of requests (lost or stale answers, errors after the effect, secondary limits): wire/faults.go.
//   - A fault of webhooks (order, doubles, loss): hooks/faults.go. Events without a subscription: Sees in hub/apps.go.
//     Suites of other Apps: Checks.pushed in hub/checks.go.
//   - A limit of requests or points: access/limits.go. A limit of content (pull requests, comments): Tracker, which
//     opens and writes all of them. A limit of the size of a GraphQL document: graphql/api.go before its execution,
//     graph/execute.go during it.
//   - A rule of branches or merge methods: hub/rules.go, and rest/branches.go shows it. Signatures: hub/rules.go and
//     verification in render/commits.go.
//   - A delay: hub.New lists the consequences of a push, a report and a review; Hub.Request begins each request, so
//     that a delay can count requests; Repository.Seen is the Git repository that requests read; Pulls.Look in
//     hub/mergeability.go decides when the mergeability is known; wire/wire.go has the Date.
//   - A behaviour of GitHub on a bad day: a row in traits (profile.go), with the row of the conformance suite that
//     proves it. Server.Behave draws how bad it is.
//   - Permissions and tokens: access/authorize.go and access/tokens.go. ETags: rest/finish.go. Former names of
//     repositories: API.repository in rest/api.go.
package githubsim
