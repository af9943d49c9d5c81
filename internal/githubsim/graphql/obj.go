package graphql

import "waybill/internal/githubsim/wire"

// obj is a JSON object on its way out, reply an answer.
type (
	obj   = map[string]any
	reply = wire.Reply
)
