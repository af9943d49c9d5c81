package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"go.yaml.in/yaml/v4"

	"waybill/config"
	"waybill/internal/slacksim"
	"waybill/internal/story"
	"waybill/internal/wireless"
	"waybill/promotion"
	"waybill/store"
)

// typesInSlack reports whether a story has a command in Slack.
func typesInSlack(s story.Story) bool {
	return slices.ContainsFunc(s.Steps, func(step story.Step) bool { return step.Happening.Kind == story.Slack })
}

// openSlack starts a simulated Slack if the story has a command in Slack.
func (w *World) openSlack() (err error) {
	if !typesInSlack(w.script.Story) {
		return nil
	}
	o := slacksim.Options{Clock: w.clock.Now}
	if w.stepped {
		o.Offline, o.Wire = true, toProgram{w}
	}
	if w.slack, err = slacksim.Start(o); err != nil {
		return err
	}
	w.room = w.slack.AddChannel(deploys)
	w.inSlack = map[string]string{}
	w.chat = slackSettings(w.slack)
	return nil
}

// toProgram carries the requests of Slack to the program, if it runs.
type toProgram struct{ *World }

// RoundTrip implements http.RoundTripper.
func (x toProgram) RoundTrip(r *http.Request) (*http.Response, error) {
	if x.killed() {
		return nil, io.ErrUnexpectedEOF
	}
	return wireless.Answer(x.program.handler(), r)
}

// Slash implements play.Ground. The person's Slack user is linked with the GitHub account first, and the channel
// claimed for the home repository.
func (g ground) Slash(by promotion.Login, text string) error {
	login := string(by)
	if g.slack == nil {
		return errors.New("the story has no Slack")
	}
	if g.inSlack[login] == "" {
		g.inSlack[login] = g.slack.AddUser(slacksim.User{Name: login})
		if err := linkAccounts(g.ctx, g.program.store, g.github, g.inSlack, login); err != nil {
			return err
		}
		if err := g.claimChannel(); err != nil {
			return err
		}
	}
	if ack := g.slack.Slash(g.ctx, g.inSlack[login], deploys, text); !ack.OK() {
		return fmt.Errorf("the command in Slack was answered %d: %w", ack.Status, ack.Err)
	}
	return nil
}

// claimChannel claims the channel for the pipeline of the story, as somebody does there.
func (g ground) claimChannel() error {
	return g.program.store.Update(g.ctx, func(tx *store.Tx) error {
		all, err := tx.Pipelines.All()
		for i := 0; err == nil && i < len(all); i++ {
			err = tx.Names.ClaimChannel(store.Channel{ID: g.room, Name: "#" + deploys, Installation: all[i].Installation})
		}
		return err
	})
}

// withChannel returns the files to push. In a story with a command in Slack, it adds a channel to the first stage of a
// pipeline that names no channel, because commands need a channel.
func (w *World) withChannel(files map[string]*string) map[string]*string {
	text, tells := files[config.PipelinePath], func(s *promotion.Stage) bool { return s.Slack != "" }
	if w.slack == nil || text == nil || slices.ContainsFunc(w.script.Scene.Pipeline.Stages, tells) {
		return files
	}
	files[config.PipelinePath] = tellingSlack(text)
	return files
}

// tellingSlack adds a channel to the first stage of a pipeline file. It returns other files unchanged.
func tellingSlack(text *string) *string {
	var file yaml.Node
	if yaml.Unmarshal([]byte(*text), &file) != nil || len(file.Content) == 0 {
		return text
	}
	stage := valueOf(valueOf(file.Content[0], "stages"), "")
	if stage == nil || stage.Kind != yaml.MappingNode {
		return text
	}
	stage.Content = append(stage.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Value: "slack"},
		&yaml.Node{Kind: yaml.ScalarNode, Value: "#" + deploys, Style: yaml.DoubleQuotedStyle})
	changed, err := yaml.Marshal(&file)
	if err != nil {
		return text
	}
	with := string(changed)
	return &with
}

// valueOf returns the value of a key in a mapping, or of the first key if key is ""; nil if there is no such value.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key == "" || n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
