package rest

import "waybill/internal/githubsim/wire"

// obj is a JSON object in an answer, and reply is an answer.
type (
	obj   = map[string]any
	reply = wire.Reply
)
