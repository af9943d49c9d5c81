package act

import (
	"fmt"
	"net/http"
	"time"

	"waybill/internal/githubsim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// Accidents happen to the program, its clock, GitHub and the webhooks.
type Accidents struct {
	checkout  *ledger.Checkout
	clock     *ledger.Clock
	developer *Developer
	gaps      *ledger.Gaps
	github    *githubsim.Server
	log       *ledger.Journal

	program Program

	Installed []string // the repositories that the App can access
}

// loss is a way in which the App loses permissions, and how it gets them back.
type loss struct {
	what         string
	permission   string // that is taken; empty: it is something else
	begin, again func() error
}

// losses returns the losses that may happen to a repository.
func (x *Accidents) losses(repo string) []loss {
	const allowance = ".github/waybill.yml"
	all := []loss{
		{"the App is uninstalled", "", func() error { return x.github.UninstallApp("acme") }, func() error {
			_, err := x.github.InstallApp("acme", x.Installed...)
			return err
		}},
		{"the App is suspended", "", func() error { return x.github.SuspendApp("acme", true) },
			func() error { return x.github.SuspendApp("acme", false) }},
		{"the App does not reach " + repo, "", func() error { return x.github.ReachRepo(repo, false) },
			func() error { return x.github.ReachRepo(repo, true) }},
		{repo + " is archived", "", func() error { return x.github.ArchiveRepo(repo, true) },
			func() error { return x.github.ArchiveRepo(repo, false) }},
	}
	if repo != shape.Home {
		all = append(all, loss{repo + " does not allow it", "", func() error {
			return x.checkout.PushAt(shape.Place{Repo: repo, Branch: "main"}, "bob", "Take back",
				map[string]*string{allowance: nil})
		}, func() error {
			return x.checkout.PushAt(shape.Place{Repo: repo, Branch: "main"}, "bob", "Allow",
				map[string]*string{allowance: githubsim.Text(shape.Allowing)})
		}})
	}
	return all
}

// loseAccess takes permissions from the App in one repository or everywhere, and restores them later, after other acts.
// After some losses the program must then catch up at once. An archived repository gets no pushes.
func (x *Accidents) loseAccess(a plan.Act) {
	repo := x.Installed[a.A%len(x.Installed)]
	all := x.losses(repo)
	i := a.B % len(all)
	x.log.Note("  %s: %v", all[i].what, all[i].begin())
	x.log.Told.Prose("(%s)", all[i].what)
	heard := !x.gaps.Deaf
	x.gaps.Deaf, x.gaps.Apart, x.gaps.Parted = true, true, true
	if i != 3 {
		x.developer.Publish(a)
	}
	if a.C%3 == 0 {
		x.program.Some(a.C % 40)
	} else {
		x.program.Rest()
		x.program.Pass([]time.Duration{time.Minute, 16 * time.Minute, 3 * time.Hour}[a.A%3])
	}
	x.gaps.Apart = false
	x.log.Note("  it is not so any more: %v", all[i].again())
	x.log.Told.Prose("(it is not so any more)")
	if heard && i < 3 {
		x.program.Regain()
	}
}

// events are those of which a resync finds what they would have told, and two of which none does.
var events = []string{
	"check_run", "check_suite", "deployment_protection_rule", "deployment_status", "issue_comment", "pull_request",
	"pull_request_review", "push", "registry_package", "release", "status", "workflow_run",
}

// withheld returns the change of the App that takes a permission or an event from it, and the one that gives it back.
// It is empty if the App lacks that already.
func (x *Accidents) withheld(a plan.Act) loss {
	if a.A%2 == 0 {
		p := ledger.Permissions[a.B%len(ledger.Permissions)]
		if !x.github.Grants(p.Name, p.Level) {
			return loss{}
		}
		return loss{what: "the App lacks the permission " + p.Name, permission: p.Name,
			begin: func() error { return x.github.Permit(p.Name, "") },
			again: func() error { return x.github.Permit(p.Name, p.Level) }}
	}
	event := events[a.B%len(events)]
	if !x.github.Sends(event) {
		return loss{}
	}
	return loss{what: "the App lacks the event " + event,
		begin: func() error { return x.github.Subscribe(event, false) },
		again: func() error { return x.github.Subscribe(event, true) }}
}

// withhold takes a permission or an event from the App, and gives it back later, after other acts. Tokens keep a
// permission until they expire, after an hour. Once the App has all again the program must catch up by itself: it looks
// every ten minutes, and compares the pipelines with GitHub (docs/github.md).
func (x *Accidents) withhold(a plan.Act) {
	taken := x.withheld(a)
	if taken.begin == nil {
		return
	}
	x.log.Note("  %s: %v", taken.what, taken.begin())
	x.log.Told.Prose("(%s)", taken.what)
	heard := !x.gaps.Missed("pull_request", "push", "release")
	x.gaps.Miss(x.github.Unsent())
	if taken.permission != "" {
		x.gaps.Deny(taken.permission, 61*time.Minute)
	}
	for i, d := range [][]time.Duration{
		{0, time.Hour}, {time.Minute, 16 * time.Minute}, {61 * time.Minute, 3 * time.Hour}, {11 * time.Hour, 0},
	}[a.C%4] {
		x.developer.Publish(plan.Act{A: a.A / 2, B: a.B + i, C: a.C / 4})
		if d == 0 {
			x.program.Some(a.A % 40)
			continue
		}
		x.program.Rest()
		x.program.Pass(d)
	}
	delete(x.gaps.Denied, taken.permission)
	x.log.Note("  it is not so any more: %v", taken.again())
	x.log.Told.Prose("(it is not so any more)")
	if !heard {
		return
	}
	x.program.Rest()
	x.program.Pass(11 * time.Minute)
	x.program.Regain()
	x.gaps.Compared(x.github.Sends)
}

// spans are durations of waits and accidents.
var spans = []time.Duration{
	time.Second, 40 * time.Second, 3 * time.Minute, 16 * time.Minute, 61 * time.Minute, 3 * time.Hour, 12 * time.Hour,
}

// waits are indexes of spans, repeated by how often each is drawn.
var waits = []int{0, 1, 2, 3, 3, 4, 4, 4, 5, 6}

// crash kills the process and starts it again.
func (x *Accidents) crash(a plan.Act) {
	x.unheard(a)
	x.program.Restart(spans[a.A%4])
}

// crashSoon makes the process die at one of its next reads of the clock, or while it handles webhooks that have come
// together.
func (x *Accidents) crashSoon(a plan.Act) {
	x.unheard(a)
	if a.B%2 == 0 {
		x.program.Deliveries().Late, x.program.Deliveries().Deadly = 30, 1+a.A%15
		return
	}
	x.program.DieAfter(1 + a.A%20)
}

// disturb makes webhooks get lost, arrive twice, late or in another order.
func (x *Accidents) disturb(a plan.Act) {
	x.unheard(a)
	n := 1 + a.B%6
	switch a.A % 4 {
	case 0:
		x.program.Deliveries().Lose = n
	case 1:
		x.program.Deliveries().Double = n
	case 2:
		x.program.Deliveries().Late = n * 5
	case 3:
		x.program.Deliveries().Shuffled = !x.program.Deliveries().Shuffled
	}
}

// setClock sets the clock, at most once, so that its error is known.
func (x *Accidents) setClock(a plan.Act) {
	x.unheard(a)
	if x.clock.Stepped() {
		return
	}
	x.clock.Set([]time.Duration{-time.Second, time.Minute, -5 * time.Minute, time.Hour, -time.Hour}[a.A%5])
	x.log.Note("  the clock is %s off", x.clock.Skew())
	x.program.WakeAll()
}

// wait lets time pass.
func (x *Accidents) wait(a plan.Act) {
	d := spans[waits[a.A%len(waits)]]
	x.log.Told.Happening("wait %s", d)
	x.program.Pass(d)
}

// freeze lets time pass while the process stands still.
func (x *Accidents) freeze(a plan.Act) {
	x.log.Told.Prose("(%s)", a)
	x.program.Freeze(spans[a.A%5])
}

// resync has a person request a resync.
func (x *Accidents) resync(plan.Act) {
	x.log.Told.Happening("resync")
	x.program.Resync()
}

// unheard records an accident that may have kept information from the program.
func (x *Accidents) unheard(a plan.Act) {
	x.gaps.Deaf = true
	if a.Kind == Crash {
		x.log.Told.Happening("restart")
	} else {
		x.log.Told.Prose("(%s)", a)
	}
}

// away stops or freezes the process for longer than GitHub lists webhooks, and longer than some records are kept.
func (x *Accidents) away(a plan.Act) {
	const day = 24 * time.Hour
	x.unheard(a)
	x.gaps.Forgot = true
	long := []time.Duration{4 * day, 20 * day, 120 * day}[a.B%3]
	x.log.Note("  nobody is there for %s", long)
	if a.A%2 == 0 {
		x.program.Restart(long)
	} else {
		x.program.Miss()
		x.program.Freeze(long)
	}
	if a.C%2 == 0 {
		x.program.Pass(5 * time.Minute) // old records are deleted before anything else happens
	}
}

// always is longer than a history.
const always = 1000 * time.Hour

// requestFaults are the ways in which a request to GitHub can fail.
var requestFaults = []func(f *githubsim.Faults) githubsim.Fault{
	func(*githubsim.Faults) githubsim.Fault { return githubsim.Fault{Status: http.StatusBadGateway} },
	func(*githubsim.Faults) githubsim.Fault { return githubsim.Fault{LoseReply: true} },
	func(*githubsim.Faults) githubsim.Fault { return githubsim.Fault{LoseReply: true} },
	func(*githubsim.Faults) githubsim.Fault { return githubsim.Fault{Status: http.StatusUnauthorized} },
	func(*githubsim.Faults) githubsim.Fault { return githubsim.Fault{Stale: always} },
	func(f *githubsim.Faults) githubsim.Fault { return f.PrimaryLimit(http.StatusForbidden, 20*time.Minute) },
	func(f *githubsim.Faults) githubsim.Fault { return f.SecondaryLimit(http.StatusForbidden, time.Minute) },
	func(f *githubsim.Faults) githubsim.Fault { return f.SecondaryLimit(http.StatusTooManyRequests, 0) },
	func(*githubsim.Faults) githubsim.Fault {
		return githubsim.Fault{Status: http.StatusInternalServerError, Times: 4}
	},
}

// refusable are the requests that carry out promotions.
var refusable = []githubsim.Route{
	{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/git/trees"},
	{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/git/commits"},
	{Method: http.MethodPost, Path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches"},
	{Method: http.MethodPut, Path: "/repos/{owner}/{repo}/pulls/{pull_number}/merge"},
	{Field: "createRef"}, {Field: "createPullRequest"}, {Field: "updateRefs"},
}

// refuse makes GitHub refuse a request of a promotion once or a few times, with a message that the program does not
// know.
func (x *Accidents) refuse(a plan.Act) {
	route := refusable[a.B%len(refusable)]
	body := fmt.Sprintf(`{"message": %q, "documentation_url": "https://docs.github.com/rest"}`, ledger.ForNow)
	x.github.Faults().FailNext(route, githubsim.Fault{Status: http.StatusForbidden, Body: body, Times: 1 + a.A%4})
	x.log.Note("  GitHub refuses the next %s%s", route.Path, route.Field)
}

// failRequest makes one of the next requests fail.
func (x *Accidents) failRequest(a plan.Act) {
	x.unheard(a)
	if a.C%4 == 0 {
		x.refuse(a)
		return
	}
	f := x.github.Faults()
	fault := requestFaults[a.A%len(requestFaults)](f)
	fault.Nth = 1 + a.B%12
	x.gaps.Hidden = x.gaps.Hidden || fault.Stale > 0
	f.FailNext(githubsim.Route{}, fault)
	x.log.Note("  request %d from now fails: status=%d lost=%t stale=%t", fault.Nth, fault.Status, fault.LoseReply,
		fault.Stale > 0)
}
