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

// deploys is the Slack channel that the pipeline file names.
const deploys = "deploys"

// linked are the people whose Slack users are linked with GitHub. eve is not, so that users can try to link her.
var linked = []string{"ann", "bob"}

// foundSlack starts the organisation's Slack, with a channel and a user for each person. It returns the user ids by
// name.
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

// slackSettings returns the settings of a server that uses a simulated Slack over HTTP.
func slackSettings(chat *slacksim.Server) config.Slack {
	return config.Slack{
		BotToken: config.Secret(chat.BotToken()), SigningSecret: config.Secret(chat.SigningSecret()), APIURL: chat.APIURL(),
	}
}

// linkAccounts links Slack users with GitHub accounts, as people do in their browsers.
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
