package record

import (
	"encoding/json"
	"fmt"
	"strings"
)

// sections returns blocks: so many sections, each with a text of so many characters.
func sections(n, characters int) string {
	all := make([]map[string]any, n)
	for i := range all {
		all[i] = map[string]any{
			"type": "section", "text": map[string]any{"type": "mrkdwn", "text": strings.Repeat("x", characters)},
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // unreachable: texts and numbers
	}
	return string(text)
}

// playMessages posts to a channel, in a thread and to a person, and changes a message.
func playMessages(p *player) {
	posted := p.ask("chat.postMessage", map[string]string{
		"channel": p.host.Channel, "text": "record", "blocks": sections(1, 9),
	})
	p.fact("in a channel", posted.said())
	p.fact("the channel has its id", posted.text("channel") == p.host.Channel)
	p.fact("in a thread", p.ask("chat.postMessage", map[string]string{
		"channel": p.host.Channel, "text": "below", "thread_ts": posted.text("ts"),
	}).said())
	p.fact("changed", p.ask("chat.update", map[string]string{
		"channel": p.host.Channel, "ts": posted.text("ts"), "text": "changed",
	}).said())
	p.fact("changed, without blocks", p.ask("chat.update", map[string]string{
		"channel": p.host.Channel, "ts": posted.text("ts"), "text": "changed again", "blocks": "[]",
	}).said())
	opened := p.ask("conversations.open", map[string]string{"users": p.host.Person})
	p.fact("a conversation", opened.said())
	p.fact("to a person", p.ask("chat.postMessage", map[string]string{
		"channel": opened.text("channel", "id"), "text": "record",
	}).said())
	p.fact("to a person by their id", p.ask("chat.postMessage", map[string]string{
		"channel": p.host.Person, "text": "record",
	}).said())
	p.fact("to one person in the channel", p.ask("chat.postEphemeral", map[string]string{
		"channel": p.host.Channel, "user": p.host.Person, "text": "record",
	}).said())
}

// playLimits posts what is just small enough, and what is too large.
func playLimits(p *player) {
	for _, one := range []struct{ sections, characters int }{
		{50, 9}, {51, 9}, {1, 3000}, {1, 3001}, {4, 3000}, {5, 3000},
	} {
		p.fact(fmt.Sprintf("%d sections of %d characters", one.sections, one.characters),
			p.ask("chat.postMessage", map[string]string{
				"channel": p.host.Channel, "text": "record", "blocks": sections(one.sections, one.characters),
			}).said())
	}
	p.fact("no text", p.ask("chat.postMessage", map[string]string{"channel": p.host.Channel}).said())
}

// playRefusals asks for what is not there.
func playRefusals(p *player) {
	p.fact("no such channel", p.ask("chat.postMessage", map[string]string{"channel": "C0NOTHING", "text": "x"}).said())
	p.fact("no such message", p.ask("chat.update", map[string]string{
		"channel": p.host.Channel, "ts": "1000000000.000100", "text": "x",
	}).said())
	p.fact("no such method", p.ask("record.nothing", nil).said())
	p.fact("no such token", p.askAs("xoxb-1-nobody", "auth.test", nil).said())
}

// playPeople looks people up.
func playPeople(p *player) {
	shown := p.ask("users.info", map[string]string{"user": p.host.Person})
	p.fact("a person", shown.said())
	p.fact("has their id", shown.text("user", "id") == p.host.Person)
	p.fact("has a workspace", shown.text("user", "team_id") != "")
	p.fact("no such person", p.ask("users.info", map[string]string{"user": "U0NOTHING"}).said())
	p.fact("no such address", p.ask("users.lookupByEmail", map[string]string{"email": "nobody@example.com"}).said())
}

// playHome publishes a person's Home.
func playHome(p *player) {
	home := func(n int) string { return `{"type": "home", "blocks": ` + sections(n, 9) + `}` }
	for _, n := range []int{1, 100, 101} {
		p.fact(fmt.Sprintf("%d blocks", n), p.ask("views.publish", map[string]string{
			"user_id": p.host.Person, "view": home(n),
		}).said())
	}
}

// playSocket opens a connection of Socket Mode, and reads how Slack greets.
func playSocket(p *player) {
	p.fact("with the bot's token", p.ask("apps.connections.open", nil).said())
	opened := p.askAs(p.host.AppToken, "apps.connections.open", nil)
	p.fact("with the App's token", opened.said())
	if opened.said() == "ok" {
		p.fact("the first frame", p.frame(opened.text("url")).text("type"))
	}
}
