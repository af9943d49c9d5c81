package ledger

import (
	"net/http"
	"strings"

	"waybill/internal/slacksim"
)

// Chat is the simulated Slack of a history. Slack knows ann, bob and eve, but not zoe.
type Chat struct {
	*slacksim.Server
	Ids    map[string]string // by login
	Room   string            // the id of the channel that all stages notify
	Double int               // messages that may be posted twice because the worker did not see the answer
	Typed  []Typed           // slash commands about a whole stage that the program has acknowledged
}

// Typed is a slash command of somebody with an account at GitHub, in the channel of the stage.
type Typed struct{ ID, Stage, Text string }

// Posted counts a message whose worker never learns whether it was posted (known is false).
func (c *Chat) Posted(r *http.Request, known bool) {
	if c != nil && !known && strings.HasSuffix(r.URL.Path, "/chat.postMessage") {
		c.Double++
	}
}
