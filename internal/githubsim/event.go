package githubsim

import (
	"fmt"
)

// event is something that happened, on its way to become a webhook.
type event struct {
	name    string
	action  string
	install *installation
	repo    *repository // nil for events of an installation
	payload obj
}

// emitRepo sends an event of a repository to the App under test, if it is installed there and may see such events.
func (w *world) emitRepo(r *repository, name, action string, sender *account, payload obj) {
	install, found := w.installationOf(r)
	if !found || !install.suspended.IsZero() || !w.app.sees(name) {
		return
	}
	payload["repository"] = w.repoJSON(r)
	if r.owner.kind == kindOrg {
		payload["organization"] = w.organizationJSON(r.owner)
	}
	payload["installation"] = obj{"id": install.id, "node_id": nodeID("I", install.id)}
	w.send(event{name: name, action: action, install: install, repo: r, payload: payload}, sender)
}

// emitOrg sends an event of an organization to the App under test, if it is installed there.
func (w *world) emitOrg(org *account, name, action string, payload obj) {
	install, found := w.installationFor(org)
	if !found || !install.suspended.IsZero() || !w.app.sees(name) {
		return
	}
	payload["organization"] = w.organizationJSON(org)
	payload["installation"] = obj{"id": install.id, "node_id": nodeID("I", install.id)}
	w.send(event{name: name, action: action, install: install, payload: payload}, org.ruler())
}

// emitApp sends an event of an installation.
func (w *world) emitApp(install *installation, name, action string, sender *account, payload obj) {
	payload["installation"] = w.installationJSON(install)
	w.send(event{name: name, action: action, install: install, payload: payload}, sender)
}

func (w *world) send(e event, sender *account) {
	if e.action != "" {
		e.payload["action"] = e.action
	}
	e.payload["sender"] = w.accountJSON(sender)
	w.emit(e)
}

// deliver completes an event to what GitHub's description requires and queues it for the App.
func (s *Server) deliver(e event) {
	payload := e.payload
	if s.contract != nil {
		filled, err := s.contract.FillWebhook(e.name, e.action, payload)
		if err != nil {
			s.report(fmt.Errorf("complete webhook %s %s: %w", e.name, e.action, err))
		} else {
			payload = filled
		}
	}
	body, err := encode(reply{body: payload})
	if err != nil {
		s.report(fmt.Errorf("encode webhook %s %s: %w", e.name, e.action, err))
		return
	}
	if s.contract != nil {
		if err := s.contract.CheckWebhook(e.name, body); err != nil {
			s.reportBreach(err)
		}
	}
	s.courier.enqueue(e, body)
}
