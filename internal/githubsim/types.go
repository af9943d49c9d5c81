package githubsim

import (
	"waybill/internal/githubsim/hooks"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/signin"
	"waybill/internal/githubsim/wire"
)

// The types of other packages that callers of Server use.
type (
	RepoSettings    = hub.RepoSettings
	Protection      = hub.Protection
	ImageSpec       = hub.ImageSpec
	Route           = wire.Route
	Fault           = wire.Fault
	FieldError      = wire.FieldError
	Faults          = wire.Faults
	RecordedRequest = wire.RecordedRequest
	Delivery        = hooks.Delivery
	WorkflowRun     = signin.WorkflowRun
)

// obj is a JSON object.
type obj = map[string]any
