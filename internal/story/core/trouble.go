package core

import (
	"waybill/promotion"
)

// LoseWebhooks implements play.Trouble.
func (w ground) LoseWebhooks() { w.faults.losing = true }

// DeliverLost implements play.Trouble.
func (w ground) DeliverLost() error {
	lost := w.faults.lost
	w.faults.losing, w.faults.lost = false, nil
	for _, f := range lost {
		w.deliver(f)
		if err := w.rest(); err != nil {
			return err
		}
	}
	return nil
}

// Redeliver implements play.Trouble.
func (w ground) Redeliver(n int) error {
	sent := w.faults.sent
	for _, fact := range sent[max(len(sent)-n, 0):] {
		w.learn(fact)
	}
	return nil
}

// Restart implements play.Trouble. It does nothing, because memory survives a restart.
func (w ground) Restart() error { return nil }

// Resync implements play.Trouble.
func (w ground) Resync() error {
	w.resync()
	return nil
}

// CrashAt implements play.Trouble.
func (w ground) CrashAt(boundary string, effect promotion.Verb) error {
	w.faults.crashes = append(w.faults.crashes, crash{boundary: boundary, verb: effect})
	return nil
}

// FailAt implements play.Trouble.
func (w ground) FailAt(effect promotion.Verb, code, times int) error {
	w.faults.failures = append(w.faults.failures, failure{verb: effect, code: code, times: times})
	return nil
}
