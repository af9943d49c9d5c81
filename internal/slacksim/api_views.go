package slacksim

import "encoding/json"

// publishView sets the App Home of a user.
func (a *webAPI) publishView(c request) (answer, error) {
	if a.world.user(c.args["user_id"]) == nil {
		return nil, refusal("invalid_arguments: user_id")
	}
	v, err := readView(c.args["view"], "home")
	if err != nil {
		return nil, err
	}
	a.world.homes[c.args["user_id"]] = v
	return answer{"view": answer{"id": "V" + c.args["user_id"], "type": v.Type}}, nil
}

// openView opens a dialog for the user of a trigger. A trigger can be used once.
func (a *webAPI) openView(c request) (answer, error) {
	if !a.world.triggers[c.args["trigger_id"]] {
		return nil, refusal("expired_trigger_id")
	}
	v, err := readView(c.args["view"], "modal")
	if err != nil {
		return nil, err
	}
	delete(a.world.triggers, c.args["trigger_id"])
	return answer{"view": answer{"id": "V" + c.args["trigger_id"], "type": v.Type}}, nil
}

func readView(text, kind string) (View, error) {
	var outer struct {
		Type   string          `json:"type"`
		Blocks json.RawMessage `json:"blocks"`
	}
	if json.Unmarshal([]byte(text), &outer) != nil || outer.Type != kind {
		return View{}, refusal("invalid_arguments: view")
	}
	blocks, err := readBlocks(string(outer.Blocks), maxViewBlocks)
	return View{Type: kind, Blocks: blocks}, err
}
