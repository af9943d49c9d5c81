package inslack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/rs/zerolog"

	"waybill/app/api"
	"waybill/app/slack"
	"waybill/app/surface"
	"waybill/handlers"
	"waybill/promotion"
	"waybill/promotion/command"
	"waybill/promotion/say"
	"waybill/store"
)

// Identify returns the requests of an act in Slack. A person has the rights of the linked account on GitHub; a person
// without one only gets answers to questions.
func (in *Surface) Identify(ctx context.Context, d surface.Delivery) (surface.Input, error) {
	act, err := handlers.DecodeSlack(d.Event, d.Body)
	if errors.Is(err, handlers.ErrIgnored) || err == nil && in.slack == nil {
		in.Metrics.Ignored.WithLabelValues(d.Event).Inc()
		return surface.Input{}, nil
	}
	if err != nil {
		return surface.Input{}, err
	}
	user, why, err := in.sender(ctx, act)
	if err != nil {
		return surface.Input{}, err
	}
	if why != "" {
		return in.whispered(act, answersToStranger, slack.Message{Text: "Refused: " + say.Mrkdwn(why) + "."}), nil
	}
	if act.Kind == handlers.SlackHome {
		if !in.mayTell(act.User, answersToLinked) {
			return surface.Input{}, nil
		}
		return surface.Input{}, in.openHome(ctx, user)
	}
	if words := strings.Fields(act.Text); act.Kind != handlers.SlackButton && len(words) > 0 {
		switch words[0] {
		case "link":
			return in.offered(ctx, act, user)
		case "unlink":
			return in.unlinked(act, user), nil
		case "dms":
			return in.switchDirect(act, user, strings.Join(words[1:], " ")), nil
		case "claim", "unclaim":
			return in.claimed(ctx, d, act, user, words[0], strings.Join(words[1:], " "))
		}
	}
	return in.ask(ctx, d, act, user)
}

// sender returns the person of an act, or the reason why they may not act (T26).
func (in *Surface) sender(ctx context.Context, act handlers.SlackAct) (u store.SlackUser, why string, err error) {
	home, err := in.slack.Home(ctx)
	if err != nil {
		return u, "", err
	}
	sameOrg := home.Enterprise != "" && act.Enterprise == home.Enterprise
	if !sameOrg && (act.Team != home.Team || act.UserTeam != "" && act.UserTeam != home.Team) {
		return u, "people from other workspaces may not", nil
	}
	person, err := in.slack.Who(ctx, act.User)
	return store.SlackUser{Team: teamIn(home), ID: act.User}, person.Stranger, err
}

// whispered returns an input that only answers the person, once the delivery has been recorded; at most so often within
// an hour.
func (in *Surface) whispered(act handlers.SlackAct, most int, m slack.Message) surface.Input {
	if !in.mayTell(act.User, most) {
		return surface.Input{}
	}
	return in.whispering(act, m)
}

func (in *Surface) whispering(act handlers.SlackAct, m slack.Message) surface.Input {
	return surface.Input{After: func(ctx context.Context, _ bool) { in.whisper(ctx, act, m) }}
}

// offered answers with an offer to link the accounts in Slack and on GitHub.
func (in *Surface) offered(ctx context.Context, act handlers.SlackAct, u store.SlackUser) (surface.Input, error) {
	if !in.mayTell(act.User, answersToUnlinked) {
		return surface.Input{}, nil
	}
	offer, err := in.linkOffer(ctx, u)
	if err != nil {
		return surface.Input{}, err
	}
	return in.whispering(act, offer), nil
}

// unlinked ends the link between a person's accounts in Slack and on GitHub.
func (in *Surface) unlinked(act handlers.SlackAct, u store.SlackUser) surface.Input {
	input := in.whispered(act, answersToUnlinked,
		slack.Message{Text: "Your accounts in Slack and on GitHub are no longer linked."})
	input.Record = func(tx *store.Tx) error { return tx.People.Unlink(u) }
	return input
}

// linkOffer returns a message with an address at which the person can link their accounts, once.
func (in *Surface) linkOffer(ctx context.Context, u store.SlackUser) (slack.Message, error) {
	person, err := in.slack.Who(ctx, u.ID)
	if err != nil {
		return slack.Message{}, err
	}
	o := store.LinkOffer{
		State: rand.Text() + rand.Text(), For: u, Name: person.Name, Expires: in.Clock().Add(api.LinkTime),
	}
	if err := in.Store.Update(ctx, func(tx *store.Tx) error { return tx.People.OfferLink(o) }); err != nil {
		return slack.Message{}, err
	}
	text := "To act here, say who you are on GitHub. The button is for you alone and lasts ten minutes."
	return slack.Message{Text: text, Parts: []slack.Part{{Text: text}, {Buttons: []slack.Button{
		{Action: "link", Words: "Link with GitHub", Style: "primary",
			URL: in.publicURL + api.LinkPath + "?state=" + url.QueryEscape(o.State)},
	}}}}, nil
}

// ask returns the request of a command in Slack.
func (in *Surface) ask(
	ctx context.Context, d surface.Delivery, act handlers.SlackAct, u store.SlackUser,
) (surface.Input, error) {
	c, repo, understood := in.commandOf(ctx, act)
	if act.Action == "link" {
		return surface.Input{}, nil
	}
	who, linked, err := in.linked(ctx, u)
	switch {
	case err != nil:
		return surface.Input{}, err
	case !understood && strings.TrimSpace(act.Text) != "":
		first := promotion.Clip(strings.Fields(act.Text)[0], 40)
		return in.whispered(act, answersToUnlinked,
			slack.Message{Text: `There is no command "` + say.Mrkdwn(first) + "\". `/waybill help` lists all."}), nil
	case !understood:
		c = promotion.Command{Verb: promotion.CmdHelp}
	case !linked && !command.IsQuestion(c.Verb):
		return in.offered(ctx, act, u)
	}
	if repo == "" {
		channels, err := in.viewChannels(ctx)
		if err != nil {
			return surface.Input{}, err
		}
		if repo = in.Pipelines.HomeForSlack(channels, act.Channel, act.Called, c.Stage); repo == "" {
			which := "No pipeline that reports to Slack has that stage, or several have."
			if c.Stage == "" {
				which = "Which pipeline? Name a stage."
			}
			return in.whispered(act, answersToUnlinked, slack.Message{Text: which + " Ask on GitHub; or give the stage a " +
				"`slack:` channel, and claim that there with `/waybill claim OWNER/REPO`."}), nil
		}
	}
	address := place{Channel: act.Channel, User: act.User, Delivery: d.GUID}
	if act.Kind == handlers.SlackMention {
		address = place{Channel: act.Channel, Thread: act.Thread}
	}
	return surface.InputOf(surface.Request{
		Repo: repo, Commands: []promotion.Command{c}, By: who, Reader: !linked, At: d.Received,
		Heard: true, Act: "slack/" + d.GUID,
		Surface: address.String(), Typed: surface.Fingerprint(act.Text),
	}), nil
}

// commandOf reads the command that was typed, or that of a button, which names the promotion that it was shown for.
func (in *Surface) commandOf(
	ctx context.Context, act handlers.SlackAct,
) (c promotion.Command, home promotion.Repo, understood bool) {
	if act.Kind != handlers.SlackButton {
		c, understood = command.ParseCommand(act.Text)
		return c, "", understood
	}
	verb := promotion.CommandVerb(act.Action)
	pipeline, n, seen, is := parsePressed(act.Value)
	if !is || !command.GivenBy(verb, command.InSlack) {
		return c, "", false
	}
	err := in.Store.View(ctx, func(tx *store.Tx) error {
		p, err := tx.Promotions.ByNumber(pipeline, n)
		if err != nil {
			return err
		}
		row, err := tx.Pipelines.ByID(pipeline)
		c, home = promotion.Command{Verb: verb, Stage: p.Stage, Seen: seen}, row.Repo
		return err
	})
	return c, home, err == nil
}

// pressedOf returns the value of a button: the pipeline, and the promotion and plan of its card.
func pressedOf(pipeline int64, seen string) string { return fmt.Sprintf("%d/%s", pipeline, seen) }

// parsePressed reads the text that pressedOf returns.
func parsePressed(value string) (pipeline int64, n promotion.Number, seen string, is bool) {
	id, seen, _ := strings.Cut(value, "/")
	number, _, _ := strings.Cut(seen, ".")
	pipeline, err := strconv.ParseInt(id, 10, 64)
	if err == nil {
		var parsed int64
		parsed, err = strconv.ParseInt(number, 10, 64)
		n = promotion.Number(parsed)
	}
	return pipeline, n, seen, err == nil
}

// whisper sends a message to the person of an act only; into their App Home if they acted there. It is not tried again:
// they can ask again.
func (in *Surface) whisper(ctx context.Context, act handlers.SlackAct, m slack.Message) {
	var err error
	switch {
	case act.ReplyTo != "":
		err = in.slack.Respond(ctx, act.ReplyTo, m)
	case act.Kind == handlers.SlackHome || act.Channel == "":
		err = in.slack.ShowHome(ctx, act.User, m)
	default:
		err = in.slack.Whisper(ctx, act.Channel, act.User, act.Thread, m)
	}
	if err != nil {
		zerolog.Ctx(ctx).Warn().Err(err).Msg("not answered in Slack")
	}
}
