package rest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"waybill/internal/githubsim/hooks"
	"waybill/internal/githubsim/hub"
	"waybill/internal/githubsim/render"
)

func deliveryRoutes(t *table) {
	t.app("GET /app/hook/config", showHookConfig)
	t.app("PATCH /app/hook/config", changeHookConfig)
	t.app("GET /app/hook/deliveries", listDeliveries)
	t.app("GET /app/hook/deliveries/{delivery_id}", showDelivery)
	t.app("POST /app/hook/deliveries/{delivery_id}/attempts", redeliver)
}

func showHookConfig(c *call) (reply, error) {
	return ok(obj{"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": c.api.Courier.WebhookURL()}),
		nil
}

func changeHookConfig(c *call) (reply, error) {
	var in struct{ URL *string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.URL != nil {
		c.api.Courier.SetWebhookURL(*in.URL)
	}
	return showHookConfig(c)
}

// listDeliveries lists attempts, newest first, with GitHub's cursor: the id of the first attempt on the page.
func listDeliveries(c *call) (reply, error) {
	all := c.api.Courier.Listed()
	slices.Reverse(all)
	if from, to, filtered := outcomes(c.query("status", "")); filtered {
		all = slices.DeleteFunc(all, func(d hooks.Delivery) bool { return d.StatusCode < from || d.StatusCode > to })
	}
	if cursor := c.query("cursor", ""); cursor != "" {
		at := slices.IndexFunc(all, func(d hooks.Delivery) bool { return strconv.FormatInt(d.ID, 10) == cursor })
		if at < 0 {
			return reply{}, hub.Refuse(http.StatusBadRequest, "Invalid cursor")
		}
		all = all[at:]
	}
	size := clamp(c.query("per_page", ""), defaultPage, largestPage)
	header := http.Header{}
	if len(all) > size {
		header.Set("Link", "<"+c.Render.URL+"/api/v3/app/hook/deliveries?per_page="+strconv.Itoa(size)+"&cursor="+
			strconv.FormatInt(all[size].ID, 10)+`>; rel="next"`)
		all = all[:size]
	}
	return reply{
		Status: http.StatusOK, Header: header, Body: render.List(all, func(d hooks.Delivery) any { return deliveryJSON(d) }),
	}, nil
}

// outcomes returns the range of status codes of a filter.
func outcomes(filter string) (from, to int, filtered bool) {
	switch filter {
	case "success":
		return 200, 399, true
	case "failure":
		return 400, 599, true
	}
	return 0, 0, false
}

func deliveryJSON(d hooks.Delivery) obj {
	j := obj{
		"id": d.ID, "guid": d.GUID, "delivered_at": render.Stamp(d.At), "redelivery": d.Redelivery, "duration": 0.1,
		"status":      d.Status,
		"status_code": d.StatusCode, "event": d.Event, "action": render.Optional(d.Action), "installation_id": nil,
		"repository_id": nil,
		"throttled_at":  nil,
	}
	if d.InstallationID != 0 {
		j["installation_id"] = d.InstallationID
	}
	if d.RepositoryID != 0 {
		j["repository_id"] = d.RepositoryID
	}
	return j
}

func (c *call) delivery() (hooks.Delivery, error) {
	for _, d := range c.api.Courier.Listed() {
		if strconv.FormatInt(d.ID, 10) == c.params["delivery_id"] {
			return d, nil
		}
	}
	return hooks.Delivery{}, hub.NotFound()
}

func showDelivery(c *call) (reply, error) {
	d, err := c.delivery()
	if err != nil {
		return reply{}, err
	}
	j := deliveryJSON(d)
	headers := obj{}
	for key, values := range c.api.Courier.Header(&d) {
		headers[key] = values[0]
	}
	answered := obj{}
	for key, values := range d.ResponseHeader {
		answered[key] = values[0]
	}
	j["request"] = obj{"headers": headers, "payload": json.RawMessage(d.Payload)}
	j["response"] = obj{"headers": answered, "payload": render.Optional(d.ResponseBody)}
	j["url"] = c.api.Courier.WebhookURL()
	return ok(j), nil
}

// redeliver sends a delivery again. It answers 202, because the delivery is sent later.
func redeliver(c *call) (reply, error) {
	d, err := c.delivery()
	if err != nil {
		return reply{}, err
	}
	c.api.Courier.Resend(d)
	return reply{Status: http.StatusAccepted, Body: obj{}}, nil
}
