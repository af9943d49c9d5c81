package torture

import (
	"net/http"
	"strings"

	"waybill/config"
	"waybill/internal/slacksim"
)

// chat is the Slack of a history, in which ann, bob and eve are known and zoe is not.
type chat struct {
	*slacksim.Server
	ids    map[string]string // by login
	double int               // how many messages may be there twice: nobody knows whether they were posted
}

// settings are how the program reaches Slack; nil: there is none.
func (c *chat) settings() config.Slack {
	if c == nil {
		return config.Slack{}
	}
	return config.Slack{BotToken: config.Secret(c.BotToken()), SigningSecret: config.Secret(c.SigningSecret()), APIURL: c.APIURL()}
}

// posted takes note of what became of a message that a hand has posted: known is false if it will never learn.
func (c *chat) posted(r *http.Request, known bool) {
	if c != nil && !known && strings.HasSuffix(r.URL.Path, "/chat.postMessage") {
		c.double++
	}
}
