package githubsim

import (
	"fmt"

	"waybill/internal/githubsim/contract"
	"waybill/internal/githubsim/hooks"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
	"waybill/internal/githubsim/wire"
)

// webhooks converts each event to a webhook: it renders the event, adds the fields that GitHub's description requires,
// and checks the result against the description.
type webhooks struct {
	contract *contract.Contract // nil: payloads have only the fields of the state
	render   *render.Renderer
	courier  *hooks.Courier
	report   func(error)
	breach   func(error)
}

func (h *webhooks) tell(e hub.Event) {
	payload := h.render.Webhook(e)
	if h.contract != nil {
		filled, err := h.contract.FillWebhook(e.Name, e.Action, payload)
		if err != nil {
			h.report(fmt.Errorf("complete webhook %s %s: %w", e.Name, e.Action, err))
		} else {
			payload = filled
		}
	}
	body, err := wire.Encode(payload)
	if err != nil {
		h.report(fmt.Errorf("encode webhook %s %s: %w", e.Name, e.Action, err))
		return
	}
	if h.contract != nil {
		if err := h.contract.CheckWebhook(e.Name, body); err != nil {
			h.breach(err)
		}
	}
	repository := int64(0)
	if e.Repo != nil {
		repository = e.Repo.ID
	}
	h.courier.Take(e.Name, e.Action, e.Install.ID, repository, body)
}
