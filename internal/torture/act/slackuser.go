package act

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"waybill/internal/slacksim"
	"waybill/internal/torture/ledger"
	"waybill/internal/torture/plan"
	"waybill/internal/torture/shape"
)

// SlackUser gives commands in Slack.
type SlackUser struct {
	acked     map[string]time.Time
	chat      *ledger.Chat
	commander *Commander
	log       *ledger.Journal
}

// inSlack has a person act in Slack.
func (u *SlackUser) inSlack(a plan.Act) {
	ctx, who := context.Background(), []string{"ann", "bob", "bob", "eve", "zoe"}[a.C%5]
	id := u.chat.Ids[who]
	what, ack := "", slacksim.Ack{}
	switch a.A % 8 {
	case 0, 1, 2:
		if what = strings.TrimPrefix(u.commander.typed(a), "/"); a.B%8 == 0 {
			what = "claim " + shape.Home // after the App was away it is nobody's
		}
		ack = u.chat.Slash(ctx, id, shape.Room, what)
		u.noteTyped(who, what, ack)
	case 3:
		what = strings.TrimPrefix(u.commander.typed(a), "/")
		ack = u.chat.Mention(ctx, id, shape.Room, u.thread(a), what)
	case 4:
		what, ack = "opens the Home", u.chat.OpenHome(ctx, id)
	case 5:
		home, _ := u.chat.Home(id)
		what, ack = u.pressInSlack(home.Buttons(), a, func(b slacksim.Element) slacksim.Ack {
			return u.chat.PressHome(ctx, id,
				b)
		})
	default:
		all := u.chat.Messages(shape.Room)
		if len(all) == 0 {
			return
		}
		m := all[len(all)-1-a.B%len(all)]
		what, ack = u.pressInSlack(m.Buttons(), a, func(b slacksim.Element) slacksim.Ack {
			return u.chat.Press(ctx, id,
				shape.Room, m.TS, b)
		})
	}
	u.log.Note("  %s in Slack: %s: %d %v", who, what, ack.Status, ack.Err)
	u.log.Told.Prose("(%s in Slack: %s)", who, what)
	if ack.OK() && ack.ID != "" {
		u.acked["slack "+ack.ID] = time.Now()
	}
}

// HoldInSlack has a person hold a stage in Slack, and let it go, if there is a Slack.
func (c *Cast) HoldInSlack(stage string) {
	if c.chat == nil {
		return
	}
	for _, what := range []string{"hold " + stage, "unhold " + stage} {
		ack := c.chat.Slash(context.Background(), c.chat.Ids["bob"], shape.Room, what)
		c.slackUser.log.Note("  bob in Slack: %s: %d %v", what, ack.Status, ack.Err)
		c.slackUser.noteTyped("bob", what, ack)
		if ack.OK() && ack.ID != "" {
			c.slackUser.acked["slack "+ack.ID] = time.Now()
		}
	}
}

// noteTyped records a slash command about a whole stage that the program must not take for one to another installation.
func (u *SlackUser) noteTyped(who, what string, ack slacksim.Ack) {
	verb, stage, _ := strings.Cut(what, " ")
	stage, _, _ = strings.Cut(stage, " ")
	simple := slices.Contains([]string{"promote", "rollback", "hold", "unhold", "cancel", "retry", "verify"}, verb)
	if simple && ack.OK() && who != "zoe" && u.commander.checkout.Pipeline.Stage(stage) != nil {
		u.chat.Typed = append(u.chat.Typed, ledger.Typed{ID: ack.ID, Stage: stage, Text: what})
	}
}

// pressInSlack has a person press one of the given buttons, unless it is a link.
func (u *SlackUser) pressInSlack(all []slacksim.Element, a plan.Act,
	press func(slacksim.Element) slacksim.Ack) (what string, ack slacksim.Ack) {
	if len(all) == 0 || all[a.B%len(all)].URL != "" {
		return "finds no button", ack
	}
	b := all[a.B%len(all)]
	return "presses " + b.Text(), press(b)
}

// thread returns the thread of the newest message in half of all cases, otherwise "".
func (u *SlackUser) thread(a plan.Act) string {
	if all := u.chat.Messages(shape.Room); len(all) > 0 && a.C%2 == 0 && all[len(all)-1].EphemeralTo == "" {
		return all[len(all)-1].TS
	}
	return ""
}

// slackTrouble makes a request to Slack fail, or has Slack repeat one of its own.
func (u *SlackUser) slackTrouble(a plan.Act) {
	u.log.Told.Prose("(%s)", a)
	acks := u.chat.Acks()
	if a.A%3 == 0 && len(acks) > 0 {
		old := acks[len(acks)-1-a.B%min(3, len(acks))]
		again, _ := u.chat.Again(context.Background(), old.ID, 1)
		u.log.Note("  Slack tells again of %s: %d", old.Kind, again.Status)
		if again.OK() {
			u.acked["slack "+old.ID] = time.Now()
		}
		return
	}
	fault := []slacksim.Fault{
		{LoseReply: true}, {LoseReply: true}, {Status: http.StatusInternalServerError,
			Times: 3}, {Status: http.StatusTooManyRequests, RetryAfter: 30 * time.Second},
		{Error: "fatal_error"}, {Error: "message_not_found"},
	}[a.B%6]
	method := []string{"", "chat.postMessage", "chat.update", "response_url"}[a.C%4]
	if fault.Error == "message_not_found" {
		method = "chat.update"
		u.chat.Double++ // the program posts the message again
	}
	u.chat.Faults().FailNext(method, fault)
	u.log.Note("  the next %q of Slack fails: %+v", method, fault)
}
