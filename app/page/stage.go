package page

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"waybill/app/api"
)

// place is the page of a stage.
type place struct {
	card
	Waiting []asked
	Freight []api.Standing
	Past    []api.Promotion
	Offers  []offer
}

// offer is a command that fits a stage as it is now.
type offer struct{ Command, Label string }

// stage shows a stage with its freight, its queue and its earlier promotions.
func stage(v *visit) (page, error) {
	name := v.r.PathValue("stage")
	var s api.StageDetail
	if err := v.get(&s, v.of("/stages/"+url.PathEscape(name))); err != nil {
		return page{}, err
	}
	var past api.Promotions
	if err := v.get(&past, v.of("/promotions?limit=20&stage="+url.QueryEscape(s.Name))); err != nil {
		return page{}, err
	}
	p := &place{
		card: cardOf(s.Stage), Waiting: waiting(s.Stage),
		Freight: s.Freight, Past: past.Promotions, Offers: offers(s.Stage),
	}
	return page{template: "stage.html", title: s.Name + " of " + v.Repo, data: p, live: v.of("/events")}, nil
}

// offers are the commands that fit a stage as it is now. Whether the visitor may give them is known when they do.
func offers(s api.Stage) (all []offer) {
	add := func(label string, words ...string) {
		command := strings.TrimPrefix(strings.Join(words, " "), "/")
		if !slices.ContainsFunc(all, func(o offer) bool { return o.Command == command }) {
			all = append(all, offer{command, label})
		}
	}
	if i := available(s); i >= 0 {
		add("Promote "+s.Coming[i].Freight, "promote", s.Name, s.Coming[i].Freight)
	}
	if p := s.Active; p != nil {
		if strings.HasPrefix(p.Why.Next, "/approve") {
			add("Approve "+p.Freight, p.Why.Next)
			add("Deny "+p.Freight, "deny", s.Name)
		}
		if p.Merged == nil {
			add("Cancel "+p.Freight, "cancel", s.Name)
		}
	}
	for _, h := range s.Hosts {
		if strings.HasPrefix(h.Next, "/retry") {
			add("Retry "+h.Freight, h.Next)
		}
		if strings.HasPrefix(h.Next, "/verify") {
			add("Look at the checks again", h.Next)
		}
	}
	held := func(h api.Hold) bool { return !h.WholePipeline && h.Target == "" && h.Warehouse == "" }
	if slices.ContainsFunc(s.Holds, held) {
		add("Lift the hold", "unhold", s.Name)
	} else {
		add("Hold", "hold", s.Name)
	}
	for _, h := range s.Holds {
		if h.Warehouse != "" {
			add("Lift the hold of "+h.Warehouse, "unhold", s.Name, h.Warehouse)
		}
	}
	if s.Back != "" {
		add("Roll back to "+s.Back, "rollback", s.Name, "to", s.Back)
	}
	return all
}

// onePromotion shows a promotion with its notes, commands and steps at GitHub.
func onePromotion(v *visit) (page, error) {
	var p api.PromotionDetail
	if err := v.get(&p, v.of("/promotions/"+url.PathEscape(v.r.PathValue("number")))); err != nil {
		return page{}, err
	}
	title := fmt.Sprintf("Promotion %d: %s to %s", p.Number, p.Freight, p.Stage)
	return page{template: "promotion.html", title: title, data: p, live: v.of("/events")}, nil
}
