package core

import "waybill/promotion"

// probe reads the conditions of a stage's targets: the newest report of each name, and whether the environments exist.
func (w *World) probe(j *job) {
	stage := w.memory.pipeline.Stage(j.Stage)
	conditions, _ := stage.Conditions()
	states := map[promotion.Condition]string{}
	for _, c := range conditions {
		if c.Kind == promotion.KindEnvironment && w.github.environments[c.Name] {
			states[c] = promotion.Met
		}
		for _, s := range w.github.signals {
			if s.Kind == c.Kind && s.Name == c.Name && s.App == c.App {
				states[c] = s.State
			}
		}
	}
	answer, before := stage.Answers(states, w.now), w.memory.readiness[stage.Name]
	w.memory.readiness[stage.Name] = answer.Follows(&before)
}

// unsettle marks the readiness of some stages as stale.
func (m *memory) unsettle(of func(*promotion.Stage) bool) {
	for _, stage := range m.pipeline.Stages {
		if r, known := m.readiness[stage.Name]; known && of(stage) {
			r.Stale = true
			m.readiness[stage.Name] = r
		}
	}
}
