package promotion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// Notes tell a person who decides about a promotion what it brings. They are made with its plan, of facts that the
// ledger has, and kept with it: they can be shown again without asking anybody, and do not change afterwards.
type Notes struct {
	Web    string   `json:"web,omitempty"`   // the address of GitHub's pages, with which links begin
	From   Landmark `json:"from,omitzero"`   // the freight of its warehouse that the stage had; zero: none is known
	To     Landmark `json:"to,omitzero"`     // the freight that it brings
	Edits  []Edit   `json:"edits,omitempty"` // the values that it changes
	Hidden int      `json:"hidden,omitempty"`
	// Cargo is the freight between From and To, the newest first: what comes along, To included, or what a step back takes
	// away, From included. Left is how much more there is.
	Cargo []Cargo `json:"cargo,omitempty"`
	Left  int     `json:"left,omitempty"`
	// Beside is freight of other warehouses that is in the same commits, the newest first. More says that there is more.
	Beside []Cargo  `json:"beside,omitempty"`
	More   bool     `json:"more,omitempty"`
	Back   bool     `json:"back,omitempty"` // To is older than From
	Earned []Earned `json:"earned,omitempty"`
	// Cause is why the promotion that this one answers has ended, and Answers that promotion; zero: there is none.
	Answers Number  `json:"answers,omitempty"`
	Cause   *Reason `json:"cause,omitempty"`
}

// Landmark is a commit that freight has brought somewhere, by the name that people use.
type Landmark struct {
	Name string `json:"name,omitempty"`
	Repo Repo   `json:"repo,omitempty"`
	SHA  SHA    `json:"sha,omitempty"`
}

// Edit is a value that a promotion changes. Was is empty if there is no such value yet.
type Edit struct {
	Place string `json:"place"` // as Value.Place names it
	Was   string `json:"was,omitempty"`
	Is    string `json:"is"`
}

// Cargo is a piece of freight as people know it.
type Cargo struct {
	Name   string   `json:"name"`
	Repo   Repo     `json:"repo,omitempty"`
	Pull   int      `json:"pull,omitempty"`
	Title  string   `json:"title,omitempty"`
	Author Login    `json:"author,omitempty"`
	Issues []string `json:"issues,omitempty"` // that it closes: "acme/api#12"
	Risk   *Risk    `json:"risk,omitempty"`   // nil: not known
}

// Earned is how the freight had fared in a stage before this one when the plan was made.
type Earned struct {
	Stage   StageName     `json:"stage"`
	Verdict Verdict       `json:"verdict,omitempty"`
	Since   time.Time     `json:"since,omitzero"` // it was there, and verified since then; zero: it was not, or had left
	Longest time.Duration `json:"longest,omitempty"`
	Soak    time.Duration `json:"soak,omitempty"` // that is asked for
	// Withdrawn says that the stage had verified it, and taken it back.
	Withdrawn bool `json:"withdrawn,omitempty"`
}

// The most that notes list of each kind.
const (
	listedEdits = 50
	listedCargo = 20
	// MostCargo is how much freight NewNotes is given at most: one piece more than it lists tells that there is more.
	MostCargo = listedCargo + 1
	ShownText = 200 // characters of a value or a title
)

// Cargoes is the freight between two pieces of a warehouse, as the ledger has it.
type Cargoes struct {
	From  *Freight  // that the stage had; nil: none is known
	To    Freight   // that is promoted
	Newer []Freight // the newest MostCargo at most behind the older of the two, up to the newer one, newest first
	Count int       // how many there are
	// Beside is freight of other warehouses in the same commits, and which is no freight of this one, as Newer is.
	Beside []Freight
}

// Annotate returns the notes of a promotion of the stage: of the freight between, the values before and after, and the
// deployments of the freight in all stages, in the order in which they began, and what has taken freight back in those
// before.
func (s *Stage) Annotate(c Cargoes, was, is []Value, deployments []Deployment, withdrawals []Withdrawal) *Notes {
	n := &Notes{To: landmarkOf(&c.To), Earned: s.earned(&c.To, deployments, withdrawals)}
	if c.From != nil {
		n.From, n.Back = landmarkOf(c.From), c.To.Before(*c.From)
	}
	for i := range c.Newer[:min(len(c.Newer), listedCargo)] {
		n.Cargo = append(n.Cargo, cargoOf(&c.Newer[i]))
	}
	n.Left = c.Count - len(n.Cargo)
	for i := range c.Beside[:min(len(c.Beside), listedCargo)] {
		n.Beside = append(n.Beside, cargoOf(&c.Beside[i]))
	}
	n.More = len(c.Beside) > len(n.Beside)
	n.Edits = edits(was, is)
	if n.Hidden = len(n.Edits) - listedEdits; n.Hidden > 0 {
		n.Edits = n.Edits[:listedEdits]
	}
	n.Hidden = max(0, n.Hidden)
	return n
}

// Newest sorts freight of several warehouses, the newest first. A pull request that is freight of two of them stands
// there once.
func Newest(all []Freight) []Freight {
	slices.SortStableFunc(all, func(a, b Freight) int {
		switch {
		case a.Before(b):
			return 1
		case b.Before(a):
			return -1
		}
		return 0
	})
	return slices.CompactFunc(all, func(a, b Freight) bool { return a.Repo == b.Repo && a.SHA == b.SHA })
}

func landmarkOf(f *Freight) Landmark { return Landmark{Name: f.Name, Repo: f.Repo, SHA: f.SHA} }

func cargoOf(f *Freight) Cargo {
	return Cargo{Name: f.Name, Repo: f.Repo, Pull: f.Pull, Title: Clip(f.Title, ShownText), Author: f.Author.Login,
		Issues: f.Issues, Risk: f.Risk}
}

// edits returns the values that differ. Values that stand for all files of a folder are hashes, and left out.
func edits(was, is []Value) (all []Edit) {
	old := TextsOf(was)
	for _, v := range is {
		if text := old[v.Spot()]; text != v.Text && v.Key != EveryFile {
			all = append(all, Edit{Place: v.Place(), Was: Clip(text, ShownText), Is: Clip(v.Text, ShownText)})
		}
	}
	return all
}

// earned sums up how freight of a warehouse has fared in the stages that the gate of this one names.
func (s *Stage) earned(f *Freight, deployments []Deployment, withdrawals []Withdrawal) (all []Earned) {
	source, _ := s.Source(f.Warehouse)
	if source.After == nil {
		return nil
	}
	for _, up := range source.After.Of {
		if up.Delivery == DeliveryNone { // it passes on what the stages before it have verified
			all = append(all, up.earned(f, deployments, withdrawals)...)
			continue
		}
		there := slices.DeleteFunc(slices.Clone(deployments), func(d Deployment) bool { return d.Stage != up.Name })
		back := slices.DeleteFunc(slices.Clone(withdrawals), func(w Withdrawal) bool { return w.Promotion.Stage != up.Name })
		r := NewRecord(f, there, back)
		all = slices.DeleteFunc(all, func(e Earned) bool { return e.Stage == up.Name }) // before one that passes it on, too
		all = append(all, Earned{Stage: up.Name, Verdict: r.Verdict, Since: r.Since, Longest: r.Longest,
			Soak: source.After.Soak, Withdrawn: r.Withdrawn != ""})
	}
	return all
}

// Hash returns a hash of the notes, by which a sign-off binds to what they say; "" if there are none.
func (n *Notes) Hash() string {
	if n == nil {
		return ""
	}
	text, err := json.Marshal(n)
	if err != nil {
		return "" // there is nothing in it that has no JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
