package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"waybill/config"
	"waybill/internal/slacksim"
	"waybill/internal/torture/shape"
	"waybill/internal/wireless"
	"waybill/promotion"
	"waybill/store"
)

// chat is the Slack of a history, in which ann, bob and eve are known and zoe is not.
type chat struct {
	*slacksim.Server
	ids    map[string]string // by login
	double int               // how many messages may be there twice: nobody knows whether they were posted
}

// openChat makes the Slack of a history.
func (w *World) openChat() (err error) {
	c := &chat{ids: map[string]string{}}
	c.Server, err = slacksim.Start(slacksim.Options{
		Offline: true, Clock: time.Now, Wire: toProgram{w}, Retries: []time.Duration{}, PostsPerSecond: 1,
		Report: func(err error) { w.broken("Slack is asked what it can answer", "%v", err) },
	})
	if err != nil {
		return err
	}
	c.AddChannel(shape.Room)
	for _, name := range []string{"ann", "bob", "eve", "zoe"} {
		c.ids[name] = c.AddUser(slacksim.User{Name: name})
	}
	c.SetRequestURL(publicURL)
	w.chat = c
	return nil
}

// settings are how the program reaches Slack; nil: there is none.
func (c *chat) settings() config.Slack {
	if c == nil {
		return config.Slack{}
	}
	return config.Slack{BotToken: config.Secret(c.BotToken()), SigningSecret: config.Secret(c.SigningSecret()), APIURL: c.APIURL()}
}

// toProgram carries what Slack tells to the program: to nobody while it is dead.
type toProgram struct{ *World }

// RoundTrip implements http.RoundTripper.
func (x toProgram) RoundTrip(r *http.Request) (*http.Response, error) {
	if x.program == nil {
		return nil, io.ErrUnexpectedEOF
	}
	return wireless.Answer(x.handler(), r)
}

// link says who people in Slack are on GitHub, as if they had said so in their browsers.
func (w *World) link() error {
	return w.program.service.Store.Update(w.program.ctx, func(tx *store.Tx) error {
		for login := range w.people {
			o := store.LinkOffer{State: login, For: store.SlackUser{Team: slacksim.Team, ID: w.chat.ids[login]}, Name: login, Expires: tx.Now.Add(time.Minute)}
			if err := tx.People.OfferLink(o); err != nil {
				return err
			}
			if _, err := tx.People.CompleteLink(o.State, promotion.Actor{ID: w.github.AccountID(login), Login: promotion.Login(login)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// inSlack has somebody do something in Slack.
func (w *World) inSlack(a Act) {
	ctx, who := context.Background(), []string{"ann", "bob", "bob", "eve", "zoe"}[a.C%5]
	id := w.chat.ids[who]
	what, ack := "", slacksim.Ack{}
	switch a.A % 8 {
	case 0, 1, 2:
		what = strings.TrimPrefix(w.typed(a), "/")
		ack = w.chat.Slash(ctx, id, shape.Room, what)
	case 3:
		what = strings.TrimPrefix(w.typed(a), "/")
		ack = w.chat.Mention(ctx, id, shape.Room, w.thread(a), what)
	case 4:
		what, ack = "opens the Home", w.chat.OpenHome(ctx, id)
	case 5:
		home, _ := w.chat.Home(id)
		what, ack = w.pressInSlack(home.Buttons(), a, func(b slacksim.Element) slacksim.Ack { return w.chat.PressHome(ctx, id, b) })
	default:
		all := w.chat.Messages(shape.Room)
		if len(all) == 0 {
			return
		}
		m := all[len(all)-1-a.B%len(all)]
		what, ack = w.pressInSlack(m.Buttons(), a, func(b slacksim.Element) slacksim.Ack { return w.chat.Press(ctx, id, shape.Room, m.TS, b) })
	}
	w.note("  %s in Slack: %s: %d %v", who, what, ack.Status, ack.Err)
	w.told.prose("(%s in Slack: %s)", who, what)
	if ack.OK() && ack.ID != "" {
		w.acked["slack "+ack.ID] = time.Now()
	}
}

// pressInSlack has somebody press one of some buttons that do not lead elsewhere.
func (w *World) pressInSlack(all []slacksim.Element, a Act, press func(slacksim.Element) slacksim.Ack) (what string, ack slacksim.Ack) {
	if len(all) == 0 || all[a.B%len(all)].URL != "" {
		return "finds no button", ack
	}
	b := all[a.B%len(all)]
	return "presses " + b.Text(), press(b)
}

// thread is that of the newest message in half of all cases, else none.
func (w *World) thread(a Act) string {
	if all := w.chat.Messages(shape.Room); len(all) > 0 && a.C%2 == 0 && all[len(all)-1].EphemeralTo == "" {
		return all[len(all)-1].TS
	}
	return ""
}

// slackTrouble has Slack fail, or tell something again.
func (w *World) slackTrouble(a Act) {
	w.told.prose("(%s)", a)
	acks := w.chat.Acks()
	if a.A%3 == 0 && len(acks) > 0 {
		old := acks[len(acks)-1-a.B%min(3, len(acks))]
		again, _ := w.chat.Again(context.Background(), old.ID, 1)
		w.note("  Slack tells again of %s: %d", old.Kind, again.Status)
		if again.OK() {
			w.acked["slack "+old.ID] = time.Now()
		}
		return
	}
	fault := []slacksim.Fault{
		{LoseReply: true}, {LoseReply: true}, {Status: http.StatusInternalServerError, Times: 3}, {Status: http.StatusTooManyRequests, RetryAfter: 30 * time.Second},
		{Error: "fatal_error"}, {Error: "message_not_found"},
	}[a.B%6]
	method := []string{"", "chat.postMessage", "chat.update", "response_url"}[a.C%4]
	if fault.Error == "message_not_found" {
		method = "chat.update"
		w.chat.double++ // it is posted anew
	}
	w.chat.Faults().FailNext(method, fault)
	w.note("  the next %q of Slack fails: %+v", method, fault)
}

// posted takes note of what became of a message that a hand has posted: known is false if it will never learn.
func (c *chat) posted(r *http.Request, known bool) {
	if c != nil && !known && strings.HasSuffix(r.URL.Path, "/chat.postMessage") {
		c.double++
	}
}

// checkChat: each promotion has one message, which says what it was to say.
func (w *World) checkChat() {
	if w.chat == nil || w.failure != nil {
		return
	}
	messages := map[string]string{}
	n := 0
	for _, m := range w.chat.Messages(shape.Room) {
		if m.User == slacksim.Bot && m.EphemeralTo == "" {
			n++
			messages[m.TS] = m.Text
		}
	}
	views := w.texts(`SELECT json_array(remote_id, wanted) FROM views WHERE kind = 'slack' AND wanted = shown AND surface NOT LIKE 'slack:%/%/%' AND remote_id <> ''`)
	for _, v := range views {
		var row [2]string
		var wanted struct{ Text string }
		if err := json.Unmarshal([]byte(v), &row); err != nil {
			w.broken("the database can be read", "%v", err)
		}
		if err := json.Unmarshal([]byte(row[1]), &wanted); err != nil {
			w.broken("the database can be read", "%v", err)
		}
		_, ts, _ := strings.Cut(row[0], "/")
		if said, there := messages[ts]; !there || said != wanted.Text {
			w.broken("Slack shows what it was to show", "%s: %q instead of %q", row[0], said, wanted.Text)
		}
	}
	begun := w.count(`SELECT COUNT(*) FROM views WHERE kind = 'slack' AND surface NOT LIKE 'slack:%/%/%'`)
	if n > begun+w.chat.double && !w.forgot {
		w.broken("a message in Slack is posted once", "%d messages for %d promotions, %d of which nobody knew whether they were posted: %s",
			n, begun, w.chat.double, fmt.Sprint(messages))
	}
}
