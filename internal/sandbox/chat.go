package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"waybill/config"
	"waybill/internal/githubsim"
	"waybill/internal/slacksim"
	"waybill/promotion"
	"waybill/store"
)

// deploys is the channel of the organisation's Slack that the pipeline file names.
const deploys = "deploys"

// linked are those who have said in Slack who they are on GitHub. eve has not yet: what that is like can be tried.
var linked = []string{"ann", "bob"}

// foundSlack starts the organisation's Slack, with a channel and everybody in it. It returns their ids there by their
// names.
func foundSlack() (chat *slacksim.Server, ids map[string]string, err error) {
	if chat, err = slacksim.Start(slacksim.Options{}); err != nil {
		return nil, nil, err
	}
	chat.AddChannel(deploys)
	ids = map[string]string{}
	for _, who := range people {
		ids[who.Login] = chat.AddUser(slacksim.User{Name: who.Login})
	}
	return chat, ids, nil
}

// slackSettings are those of a server that works with a simulated Slack, over HTTP.
func slackSettings(chat *slacksim.Server) config.Slack {
	return config.Slack{
		BotToken: config.Secret(chat.BotToken()), SigningSecret: config.Secret(chat.SigningSecret()), APIURL: chat.APIURL(),
	}
}

// linkAccounts has people in Slack linked with their accounts on GitHub, as if they had done so in their browsers.
func linkAccounts(
	ctx context.Context, s *store.Store, github *githubsim.Server, ids map[string]string, logins ...string,
) error {
	err := s.Update(ctx, func(tx *store.Tx) error {
		for _, login := range logins {
			offer := store.LinkOffer{
				State: rand.Text(), For: store.SlackUser{Team: slacksim.Team, ID: ids[login]}, Name: login,
				Expires: tx.Now.Add(time.Minute),
			}
			if err := tx.People.OfferLink(offer); err != nil {
				return err
			}
			who := promotion.Actor{ID: github.AccountID(login), Login: promotion.Login(login)}
			if _, err := tx.People.CompleteLink(offer.State, who); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("link the people of the sandbox: %w", err)
	}
	return nil
}
