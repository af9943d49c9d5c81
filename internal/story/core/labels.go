package core

import (
	"slices"
	"strings"

	"waybill/internal/story"
	"waybill/promotion"
	"waybill/promotion/command"
)

// The labels with which people make requests.
const (
	promoteLabel = "promote/"
	holdLabel    = "waybill/hold"
)

// wanted is a request by a label, which waits until its pull request is freight.
type wanted struct {
	pull  story.Pull
	label string
	ask   fact
}

// Label implements play.Pulls.
func (w ground) Label(pull story.Pull, name string, by promotion.Login) error {
	s := w.github.source(pull)
	s.labels = append(without(s.labels, name), name)
	switch {
	case strings.EqualFold(name, holdLabel):
		w.hook(w.labelled(pull, promotion.Command{Verb: promotion.CmdHold, All: true}, by))
	case strings.HasPrefix(name, promoteLabel):
		stage, target := command.PlaceNamed(name[len(promoteLabel):])
		ask := w.labelled(pull,
			promotion.Command{Verb: promotion.CmdPromote, Stage: stage, Target: target, Early: true}, by)
		w.hook(func(m *memory) { m.wanted = append(m.wanted, wanted{pull, name, ask}) })
	}
	return nil
}

// Unlabel implements play.Pulls.
func (w ground) Unlabel(pull story.Pull, name string, by promotion.Login) error {
	s := w.github.source(pull)
	s.labels = without(s.labels, name)
	switch {
	case strings.EqualFold(name, holdLabel):
		w.hook(w.labelled(pull, promotion.Command{Verb: promotion.CmdUnhold, All: true}, by))
	case strings.HasPrefix(name, promoteLabel):
		w.hook(func(m *memory) {
			m.wanted = slices.DeleteFunc(m.wanted, func(l wanted) bool { return l.pull == pull && l.label == name })
		})
	}
	return nil
}

// without returns the labels except name.
func without(labels []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == name })
}

// promoteLabelled makes the requests of labels whose pull requests have become freight.
func (w *World) promoteLabelled() {
	w.memory.wanted = slices.DeleteFunc(w.memory.wanted, func(l wanted) bool {
		if !w.memory.complete(l.pull) {
			return false
		}
		l.ask(w.memory) // the memory keeps one request, even if the webhook of its label is repeated
		return true
	})
}

// complete reports whether a pull request has become freight that has all its images.
func (m *memory) complete(pull story.Pull) bool {
	return slices.ContainsFunc(m.freight, func(f promotion.Freight) bool {
		w := m.pipeline.Warehouse(f.Warehouse)
		return f.Repo == pull.Repo && f.Pull == pull.Number && (w == nil || len(w.Awaits(f)) == 0)
	})
}

// labelled returns the fact of a request by a label.
func (w *World) labelled(pull story.Pull, c promotion.Command, by promotion.Login) fact {
	return w.request(c, by, pull.String(), promotion.Request{PullRepo: pull.Repo, Pull: pull.Number})
}
