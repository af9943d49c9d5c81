package learn

import (
	"waybill/app/env"
	"waybill/app/quota"
)

// Learn has the parts of the package.
type Learn struct {
	Files      *Files
	Requests   *Requests
	Candidates *Candidates
	PullFiles  *PullFiles
	Reports    *Reports
	Rules      *Rules
}

// New returns a Learn.
func New(e *env.Env) *Learn {
	pulls := newPullFiles(e)
	return &Learn{&Files{e, quota.New()}, &Requests{e}, &Candidates{e, pulls}, pulls, &Reports{e}, &Rules{e}}
}

// Files learns from the files of pipelines and stages.
type Files struct {
	*env.Env
	asked *quota.Quota // about repositories of other owners
}

// Requests learns the rights of people who give commands, and records their requests.
type Requests struct{ *env.Env }

// Candidates learns about pull requests into the branches of guarded files. Where no stage guards its files, it asks
// nothing and keeps nothing (semantics 4.8).
type Candidates struct {
	*env.Env
	pulls *PullFiles
}

// Reports records the freight that CI reports.
type Reports struct{ *env.Env }
