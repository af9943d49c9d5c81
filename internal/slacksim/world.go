package slacksim

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// world is the workspace: people, channels, views and response_urls. Callers hold its lock.
type world struct {
	sync.Mutex
	clock func() time.Time
	url   func() string // of this Slack

	serial   int
	users    []*User
	channels []*conversation
	homes    map[string]View      // by user
	triggers map[string]bool      // trigger ids that can still open a view
	replies  map[string]*replyURL // by id
	posted   map[string][]time.Time
	noTab    bool // the App's Messages tab is switched off
}

// User is a person in the workspace, or in one that shares a channel with it.
type User struct {
	ID         string // U...; generated if empty
	Name       string // ann
	RealName   string
	Email      string
	TeamID     string // Team, unless the person is from another workspace
	Bot        bool
	Deleted    bool
	Restricted bool // a guest
	Single     bool // a guest of one channel
	Enterprise string
}

type conversation struct {
	id, name string
	im       string // the user of a conversation with the bot
	outside  bool   // the bot is not in it
	messages []*Message
}

func newWorld(clock func() time.Time, url func() string) *world {
	return &world{
		clock: clock, url: url,
		homes: map[string]View{}, triggers: map[string]bool{}, replies: map[string]*replyURL{},
		posted: map[string][]time.Time{},
	}
}

// next returns an unused number.
func (w *world) next() int {
	w.serial++
	return w.serial
}

// number is like next, for callers without the lock.
func (w *world) number() int {
	w.Lock()
	defer w.Unlock()
	return w.next()
}

// stamp returns the id of a message: a unique time.
func (w *world) stamp(now time.Time) string { return fmt.Sprintf("%d.%06d", now.Unix(), w.next()) }

// AddUser adds a user and returns their id.
func (s *Server) AddUser(u User) string {
	s.world.Lock()
	defer s.world.Unlock()
	if u.ID == "" {
		u.ID = fmt.Sprintf("U%d%s", s.world.next(), strings.ToUpper(u.Name))
	}
	if u.TeamID == "" {
		u.TeamID = Team
	}
	s.world.users = append(s.world.users, &u)
	return u.ID
}

// ChangeUser changes a user, for example the name or whether they are a guest or deactivated.
func (s *Server) ChangeUser(id string, change func(*User)) {
	s.world.Lock()
	defer s.world.Unlock()
	if u := s.world.user(id); u != nil {
		change(u)
	}
}

// AddChannel adds a channel with the bot as a member, and returns its id. Its name has no #.
func (s *Server) AddChannel(name string) string {
	s.world.Lock()
	defer s.world.Unlock()
	c := &conversation{id: fmt.Sprintf("C%d%s", s.world.next(), strings.ToUpper(name)), name: name}
	s.world.channels = append(s.world.channels, c)
	return c.id
}

// RemoveBot removes the bot from a channel.
func (s *Server) RemoveBot(channel string) {
	s.world.Lock()
	defer s.world.Unlock()
	if c := s.world.channel(channel); c != nil {
		c.outside = true
	}
}

// SwitchMessages switches the App's Messages tab on, the default, or off. Without it the App cannot write to users
// directly.
func (s *Server) SwitchMessages(on bool) {
	s.world.Lock()
	defer s.world.Unlock()
	s.world.noTab = !on
}

func (w *world) user(id string) *User {
	for _, u := range w.users {
		if u.ID == id {
			return u
		}
	}
	return nil
}

// channel finds a channel by id or name, with or without #. A user's id means their conversation with the bot.
func (w *world) channel(name string) *conversation {
	bare := strings.TrimPrefix(name, "#")
	for _, c := range w.channels {
		if c.id == name || c.name == bare && c.im == "" || c.im != "" && c.im == name {
			return c
		}
	}
	return nil
}

// im returns the conversation of a user with the bot.
func (w *world) im(user string) *conversation {
	if c := w.channel(user); c != nil {
		return c
	}
	c := &conversation{id: fmt.Sprintf("D%d", w.next()), name: user, im: user}
	w.channels = append(w.channels, c)
	return c
}

// message finds a message of the channel, or returns nil.
func (c *conversation) message(ts string) *Message {
	i := slices.IndexFunc(c.messages, func(m *Message) bool { return m.TS == ts })
	if i < 0 {
		return nil
	}
	return c.messages[i]
}

// place finds a person and a channel; zero values if they do not exist.
func (w *world) place(user, channelName string) (*User, *conversation) {
	who := w.user(user)
	if who == nil {
		who = &User{ID: user, Name: user, TeamID: Team}
	}
	where := w.channel(channelName)
	if where == nil && user == channelName {
		where = w.im(user)
	}
	if where == nil {
		where = &conversation{id: channelName, name: channelName}
	}
	return who, where
}

// trigger returns a new id with which a dialog can be opened.
func (w *world) trigger() string {
	id := fmt.Sprintf("%d.%d.trigger", w.clock().UnixNano(), w.next())
	w.triggers[id] = true
	return id
}

// whisper shows a text to one person.
func (w *world) whisper(c *conversation, user, text string) {
	now := w.clock()
	c.messages = append(c.messages, &Message{
		TS: w.stamp(now), Channel: c.id, User: Bot, Text: text, EphemeralTo: user, At: now,
	})
}

// replyURL returns a new response_url.
func (w *world) replyURL(channel, user, message string) string {
	id := fmt.Sprint(w.next())
	w.replies[id] = &replyURL{channel, user, message, replyUses, w.clock().Add(replyTime)}
	return w.url() + "/commands/" + Team + "/" + id
}
