// Package record finds out whether a Slack behaves as CONFORMANCE.md says. It plays small scenes in a workspace with a
// test App, and compares what it has seen with the simulator. The command in play does that for whoever has a
// workspace. It has the build tag record: nothing else in this repository reaches a real Slack.
package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"waybill/internal/githubsim/record"
	"waybill/internal/slacksim"
)

// Host is a Slack, with a test App that is installed in a workspace.
type Host struct {
	API                string // https://slack.com/api/
	BotToken, AppToken string // xoxb-..., xapp-...
	Channel            string // the id of a channel that the bot is in
	Person             string // the id of a member, who gets three messages
}

// plays are in the order in which they are played.
var plays = []struct {
	name string
	run  func(*player)
}{
	{"messages", playMessages}, {"limits", playLimits}, {"refusals", playRefusals}, {"people", playPeople},
	{"home", playHome}, {"socket", playSocket},
}

// Record plays everything against a host. The facts have no secret and no name.
func Record(ctx context.Context, host Host) record.Recording {
	all := record.Recording{API: host.API, At: time.Now().UTC()}
	for _, one := range plays {
		p := &player{ctx: ctx, host: host, played: record.Played{Name: one.name}}
		one.run(p)
		if p.err != nil {
			p.played.Skipped = strings.NewReplacer(host.BotToken, "REMOVED", host.AppToken, "REMOVED").Replace(p.err.Error())
		}
		all.Plays = append(all.Plays, p.played)
	}
	return all
}

// Simulator starts a simulated Slack with a channel and a person.
func Simulator() (*slacksim.Server, Host, error) {
	s, err := slacksim.Start(slacksim.Options{
		Scopes: []string{"chat:write", "im:write", "users:read", "users:read.email"},
	})
	if err != nil {
		return nil, Host{}, err
	}
	return s, Host{
		API: s.APIURL(), BotToken: s.BotToken(), AppToken: s.AppToken(), Channel: s.AddChannel("record"),
		Person: s.AddUser(slacksim.User{Name: "ann", Email: "ann@example.com"}),
	}, nil
}

// player plays one scene.
type player struct {
	ctx    context.Context
	host   Host
	played record.Played
	err    error
}

// fact records what Slack did.
func (p *player) fact(name string, value any) {
	p.played.Facts = append(p.played.Facts, record.Fact{Name: name, Value: fmt.Sprint(value)})
}

// answer is what a method returns.
type answer map[string]any

// said is "ok", or the error.
func (a answer) said() string {
	if a["ok"] == true {
		return "ok"
	}
	return fmt.Sprint(a["error"])
}

// text returns a field of the answer, or of an object in it.
func (a answer) text(path ...string) string {
	var at any = map[string]any(a)
	for _, name := range path {
		fields, _ := at.(map[string]any)
		at = fields[name]
	}
	text, _ := at.(string)
	return text
}

// ask calls a method with the bot's token, or with another one.
func (p *player) ask(method string, fields map[string]string) answer {
	return p.askAs(p.host.BotToken, method, fields)
}

func (p *player) askAs(token, method string, fields map[string]string) (a answer) {
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	request, err := http.NewRequestWithContext(p.ctx, http.MethodPost, p.host.API+method, strings.NewReader(form.Encode()))
	if err != nil {
		p.err = errors.Join(p.err, err)
		return nil
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		defer response.Body.Close()
		err = json.NewDecoder(response.Body).Decode(&a)
	}
	p.err = errors.Join(p.err, err)
	return a
}

// frame reads the first frame of a Socket Mode connection.
func (p *player) frame(address string) (a answer) {
	connection, _, err := websocket.DefaultDialer.DialContext(p.ctx, address, nil)
	if err == nil {
		defer connection.Close()
		err = errors.Join(connection.SetReadDeadline(time.Now().Add(10*time.Second)), connection.ReadJSON(&a))
	}
	p.err = errors.Join(p.err, err)
	return a
}
