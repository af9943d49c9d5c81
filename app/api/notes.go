package api

import (
	"waybill/promotion"
	"waybill/promotion/say"
)

// Notes say what a promotion brings. They are made with its plan.
type Notes struct {
	Title   string  `json:"title" doc:"the title of its pull request"`
	From    string  `json:"from,omitempty" doc:"the freight that the stage had before; absent: not known"`
	To      string  `json:"to" doc:"the freight that it gets"`
	Back    bool    `json:"back,omitempty" doc:"whether it goes back to older freight"`
	Compare string  `json:"compare,omitempty" doc:"the address of the page with the commits between both"`
	Edits   []Edit  `json:"edits" doc:"the values that change, 50 at most"`
	Cargo   []Cargo `json:"cargo" doc:"the freight that comes, or that a step back takes away, newest first, 20 at most"`
	More    int     `json:"more,omitempty" doc:"how much more freight there is"`
	Beside  []Cargo `json:"beside" doc:"the freight of other warehouses in the same commits, the newest 20 at most"`
	Origin  string  `json:"origin" doc:"who has asked for it, and why"`
	Earned  string  `json:"earned,omitempty" doc:"how the freight had fared in the stages before"`
}

// Edit is a value that changes.
type Edit struct {
	Place string `json:"place" doc:"the file, and the place in it"`
	Was   string `json:"was" doc:"the value before"`
	Is    string `json:"is" doc:"the value after"`
}

// Cargo is a piece of freight that comes along.
type Cargo struct {
	Name   string   `json:"name" doc:"its name"`
	Repo   string   `json:"repo" doc:"the repository that it is from"`
	Pull   int      `json:"pull,omitempty" doc:"its pull request"`
	Title  string   `json:"title,omitempty" doc:"its title"`
	Author string   `json:"author,omitempty" doc:"who has written it"`
	Issues []string `json:"issues,omitempty" doc:"the issues that it closes, as its text says"`
	Risk   *Risk    `json:"risk,omitempty" doc:"what the files of its pull request tell; absent: not known"`
}

// Risk is what the files of a pull request tell about how much it may break.
type Risk struct {
	Files      int      `json:"files,omitempty" doc:"how many it changes"`
	Lines      int      `json:"lines,omitempty" doc:"how many it adds and removes"`
	Areas      []string `json:"areas,omitempty" doc:"the top folders of these, 5 at most; . stands for files in none"`
	Migrations []string `json:"migrations,omitempty" doc:"files that look like migrations of a database, 3 at most"`
	More       bool     `json:"more,omitempty" doc:"there are more files, which GitHub does not list"`
}

// notesOf describes the notes on the plan of a promotion; nil if there are none.
func notesOf(p promotion.Promotion, n *promotion.Notes) *Notes {
	if n == nil {
		return nil
	}
	as := func(s string) string { return s }
	return &Notes{
		Title: say.PullTitle(&p), From: n.From.Name, To: n.To.Name, Back: n.Back, Compare: say.Compare(n),
		Edits: list(n.Edits, func(e promotion.Edit) Edit { return Edit(e) }),
		Cargo: list(n.Cargo, cargoOf), More: n.Left, Beside: list(n.Beside, cargoOf),
		Origin: say.Origin(&p, n, as, as), Earned: say.Earnings(n, as),
	}
}

func cargoOf(c promotion.Cargo) Cargo {
	return Cargo{c.Name, string(c.Repo), c.Pull, c.Title, string(c.Author), c.Issues, (*Risk)(c.Risk)}
}
