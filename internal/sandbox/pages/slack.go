package pages

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"waybill/internal/slacksim"
)

// slackPage is a channel, a conversation with the App, or the App's Home, as one person sees it.
type slackPage struct {
	frame
	Channels []slacksim.Channel
	Here     slacksim.Channel
	Shown    []block // blocks of the App's Home, if AtHome
	AtHome   bool
	Messages []message
	Typed    string // text that was not sent
}

// message is a message with its thread.
type message struct {
	slacksim.Message
	By      string
	Only    bool // visible to the current user only
	Shown   []block
	Replies []message
}

// block is a rendered block.
type block struct {
	Kind    string
	Text    template.HTML
	Fields  []template.HTML
	Notes   []template.HTML // of a context block
	Buttons []button
}

// button is a button that can be pressed. At is the timestamp of its message, or "" in the Home.
type button struct {
	slacksim.Element
	At string
}

// slackHome is the last part of the path of the App's Home.
const slackHome = "home"

// slackUser returns the Slack user with the name of the current person.
func (s *site) slackUser(r *http.Request) (slacksim.User, bool) {
	you := s.you(r).Login
	for _, u := range s.Slack.Users() {
		if u.Name == you {
			return u, true
		}
	}
	return slacksim.User{}, false
}

// channels returns the channels that a user can see.
func (s *site) channels(user string) []slacksim.Channel {
	return slices.DeleteFunc(s.Slack.Channels(), func(c slacksim.Channel) bool { return c.With != "" && c.With != user })
}

// slack shows the channel in the path, or the first channel.
func (s *site) slack(w http.ResponseWriter, r *http.Request) {
	page, found := s.slackPage(r)
	if !found {
		s.missing(w, r)
		return
	}
	s.show(w, http.StatusOK, "slack", page)
}

func (s *site) slackPage(r *http.Request) (page slackPage, found bool) {
	if s.Slack == nil {
		return page, false
	}
	user, found := s.slackUser(r)
	page = slackPage{frame: s.frame(r, "Slack", ""), Channels: s.channels(user.ID)}
	name := r.PathValue("channel")
	if !found || len(page.Channels) == 0 {
		return page, false
	}
	m := mrkdwn{s.slackNames()}
	if name == slackHome {
		view, _ := s.Slack.Home(user.ID)
		page.AtHome, page.Shown, page.Title = true, m.blocks(view.Blocks, ""), "Home of Waybill"
		return page, true
	}
	at := slices.IndexFunc(page.Channels, func(c slacksim.Channel) bool { return c.ID == name || name == "" })
	if at < 0 {
		return page, false
	}
	page.Here = page.Channels[at]
	page.Title = title(page.Here)
	page.Messages = m.messages(s.Slack.Messages(page.Here.ID), user.ID)
	return page, true
}

// title returns the name of a channel in the list.
func title(c slacksim.Channel) string {
	if c.With != "" {
		return "waybill"
	}
	return "#" + c.Name
}

// slackNames returns the names of people and channels by their ids.
func (s *site) slackNames() map[string]string {
	names := map[string]string{slacksim.Bot: "waybill"}
	for _, u := range s.Slack.Users() {
		names[u.ID] = u.Name
	}
	for _, c := range s.Slack.Channels() {
		names[c.ID] = c.Name
	}
	return names
}

// messages returns the messages that a user can see.
func (m mrkdwn) messages(all []slacksim.Message, user string) []message {
	var shown []message
	for _, one := range all {
		if one.EphemeralTo != "" && one.EphemeralTo != user {
			continue
		}
		v := message{Message: one, By: m.names[one.User], Only: one.EphemeralTo != "", Replies: m.messages(one.Replies, user)}
		if one.User == slacksim.Bot {
			v.By += appMark
		}
		v.Shown = m.blocks(one.Blocks, one.TS)
		if len(one.Blocks) == 0 {
			v.Shown = []block{{Kind: "section", Text: m.markup(one.Text)}}
		}
		shown = append(shown, v)
	}
	return shown
}

// blocks renders the blocks of a message, or of a Home if ts is "".
func (m mrkdwn) blocks(all []slacksim.Block, ts string) []block {
	var shown []block
	for _, b := range all {
		v := block{Kind: b.Type}
		if b.Text != nil {
			v.Text = m.text(*b.Text)
		}
		for _, f := range b.Fields {
			v.Fields = append(v.Fields, m.text(f))
		}
		for _, e := range b.Elements {
			if e.Type == "button" {
				v.Buttons = append(v.Buttons, button{e, ts})
			} else {
				v.Notes = append(v.Notes, m.text(slacksim.Text{Type: e.Type, Text: e.Text()}))
			}
		}
		if b.Accessory != nil {
			v.Buttons = append(v.Buttons, button{*b.Accessory, ts})
		}
		shown = append(shown, v)
	}
	return shown
}

// say sends a slash command, or a message that mentions the App.
func (s *site) say(w http.ResponseWriter, r *http.Request) {
	page, found := s.slackPage(r)
	if !found || page.AtHome {
		s.missing(w, r)
		return
	}
	user, _ := s.slackUser(r)
	text, thread := strings.TrimSpace(r.FormValue("text")), r.FormValue("thread")
	if words, is := strings.CutPrefix(text, "/waybill"); is && thread == "" {
		s.Slack.Slash(r.Context(), user.ID, page.Here.ID, strings.TrimSpace(words))
	} else if words, is := strings.CutPrefix(text, "@waybill"); is {
		s.Slack.Mention(r.Context(), user.ID, page.Here.ID, thread, strings.TrimSpace(words))
	} else {
		page.Path, page.Typed = "/-/slack/"+page.Here.ID, text
		page.Problem = "Waybill hears what begins with /waybill or, also in threads, with @waybill."
		s.show(w, http.StatusUnprocessableEntity, "slack", page)
		return
	}
	goTo(w, r, "/-/slack/"+page.Here.ID)
}

// pressSlack presses a button of a message or of the Home.
func (s *site) pressSlack(w http.ResponseWriter, r *http.Request) {
	page, found := s.slackPage(r)
	if !found {
		s.missing(w, r)
		return
	}
	user, _ := s.slackUser(r)
	ts, action, value := r.FormValue("ts"), r.FormValue("action"), r.FormValue("value")
	is := func(e slacksim.Element) bool { return e.ActionID == action && e.Value == value }
	if page.AtHome {
		view, _ := s.Slack.Home(user.ID)
		if i := slices.IndexFunc(view.Buttons(), is); i >= 0 {
			s.Slack.PressHome(r.Context(), user.ID, view.Buttons()[i])
			goTo(w, r, "/-/slack/"+slackHome)
			return
		}
	}
	for _, m := range flat(page.Messages) {
		if i := slices.IndexFunc(m.Buttons(), is); m.TS == ts && i >= 0 {
			s.Slack.Press(r.Context(), user.ID, page.Here.ID, ts, m.Buttons()[i])
			goTo(w, r, "/-/slack/"+page.Here.ID)
			return
		}
	}
	s.refuse(w, r, page.Path, fmt.Errorf("press %s: the message no longer shows that button", action))
}

// flat returns the messages and the replies in their threads.
func flat(all []message) []message {
	var list []message
	for _, m := range all {
		list = append(append(list, m), m.Replies...)
	}
	return list
}

// openHome opens the App's Home for the current person. The App fills it at that moment.
func (s *site) openHome(w http.ResponseWriter, r *http.Request) {
	if s.Slack == nil {
		s.missing(w, r)
		return
	}
	if user, found := s.slackUser(r); found {
		s.Slack.OpenHome(r.Context(), user.ID)
	}
	goTo(w, r, "/-/slack/"+slackHome)
}
