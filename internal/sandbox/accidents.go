package sandbox

import (
	"fmt"
	"net/http"
	"strings"

	"waybill/internal/githubsim"
	"waybill/internal/story"
	"waybill/promotion"
)

// routes are where effects show at GitHub: what a crash or a failure of an effect hits.
var routes = map[promotion.Verb]githubsim.Route{
	promotion.Open:        {Field: "createPullRequest"},
	promotion.Merge:       {Method: http.MethodPut, Path: "/repos/{owner}/{repo}/pulls/{pull_number}/merge"},
	promotion.Commit:      {Field: "updateRefs"},
	promotion.Dispatching: {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches"},
	promotion.Close:       {Method: http.MethodPatch, Path: "/repos/{owner}/{repo}/pulls/{pull_number}"},
	promotion.Observe:     {Field: "repository"},
	promotion.Tell:        {Method: http.MethodPost, Path: "/repos/{owner}/{repo}/issues/{issue_number}/comments"},
}

// fault arms or undoes what goes wrong.
func (w *World) fault(h story.Happening) error {
	switch h.Kind {
	case story.Lose:
		w.github.LoseWebhooks(true)
	case story.Deliver:
		w.github.LoseWebhooks(false)
		w.github.DeliverLost()
	case story.Redeliver:
		w.github.Redeliver(max(h.Count, 1))
	case story.Crash:
		w.github.Faults().FailNext(routes[h.Effect], w.crash(h.Result))
	case story.GitHub:
		w.github.Faults().FailNext(routes[h.Effect], githubsim.Fault{Status: h.Code, Times: max(h.Count, 1)})
	default:
		return fmt.Errorf("%q cannot happen here: this version knows no such thing", h.Kind)
	}
	return nil
}

// crash kills the program before GitHub does what it was asked, or after it has and before the answer arrives.
func (w *World) crash(boundary string) githubsim.Fault {
	kill := func() {
		w.program.cancel()
		w.crashed.Store(true)
	}
	if boundary == "before" {
		return githubsim.Fault{Before: kill, Status: http.StatusBadGateway}
	}
	return githubsim.Fault{After: kill, LoseReply: true}
}

// isPolicy reports whether a file of the archive is meant as the policy file.
func isPolicy(name string) bool { return strings.Contains(name, "policy") }
