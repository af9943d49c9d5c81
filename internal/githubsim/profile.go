package githubsim

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"waybill/internal/githubsim/wire"
)

// Profile names a set of behaviours of GitHub on a bad day.
type Profile string

// The profiles.
const (
	Lagging  Profile = "lagging"  // its servers do not all know what one of them has answered
	Limiting Profile = "limiting" // it takes few requests, little content, and no large queries
	Noisy    Profile = "noisy"    // webhooks come in any order, twice or never, and other Apps leave suites behind
	Strict   Profile = "strict"   // rules bind Apps, permissions are missing, no answer is of use to another token
	Failing  Profile = "failing"  // requests fail, also those that have had their effect
)

// Profiles lists all profiles.
func Profiles() []Profile { return []Profile{Lagging, Limiting, Noisy, Strict, Failing} }

// trait is one behaviour of a profile. Its row in CONFORMANCE.md says where it is known from, and proves that the
// simulator behaves so.
type trait struct {
	profile Profile
	row     string
	begin   func(r *rand.Rand, w *weather)
}

// weather is what a server behaves like. Its zero value is a good day.
type weather struct {
	lag, looks int
	late       time.Duration
	content    int      // pull requests and comments in a minute; 0: any number
	requests   int      // in an hour; 0: as many as GitHub says
	things     int      // of which a query may ask; 0: any number
	points     int      // that a query costs; 0: one
	shuffled   bool     // webhooks come in any order
	again      int      // one webhook of so many comes twice; 0: none
	suites     bool     // of another App, on each push
	tokens     bool     // ETags depend on the token
	ruled      bool     // rules bind Apps on the default branches
	method     string   // the only merge method that repositories allow; "": all are allowed
	unsent     []string // events that the App's owner has not ticked
	ungranted  string   // a permission that the App does not have; "": it has all
	chances    []wire.Chance
}

// often draws that a fault hits one request of so many.
func (w *weather) often(of int, hits func(wire.RecordedRequest) bool, fault wire.Fault) {
	w.chances = append(w.chances, wire.Chance{Of: of, Hits: hits, Fault: fault})
}

// traits are drawn each from its place in this list: a new one comes last, so that the days of the others stay as they
// are.
var traits = []trait{
	{Lagging, "may not see a new tree yet: 422 Tree SHA does not exist", lagBehind},
	{Lagging, "may not see a new commit yet: 422 Object does not exist; nor a new branch", lagBehind},
	{Lagging, "may list a new pull request a request later", lagBehind},
	{Lagging, "may show a pull request as it was before a push, and refuse to merge the new head: 409", lagBehind},
	{Lagging, "may answer null for more requests, until its background job is done",
		func(r *rand.Rand, w *weather) { w.looks = 1 + r.IntN(6) }},
	{Lagging, "may date the answer to a merge seconds after it",
		func(r *rand.Rand, w *weather) { w.late = time.Duration(1+r.IntN(4)) * time.Second }},

	{Lagging, "may answer any question as it was a few seconds before", func(r *rand.Rand, w *weather) {
		w.often(8+r.IntN(24), asks, wire.Fault{Stale: time.Duration(1+r.IntN(5)) * time.Second})
	}},

	{Limiting, "refuses content that comes too fast, and says neither how much it takes nor when it takes more",
		func(r *rand.Rand, w *weather) { w.content = 5 + r.IntN(16) }},
	{Limiting, "refuses with 403 and a reset when the hour is used up",
		func(r *rand.Rand, w *weather) { w.requests = 300 + r.IntN(700) }},
	{Limiting, "refuses queries of too much: RESOURCE_LIMITS_EXCEEDED",
		func(r *rand.Rand, w *weather) { w.things = 2 + r.IntN(9) }},
	{Limiting, "refuses requests that come too fast with 403 and Retry-After, or with 429",
		func(r *rand.Rand, w *weather) { w.often(60+r.IntN(60), anything, secondaryLimit(r.IntN(2) == 0)) }},

	{Noisy, "may send webhooks in another order than that of the events",
		func(_ *rand.Rand, w *weather) { w.shuffled = true }},
	{Noisy, "may tell of an event twice, under two GUIDs", func(r *rand.Rand, w *weather) { w.again = 2 + r.IntN(8) }},
	{Noisy, "makes a suite of each App that may write checks, of which some are never begun",
		func(_ *rand.Rand, w *weather) { w.suites = true }},

	{Strict, "answers 304 to no other token than the one that got the ETag",
		func(_ *rand.Rand, w *weather) { w.tokens = true }},

	{Strict, "wants a linear history: squashes and rebases only, and no pushed merges",
		func(_ *rand.Rand, w *weather) { w.ruled = true }},
	{Strict, "wants signatures: those of GitHub count, also on commits that an App makes in nobody's name",
		func(_ *rand.Rand, w *weather) { w.ruled = true }},

	{Failing, "may answer 502 though it has done what it was asked", func(r *rand.Rand, w *weather) {
		w.often(8+r.IntN(24), writes, wire.Fault{Belated: http.StatusBadGateway})
	}},
	{Failing, "may close the connection after the effect, without an answer",
		func(r *rand.Rand, w *weather) { w.often(12+r.IntN(24), writes, wire.Fault{LoseReply: true}) }},
	{Failing, "may answer a part of a query with null and an error", func(r *rand.Rand, w *weather) {
		w.often(8+r.IntN(24), queries, wire.Fault{Part: 1 + r.IntN(3)})
	}},
	{Failing, "may fail to make a tree: 422 GitRPC::BadObjectState", func(r *rand.Rand, w *weather) {
		w.often(8+r.IntN(24), makesTrees, badObjectState())
	}},
	{Failing, "may fail one mutation of a document with SERVICE_UNAVAILABLE or TIMEOUT, and do the others",
		func(r *rand.Rand, w *weather) {
			w.often(16+r.IntN(48), opensPulls, wire.Fault{FieldError: unavailable})
			w.often(16+r.IntN(48), opensPulls, wire.Fault{FieldError: slow})
		}},
	{Failing, "may answer 500, 502 or 503 without doing anything", func(r *rand.Rand, w *weather) {
		status := []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable}[r.IntN(3)]
		w.often(12+r.IntN(36), anything, wire.Fault{Status: status})
	}},

	{Lagging, "may answer what is asked right after a write as before it", func(r *rand.Rand, w *weather) {
		w.often(1+r.IntN(3), behindWrite(), wire.Fault{Stale: time.Duration(1+r.IntN(5)) * time.Second})
	}},
	{Limiting, "may want a pause behind a write: 403 and Retry-After", func(r *rand.Rand, w *weather) {
		w.often(4+r.IntN(12), behindWrite(), pause(time.Duration(1+r.IntN(5))*time.Second))
	}},
	{Limiting, "may count several points for a query", func(r *rand.Rand, w *weather) { w.points = 2 + r.IntN(2) }},
	{Failing, "shows a repository, and redirects from a name it had before to its id: GET by 301, anything else by 307",
		func(r *rand.Rand, w *weather) { w.often(40+r.IntN(40), anything, wire.Fault{Moved: true}) }},
	{Strict, "refuses methods that are switched off: 405", func(r *rand.Rand, w *weather) {
		w.method = []string{"", "squash", "rebase", "merge"}[max(0, r.IntN(6)-2)]
	}},
	{Lagging, "may list the files of a pull request as they were before a push", lagBehind},
	{Noisy, "sends no event that the owner of the App has not ticked, whatever its permissions",
		func(r *rand.Rand, w *weather) {
			w.unsent = []string{late[r.IntN(len(late))]}
			if other := late[r.IntN(len(late))]; !slices.Contains(w.unsent, other) && r.IntN(2) == 0 {
				w.unsent = append(w.unsent, other)
			}
		}},
	{Strict, "answers 403 Resource not accessible by integration where a permission is missing",
		func(r *rand.Rand, w *weather) { w.ungranted = optional[r.IntN(len(optional))] }},
}

// late are the events of which an App can find out by asking, only later.
var late = []string{"check_run", "check_suite", "deployment_status", "member", "membership", "organization",
	"pull_request", "pull_request_review", "push", "registry_package", "release", "repository", "status", "team",
	"workflow_run"}

// optional are the permissions without which an App that promotes freight can do some of its work.
var optional = []string{"actions", "checks", "deployments", "issues", "members", "merge_queues", "packages", "statuses"}

// behindWrite returns what reports whether a request asks for something and is the next one behind a write.
func behindWrite() func(wire.RecordedRequest) bool {
	written := false
	return func(r wire.RecordedRequest) bool {
		behind := written && asks(r) && anything(r)
		written = writes(r)
		return behind
	}
}

// lagBehind draws for how many requests writes are hidden: one number for all that lags.
func lagBehind(r *rand.Rand, w *weather) {
	if n := 1 + r.IntN(4); w.lag == 0 {
		w.lag = n
	}
}

// secondaryLimit is GitHub's answer to too many requests at once.
func secondaryLimit(says bool) wire.Fault {
	if says {
		return pause(time.Minute)
	}
	return wire.NewFaults(time.Now).SecondaryLimit(http.StatusTooManyRequests, 0)
}

// pause is GitHub's answer where it wants a pause.
func pause(d time.Duration) wire.Fault {
	return wire.NewFaults(time.Now).SecondaryLimit(http.StatusForbidden, d)
}

// unavailable and slow are GitHub's answers where it cannot open a pull request just now.
var unavailable, slow = cannotOpen("SERVICE_UNAVAILABLE"), cannotOpen("TIMEOUT")

func cannotOpen(because string) *wire.FieldError {
	return &wire.FieldError{
		Field: "createPullRequest", Type: because, Message: "Something went wrong. Please try again later.",
	}
}

// badObjectState is GitHub's answer where its Git could not keep an object.
func badObjectState() wire.Fault {
	return wire.NewFaults(time.Now).BadObjectState()
}

// makesTrees reports whether a request makes a tree.
func makesTrees(r wire.RecordedRequest) bool {
	return r.Writes && strings.HasSuffix(r.Route, "/git/trees")
}

// opensPulls reports whether a request opens a pull request by GraphQL.
func opensPulls(r wire.RecordedRequest) bool { return slices.Contains(r.Fields, "createPullRequest") }

// writes reports whether a request may change something. Tokens are no matter.
func writes(r wire.RecordedRequest) bool {
	return r.Writes && !strings.HasSuffix(r.Route, "/access_tokens")
}

// queries reports whether a request only asks by GraphQL.
func queries(r wire.RecordedRequest) bool { return r.Route == "/graphql" && !r.Writes }

// asks reports whether a request changes nothing.
func asks(r wire.RecordedRequest) bool { return !r.Writes }

// anything reports whether a request is none for a token.
func anything(r wire.RecordedRequest) bool { return !strings.HasSuffix(r.Route, "/access_tokens") }

// Behave has GitHub behave as on a bad day from now on. The seed decides how bad it is, and what happens when. Without
// a profile it is a good day again.
func (s *Server) Behave(seed uint64, profiles ...Profile) {
	s.behave(seed, drawWeather(seed, profiles))
}

// BehaveGranted is Behave where the App keeps all of its permissions and events.
func (s *Server) BehaveGranted(seed uint64, profiles ...Profile) {
	w := drawWeather(seed, profiles)
	w.unsent, w.ungranted = nil, ""
	s.behave(seed, w)
}

// BehaveInOrder is BehaveGranted where webhooks come in order, though some of them come again.
func (s *Server) BehaveInOrder(seed uint64, profiles ...Profile) {
	w := drawWeather(seed, profiles)
	w.unsent, w.ungranted, w.shuffled = nil, "", false
	s.behave(seed, w)
}

// drawWeather draws what GitHub is like under some profiles.
func drawWeather(seed uint64, profiles []Profile) (w weather) {
	for i, t := range traits {
		if slices.Contains(profiles, t.profile) {
			t.begin(rand.New(rand.NewPCG(seed, uint64(i))), &w)
		}
	}
	return w
}

func (s *Server) behave(seed uint64, w weather) {
	s.LagBehind(w.lag)
	s.TestMergesLast(w.looks)
	s.LimitContent(w.content, perHour*w.content)
	s.SetRateLimit(cmp.Or(w.requests, s.options.RateLimit))
	s.Disturb(seed, w.shuffled, w.again)
	s.wire.AnswerLate(w.late)
	s.faults.NowAndThen(seed, w.chances...)
	s.hub.Lock()
	defer s.hub.Unlock()
	if w.ruled != s.ruled {
		s.ruled = w.ruled
		for _, r := range s.hub.Repos.Sorted() {
			r.Bind(w.ruled, w.method)
		}
	}
	s.withhold(w.unsent, w.ungranted)
	s.limits.SetPoints(w.points)
	s.graph.MostThings, s.hub.Checks.Others, s.api.TagTokens = w.things, w.suites, w.tokens
}

// withheld is what a day has taken from the App.
type withheld struct {
	events            []string
	permission, level string // the level that it had; "": nothing
}

// withhold takes events and a permission from the App, and gives it back what was taken before.
func (s *Server) withhold(events []string, permission string) {
	apps, before := s.hub.Apps, s.withheld
	s.withheld = withheld{events: events}
	for _, event := range before.events {
		apps.Subscribe(event, true)
	}
	for _, event := range events {
		apps.Subscribe(event, false)
	}
	if permission == before.permission {
		s.withheld.permission, s.withheld.level = before.permission, before.level
		return
	}
	if before.level != "" {
		apps.Permit(before.permission, before.level)
	}
	s.withheld.permission, s.withheld.level = permission, apps.Own.Permissions[permission]
	if s.withheld.level != "" {
		apps.Permit(permission, "")
	}
}

// perHour is how many times the content of a minute GitHub takes in an hour.
const perHour = 8
