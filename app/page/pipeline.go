package page

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"waybill/app/api"
)

// board is the page of a pipeline.
type board struct {
	api.Pipeline
	Asked   string   // for which stages, as commands name them; empty: for all
	Nothing string   // why all are shown although some are asked for: that names none
	Levels  [][]card // from left to right; freight goes into stages of the first from its warehouse alone
	Waiting []asked
	Freight []api.Freight
	Trail   []api.Event
}

// card is a stage on a board.
type card struct {
	api.Stage
	Needs []string // the stages that it takes freight after
	After string   // the same for people; empty: straight from its warehouses
	Mark  mark
	Rest  int // how much more is coming than the card shows
}

// cardOf returns the card of a stage. It shows the targets of a rollout once: with the freight, if the stage hosts it.
func cardOf(s api.Stage) card {
	c := card{Stage: s, After: after(s.Takes), Mark: markOf(s), Rest: max(len(s.Coming)-1, 0)}
	if p := s.Active; p != nil && slices.ContainsFunc(s.Hosts, func(h api.Hosted) bool {
		return h.FreightID == p.FreightID && h.Rollout != nil
	}) {
		once := *p
		once.Rollout, c.Active = nil, &once
	}
	return c
}

// Large reports whether one looks for stages on the board.
func (b *board) Large() bool { return len(b.StageNames) > 12 || b.Asked != "" }

// asked is something that goes on only when a person acts.
type asked struct {
	Stage, Says, Link string
	Next              string // the command for it; empty: it is done on GitHub, behind the link
}

// maxNews is how much freight and how many lines of the audit trail a board has.
const maxNews = 10

// maxCards is how many stages a board shows: more nobody finds, and a browser takes long for them.
const maxCards = 500

// pipeline shows the stages of a pipeline from left to right, and the reasons why they wait.
func pipeline(v *visit) (page, error) {
	b := &board{Asked: strings.TrimSpace(v.r.URL.Query().Get("stages"))}
	if err := b.read(v); err != nil {
		return page{}, err
	}
	var found api.FreightPage
	if err := v.get(&found, fmt.Sprintf("%s?limit=%d", v.of("/freight"), maxNews)); err != nil {
		return page{}, err
	}
	var trail api.Trail
	if err := v.get(&trail, fmt.Sprintf("%s?limit=%d", v.of("/audit"), 5*maxNews)); err != nil {
		return page{}, err
	}
	b.Freight, b.Trail = found.Freight, news(trail.Lines)
	b.Levels = levels(b.Stages)
	for _, s := range b.Stages {
		b.Waiting = append(b.Waiting, waiting(s)...)
	}
	return page{template: "pipeline.html", title: b.Repo, data: b, live: v.of("/events")}, nil
}

// read reads the stages that are asked for; all of them if that names none.
func (b *board) read(v *visit) error {
	all := fmt.Sprintf("%s?most=%d", v.of(""), maxCards)
	if b.Asked == "" {
		return v.get(&b.Pipeline, all)
	}
	err := v.get(&b.Pipeline, all+"&stages="+url.QueryEscape(b.Asked))
	if none := (*api.Problem)(nil); errors.As(err, &none) && none.Status == http.StatusNotFound {
		b.Nothing = none.Detail
		return v.get(&b.Pipeline, all)
	}
	return err
}

// news are the newest lines of the audit trail but for the single steps at GitHub.
func news(lines []api.Event) []api.Event {
	lines = slices.DeleteFunc(slices.Clone(lines), func(e api.Event) bool { return e.Kind == "effect" })
	return lines[:min(len(lines), maxNews)]
}

// levels puts each stage to the right of all stages after which it takes freight. The pipeline file has no cycles.
func levels(stages []api.Stage) [][]card {
	var all [][]card
	level := map[string]int{}
	for _, s := range inOrder(stages) {
		c := cardOf(s)
		at := 0
		for _, t := range s.Takes {
			for _, up := range t.After {
				if l, shown := level[up]; shown {
					at = max(at, l+1)
				}
				if !slices.Contains(c.Needs, up) {
					c.Needs = append(c.Needs, up)
				}
			}
		}
		level[s.Name] = at
		for len(all) <= at {
			all = append(all, nil)
		}
		all[at] = append(all[at], c)
	}
	return all
}

// inOrder returns stages so that each comes behind those after which it takes freight, and otherwise as in the file.
func inOrder(stages []api.Stage) []api.Stage {
	var all []api.Stage
	placed := map[string]bool{}
	var place func(s api.Stage)
	place = func(s api.Stage) {
		if placed[s.Name] {
			return
		}
		placed[s.Name] = true
		for _, t := range s.Takes {
			for _, up := range t.After {
				if i := slices.IndexFunc(stages, func(o api.Stage) bool { return o.Name == up }); i >= 0 {
					place(stages[i])
				}
			}
		}
		all = append(all, s)
	}
	for _, s := range stages {
		place(s)
	}
	return all
}

// after says after which stages a stage takes freight.
func after(takes []api.Take) string {
	var all []string
	for _, t := range takes {
		if len(t.After) == 0 {
			continue
		}
		text := t.After[0]
		if most := len(t.After) - 1; most > 0 {
			text = strings.Join(t.After[:most], ", ") + " and " + t.After[most]
		}
		if t.Need < len(t.After) {
			text = fmt.Sprintf("%d of %s", t.Need, text)
		}
		if t.Soak != "" {
			text += ", soaked for " + t.Soak
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// markOf returns the mark of a stage: that of its worst freight, or that it is held or frozen.
func markOf(s api.Stage) mark {
	worst := mark{"–", "empty", "quiet"}
	order := []string{"quiet", "good", "going", "asks", "bad"}
	for _, h := range s.Hosts {
		m := hostMark(h)
		switch {
		case m.Tone != "good":
		case h.Drift != nil:
			m = mark{"≠", "drifted", "asks"}
		case h.TakenBack != "":
			m = mark{"↩", "taken back", "asks"}
		}
		if slices.Index(order, m.Tone) > slices.Index(order, worst.Tone) {
			worst = m
		}
	}
	if len(s.Holds) > 0 && worst.Tone != "bad" {
		return mark{"⏸", "held", "asks"}
	}
	if s.Frozen != nil && worst.Tone != "bad" {
		return mark{"❄", "frozen", "asks"}
	}
	return worst
}

// waiting lists everything in a stage that goes on only when a person acts.
func waiting(s api.Stage) (all []asked) {
	add := func(says, link, next string) { all = append(all, asked{s.Name, says, link, next}) }
	if p := s.Active; p != nil {
		switch {
		case strings.HasPrefix(p.Why.Next, "/approve"), strings.HasPrefix(p.Why.Next, "/verify"):
			add(p.Freight+": "+p.Why.Sentence, p.Pull, p.Why.Next)
		case p.Why.Code == "to-merge" || p.Why.Code == "unmergeable":
			add(p.Freight+": "+p.Why.Sentence, p.Pull, "")
		}
	}
	for _, h := range s.Hosts {
		if h.Next != "" && h.Cause != nil {
			add(h.Freight+" failed: "+h.Cause.Sentence, h.Cause.URL, h.Next)
		} else if h.Next != "" && h.Drift != nil {
			add(h.Freight+": "+h.Drift.Sentence, "", h.Next)
		} else if h.Next != "" {
			add(h.Freight+": nobody can tell yet whether it is good", "", h.Next)
		}
	}
	if i := available(s); i >= 0 && !s.Automatic && s.Active == nil && len(s.Queue) == 0 {
		add(s.Coming[i].Freight+": "+s.Coming[i].Why.Sentence, "", s.Coming[i].Why.Next)
	}
	return all
}

// available is the place of the newest freight that could be promoted into a stage now; -1 if there is none.
func available(s api.Stage) int {
	return slices.IndexFunc(s.Coming, func(c api.Coming) bool { return c.Place == "available" })
}
