package promotion

import "slices"

// Part is the part that somebody has played in making freight.
type Part string

// The parts. Git's author and committer are texts that whoever makes a commit chooses: GitHub finds the accounts of
// their e-mail addresses. All other parts GitHub knows by itself.
const (
	AuthorPart    Part = "author"    // of the pull request, or one of its commits
	CommitterPart Part = "committer" // of one of its commits
	PusherPart    Part = "pusher"    // of a push or tag that is freight
	MergerPart    Part = "merger"    // of the pull request
	PublisherPart Part = "publisher" // of the release
	ReporterPart  Part = "reporter"  // of a version that CI has built

	PullPusherPart Part = "pull request's pusher" // of one of its commits, or of one that was on its branch
	// of the commit of a tag, release or report, or who merged the pull request as it
	CommitPusherPart Part = "commit's pusher"
)

// Hand is somebody who has played a part in making freight. Without an id it is not known who that was, and Text says
// what is known instead.
type Hand struct {
	Part Part   `json:"part"`
	By   Actor  `json:"by,omitzero"`
	Text string `json:"text,omitempty"`
}

// Hands are all who have played a part in making a piece of freight.
type Hands struct {
	All    []Hand
	Unread bool // GitHub has not been asked for the commits and their people: that is done for a command that needs it
}

// HandOf returns the hand of an account that GitHub names. A bot acts for somebody, and GitHub does not say for whom.
func HandOf(p Part, by Actor, bot bool) Hand {
	switch {
	case bot:
		return Hand{Part: p, Text: string(by.Login) + " is a bot, and GitHub does not say for whom it acts"}
	case by.ID == 0:
		return Hand{Part: p}
	}
	return Hand{Part: p, By: by}
}

// as returns the hand with its part, and with the reason if it is not known.
func (h Hand) as(p Part) Hand {
	h.Part = p
	if h.By.ID == 0 && h.Text == "" {
		h.Text = "no webhook has told"
	}
	return h
}

// MadeBy reports whether a person has played a part in making the freight.
func (f *Freight) MadeBy(who Actor) bool {
	if f.Author.ID != 0 && f.Author.Is(who) {
		return true
	}
	for _, h := range f.Hands.All {
		if h.By.ID != 0 && h.By.Is(who) {
			return true
		}
	}
	return false
}

// Unknown returns a part of which it is not known who played it; false if all are known.
func (f *Freight) Unknown() (Hand, bool) {
	if f.Hands.Unread {
		return Hand{Part: AuthorPart, Text: "GitHub could not be asked; try again in a minute"}, true
	}
	for _, h := range f.Hands.All {
		if h.By.ID == 0 {
			return h, true
		}
	}
	return Hand{}, false
}

// Behind returns the hands of the freight's commit as those of the freight. Of a push the commit's pusher is the
// freight's, whom a webhook may have told.
func (f *Freight) Behind(commit Hands) Hands {
	if f.Version != "" {
		return commit
	}
	for i := range commit.All {
		if commit.All[i].Part == CommitPusherPart {
			commit.All[i].Part = PusherPart
		}
	}
	return commit
}

// With returns the hands with what others know in addition: who played a part that is not known here, and what GitHub
// says of the commits in place of what it said before.
func (h Hands) With(more Hands) Hands {
	both := Hands{Unread: h.Unread && more.Unread}
	for _, one := range h.All {
		if one.By.ID == 0 {
			for _, other := range more.All {
				if other.Part == one.Part && other.By.ID != 0 {
					one = other
				}
			}
		}
		if more.Unread || !one.Part.read() {
			both.All = append(both.All, one)
		}
	}
	if !more.Unread {
		for _, one := range more.All {
			if one.Part.read() {
				both.All = append(both.All, one)
			}
		}
	}
	return both
}

// Told reports whether they have a hand of which GitHub tells only when it is played.
func (h Hands) Told() bool {
	return slices.ContainsFunc(h.All, func(one Hand) bool { return one.By.ID != 0 && !one.Part.read() })
}

// read reports whether GitHub tells of the part at any time, and not only when it is played.
func (p Part) read() bool {
	switch p {
	case AuthorPart, CommitterPart, MergerPart, PullPusherPart, CommitPusherPart:
		return true
	}
	return false
}
