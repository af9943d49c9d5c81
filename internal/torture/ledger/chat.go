package ledger

import (
	"net/http"
	"strings"

	"waybill/internal/slacksim"
)

// Chat is the Slack of a history, in which ann, bob and eve are known and zoe is not.
type Chat struct {
	*slacksim.Server
	Ids    map[string]string // by login
	Double int               // how many messages may be there twice: nobody knows whether they were posted
}

// Posted takes note of what became of a message that a hand has posted: known is false if it will never learn.
func (c *Chat) Posted(r *http.Request, known bool) {
	if c != nil && !known && strings.HasSuffix(r.URL.Path, "/chat.postMessage") {
		c.Double++
	}
}
