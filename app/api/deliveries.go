package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"waybill/promotion"
	"waybill/store"
)

// Deliveries is a page of deliveries.
type Deliveries struct {
	Deliveries []Delivery `json:"deliveries" doc:"newest first"`
	Next       string     `json:"next,omitempty" doc:"the cursor of the next page; without it this is the last"`
}

// Delivery is something that came from outside to be handled: mostly a webhook.
type Delivery struct {
	GUID         string     `json:"guid" doc:"its id; GitHub calls it X-GitHub-Delivery"`
	Source       string     `json:"source" doc:"github, slack, api or clock"`
	Event        string     `json:"event" doc:"the source's name of the event, such as check_run"`
	Action       string     `json:"action,omitempty" doc:"such as completed"`
	Repo         string     `json:"repo,omitempty" doc:"the repository that it is about"`
	Installation int64      `json:"installation,omitempty" doc:"the App's installation that it came from"`
	State        string     `json:"state" doc:"waiting, handled or parked"`
	Received     time.Time  `json:"received" doc:"when it came first"`
	Attempts     int        `json:"attempts" doc:"how often it was tried"`
	NextLook     *time.Time `json:"nextLook,omitempty" doc:"when it is tried next"`
	Error        string     `json:"error,omitempty" doc:"why the last try failed, or why it is parked"`
}

// DeliveryDetail is a delivery with its contents.
type DeliveryDetail struct {
	Delivery
	Body json.RawMessage `json:"body,omitempty" doc:"as it came; only for a token with scope=operate"`
}

// deliveries lists the deliveries in one state.
func (s *Server) deliveries(c *call) (any, error) {
	var before int64
	limit, err := c.page(&before)
	if err != nil {
		return nil, err
	}
	state := store.DeliveryParked
	if asked := c.URL.Query().Get("state"); asked != "" {
		state = store.DeliveryState(asked)
	}
	switch state {
	case store.DeliveryParked, store.DeliveryWaiting, store.DeliveryHandled:
	default:
		return nil, badRequest("a delivery is parked, waiting or handled: there is no state %q", state)
	}
	page := Deliveries{Deliveries: []Delivery{}}
	err = s.view(c.Context(), func(tx *store.Tx) error {
		all, err := tx.Inbox.DeliveriesBefore(state, before, limit+1)
		if len(all) > limit {
			all = all[:limit]
			page.Next = nextCursor(all[limit-1].Seq)
		}
		page.Deliveries = list(all, deliveryOf)
		return err
	})
	return page, err
}

// oneDelivery shows a delivery.
func (s *Server) oneDelivery(c *call) (any, error) {
	var d store.Delivery
	err := s.view(c.Context(), func(tx *store.Tx) (err error) {
		d, err = tx.Inbox.Delivery(deliveryID(c))
		return err
	})
	if err != nil {
		return nil, err
	}
	answer := DeliveryDetail{Delivery: deliveryOf(d)}
	if c.who.mayEverywhere(Operate) == nil && json.Valid(d.Body) {
		answer.Body = d.Body
	}
	return answer, nil
}

// replay has a delivery handled that was parked, or that waits for its next try.
func (s *Server) replay(c *call) (any, error) {
	var d store.Delivery
	err := s.store.Update(c.Context(), func(tx *store.Tx) (err error) {
		id := deliveryID(c)
		if d, err = tx.Inbox.Delivery(id); err != nil {
			return err
		}
		if d.State == store.DeliveryHandled {
			return newProblem(http.StatusConflict, "delivery %s has been handled: there is nothing left to replay", d.GUID)
		}
		if err := tx.Inbox.ReplayDelivery(id); err != nil {
			return err
		}
		if err := tx.Audit.Log(store.Event{
			Kind: store.EventCommand, Word: "replay", By: c.who.Person(), Source: "api", Outcome: string(promotion.Done),
			Text: c.who.String() + ": " + id,
		}); err != nil {
			return err
		}
		d, err = tx.Inbox.Delivery(id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return deliveryOf(d), nil
}

// deliveryID is the delivery that a path names: by its GUID if it is GitHub's, else with its source before it.
func deliveryID(c *call) string {
	guid := c.PathValue("guid")
	if strings.Contains(guid, ":") {
		return guid
	}
	return "github:" + guid
}

func deliveryOf(d store.Delivery) Delivery {
	answer := Delivery{
		GUID: d.GUID, Source: d.Source, Event: d.Event, Action: d.Action, Repo: string(d.Repo), Installation: d.Installation,
		State: string(d.State), Received: d.Received.UTC(), Attempts: d.Attempts, Error: d.Error,
	}
	if d.State == store.DeliveryWaiting && d.Attempts > 0 {
		answer.NextLook = when(d.RunAt)
	}
	return answer
}
