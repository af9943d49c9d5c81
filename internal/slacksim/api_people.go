package slacksim

import (
	"strconv"
	"strings"
)

// authTest returns the user of the token.
func (a *webAPI) authTest(request) (answer, error) {
	is := answer{"url": a.world.url(), "team": "Acme", "team_id": Team, "user": "waybill", "user_id": Bot, "bot_id": botID}
	if a.options.Enterprise != "" {
		is["enterprise_id"] = a.options.Enterprise
	}
	return is, nil
}

// openConversation returns the conversation with one user.
func (a *webAPI) openConversation(c request) (answer, error) {
	u := a.world.user(c.args["users"])
	switch {
	case u == nil:
		return nil, refusal("user_not_found")
	case u.Deleted:
		return nil, refusal("user_disabled")
	case u.Bot:
		return nil, refusal("cannot_dm_bot")
	}
	return answer{"channel": answer{"id": a.world.im(u.ID).id}}, nil
}

// userInfo describes a user.
func (a *webAPI) userInfo(c request) (answer, error) {
	u := a.world.user(c.args["user"])
	if u == nil {
		return nil, refusal("user_not_found")
	}
	return answer{"user": u.json()}, nil
}

// lookupByEmail finds a user by their address.
func (a *webAPI) lookupByEmail(c request) (answer, error) {
	for _, u := range a.world.users {
		if u.Email != "" && u.Email == c.args["email"] && !u.Deleted {
			return answer{"user": u.json()}, nil
		}
	}
	return nil, refusal("users_not_found")
}

func (u *User) json() answer {
	user := answer{
		"id": u.ID, "team_id": u.TeamID, "name": u.Name, "real_name": u.RealName, "deleted": u.Deleted, "is_bot": u.Bot,
		// in the simulator all users share a channel with the App
		"is_restricted": u.Restricted, "is_ultra_restricted": u.Single, "is_stranger": false,
		"profile": answer{"real_name": u.RealName, "display_name": u.Name, "email": u.Email},
	}
	if u.Enterprise != "" {
		user["enterprise_user"] = answer{"id": "W" + u.ID, "enterprise_id": u.Enterprise}
	}
	return user
}

// openConnection returns the address of a websocket.
func (a *webAPI) openConnection(request) (answer, error) {
	return answer{"url": strings.Replace(a.world.url(), "http", "ws", 1) + "/link?ticket=" +
		strconv.Itoa(a.world.next())}, nil
}
