package learn

import (
	"waybill/app/env"
)

// Learn asks GitHub for what is not known, and returns how to record it.
type Learn struct {
	Files      *Files
	Requests   *Requests
	Candidates *Candidates
	Reports    *Reports
}

// New returns a Learn.
func New(e *env.Env) *Learn {
	return &Learn{&Files{e}, &Requests{e}, &Candidates{e}, &Reports{e}}
}

// Files learns from the files of pipelines and stages.
type Files struct{ *env.Env }

// Requests learns who may do what people ask for.
type Requests struct{ *env.Env }

// Candidates learns which pull requests people want to merge into the branches of stages that guard their files. Where
// no stage guards anything, it asks nothing and keeps nothing (semantics 4.8).
type Candidates struct{ *env.Env }

// Reports makes freight of reports of CI.
type Reports struct{ *env.Env }
