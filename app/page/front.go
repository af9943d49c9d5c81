package page

import (
	"fmt"
	"net/url"

	"waybill/app/api"
)

// front lists the pipelines that the visitor may read, or shows the only one.
func front(v *visit) (page, error) {
	var all api.Pipelines
	path := root + "/pipelines?limit=100"
	if cursor := v.r.URL.Query().Get("cursor"); cursor != "" {
		path += "&cursor=" + url.QueryEscape(cursor)
	}
	if err := v.get(&all, path); err != nil {
		return page{}, err
	}
	if len(all.Pipelines) == 1 && all.Next == "" && !v.r.URL.Query().Has("cursor") {
		return page{to: "/pipelines/" + all.Pipelines[0].Repo}, nil
	}
	return page{template: "front.html", title: "Pipelines", data: all}, nil
}

// doctor shows the findings of the doctor.
func doctor(v *visit) (page, error) {
	var health api.Health
	if err := v.get(&health, root+"/doctor"); err != nil {
		return page{}, err
	}
	return page{template: "doctor.html", title: "Health", data: health}, nil
}

// freight lists the freight of a pipeline.
func freight(v *visit) (page, error) {
	var all api.FreightPage
	if err := v.get(&all, v.listed("/freight", 50)); err != nil {
		return page{}, err
	}
	return page{template: "freight.html", title: "Freight of " + v.Repo, data: all, live: v.of("/events")}, nil
}

// audit lists the audit trail of a pipeline.
func audit(v *visit) (page, error) {
	var all api.Trail
	if err := v.get(&all, v.listed("/audit", 100)); err != nil {
		return page{}, err
	}
	return page{template: "audit.html", title: "Audit trail of " + v.Repo, data: all, live: v.of("/events")}, nil
}

// listed is the address of a list in the API, from the place where the visitor is in it.
func (v *visit) listed(path string, limit int) string {
	return fmt.Sprintf("%s?limit=%d&cursor=%s", v.of(path), limit, url.QueryEscape(v.r.URL.Query().Get("cursor")))
}
