package core

import (
	"cmp"
	"time"

	"waybill/config"
	"waybill/promotion"
)

// resync reads the whole state of GitHub, whether or not webhooks have reported it.
func (w *World) resync() {
	w.resynced = w.now
	w.readConfig()
	for _, p := range w.github.pushes {
		w.learn(pushFact(p))
	}
	for _, p := range w.github.pulls {
		w.learn(pullFact(p.Pull))
	}
	for _, s := range w.github.sources {
		w.learn(sourceFact(*s))
	}
	for _, p := range w.github.pushed {
		w.learn(pushedFact(p))
	}
	for _, t := range w.github.tagged {
		w.learn(taggedFact(t))
	}
	for _, i := range w.github.images {
		w.learn(imageFact(i))
	}
	w.learn(w.github.everyFile)
	w.readSignals()
	w.memory.unsettle(func(*promotion.Stage) bool { return true })
}

func (w *World) readSignals() {
	for _, s := range w.github.signals {
		w.learn(signalFact(s))
	}
	for _, s := range w.github.suites {
		w.learn(suiteFact(s))
	}
}

// resyncDue returns the time of the next regular resync.
func (w *World) resyncDue() time.Time {
	return w.resynced.Add(cmp.Or(w.memory.pipeline.Resync, config.DefaultResync))
}

// resyncRegularly resyncs if a regular resync is due.
func (w *World) resyncRegularly() {
	if !w.now.Before(w.resyncDue()) {
		w.resync()
	}
}

// readConfig takes over the last valid pipeline.
func (w *World) readConfig() {
	if w.memory.pipeline != w.script.Scene.Pipeline {
		w.remove(w.memory.pipeline, w.script.Scene.Pipeline)
		w.memory.takeOver(w.script.Scene.Pipeline, w.now, len(w.github.pushed))
	}
}
