package plan

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Plan is the seed of a history with the acts drawn from it.
type Plan struct {
	Seed uint64
	Acts []Act
	End  bool // whether all work is brought to its end, which takes longer than all acts before
	Loss Loss
}

// Loss says that the database is lost, and an older copy of it takes its place. The zero Loss loses nothing.
type Loss struct {
	Copied   int           // the copy is made before the act with this ID,
	At       int           // and put in place before the first act with this ID or a later one, or after the last act
	Snapshot bool          // the copy is of the files, and not made by the program
	Away     time.Duration // until the program is started on the copy
}

// Act is one act of a history, and the number of steps that the program takes before the next one. The three numbers
// choose the objects of the act when it is played.
type Act struct {
	ID      int // seeds its draws, which thus stay the same when other acts are left out
	Kind    Kind
	A, B, C int
	Steps   int // of the schedule after the act; ToRest: until the program is at rest
}

// ToRest lets the program finish its work.
const ToRest = -1

// Kind is the kind of an act.
type Kind string

// Weight says how often a kind of act is drawn.
type Weight struct {
	Kind Kind
	Of   int
}

// Draw draws the plan of a seed. It begins with the first kind of act.
func Draw(seed uint64, weights []Weight) Plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := Plan{Seed: seed, End: seed%16 == 0}
	total := 0
	for _, w := range weights {
		total += w.Of
	}
	for id := range length(seed, r) {
		n := r.IntN(total)
		a := Act{ID: id, A: r.IntN(1 << 16), B: r.IntN(1 << 16), C: r.IntN(1 << 16)}
		for _, w := range weights {
			if n -= w.Of; n < 0 {
				a.Kind = w.Kind
				break
			}
		}
		if id == 0 {
			a.Kind = weights[0].Kind
		}
		a.Steps = []int{ToRest, ToRest, ToRest, 0, 1, 3, 8, 20}[r.IntN(8)]
		p.Acts = append(p.Acts, a)
	}
	p.Loss = drawLoss(rand.New(rand.NewPCG(seed, 12)), len(p.Acts))
	return p
}

// drawLoss draws the loss of the database for one history of eight with some acts.
func drawLoss(r *rand.Rand, acts int) (l Loss) {
	if r.IntN(8) > 0 {
		return l
	}
	l.Copied = r.IntN(acts)
	l.At = l.Copied + 1 + r.IntN(acts-l.Copied)
	l.Snapshot = r.IntN(2) == 0
	l.Away = []time.Duration{time.Second, 10 * time.Minute, 5 * time.Hour}[r.IntN(3)]
	return l
}

// length draws the number of acts. Most failures need few acts, so seven histories of eight are short, and more can be
// played.
func length(seed uint64, r *rand.Rand) int {
	if seed%8 == 0 {
		return 3 + r.IntN(9)
	}
	return 2 + r.IntN(3)
}

// Draws returns the source of randomness that belongs to an act.
func (p Plan) Draws(act int) *rand.Rand { return rand.New(rand.NewPCG(p.Seed, uint64(act)+100)) }

// String prints an act.
func (a Act) String() string {
	return fmt.Sprintf("%d:%s(%d,%d,%d)/%d", a.ID, a.Kind, a.A, a.B, a.C, a.Steps)
}
