package story

import (
	"cmp"
	"slices"
	"time"

	"waybill/promotion"
)

// narrator turns the lines of a world into outcomes: in the order of the story, with its numbers, and without repeated
// reasons.
type narrator struct {
	numbers   numbering
	heads     heads
	pipeline  *promotion.Pipeline
	happening Happening // of the current step
	began     time.Time // when the current step began
}

// outcomes returns the outcomes of one step.
func (n *narrator) outcomes(lines []Line) []Outcome {
	lines = n.everywhere(lines)
	slices.SortStableFunc(lines, n.compare)
	var told []Outcome
	for _, l := range lines {
		o := n.tell(l)
		if l.Act.Word == string(promotion.EventHeld) && n.explained(told, o) || l.Act.Word == string(promotion.EventDrifted) {
			o.Because = promotion.Reason{}
		}
		if last := len(told) - 1; last >= 0 && told[last].continues(o) {
			told[last].Acts = append(told[last].Acts, o.Acts...)
			told[last].Because = o.Because
			continue
		}
		told = append(told, o)
	}
	return told
}

// everywhere repeats a line about the whole pipeline for each stage. It drops the lines of stages that freight only
// passes through, unless the step is a `why`.
func (n *narrator) everywhere(lines []Line) []Line {
	var all []Line
	for _, l := range lines {
		if l.Where == (Where{}) {
			for _, s := range n.pipeline.Stages {
				l.Where.Stage = s.Name
				all = append(all, l)
			}
			continue
		}
		all = append(all, l)
	}
	return slices.DeleteFunc(all, func(l Line) bool {
		s := n.pipeline.Stage(l.Where.Stage)
		return s != nil && s.Delivery == promotion.DeliveryNone && n.happening.Kind != Why
	})
}

// compare orders lines by time, then by place: warehouses, stages in the order of the file, pull requests, Slack.
// Replies come last.
func (n *narrator) compare(a, b Line) int {
	return cmp.Or(
		cmp.Compare(n.offset(a.At), n.offset(b.At)),
		cmp.Compare(n.rank(a), n.rank(b)),
		cmp.Compare(a.Where.Pull.Repo, b.Where.Pull.Repo),
		cmp.Compare(a.Where.Pull.Number, b.Where.Pull.Number),
	)
}

func (n *narrator) rank(l Line) int {
	stages := len(n.pipeline.Stages)
	switch {
	case l.Act.Word == string(promotion.Reply):
		return stages + 4
	case l.Where.Slack:
		return stages + 3
	case l.Where.Pull.Number != 0:
		return stages + 2
	case l.Where.Stage != "":
		for i, s := range n.pipeline.Stages {
			if s.Name == l.Where.Stage {
				return 1 + i
			}
		}
		return stages + 1 // no longer in the file
	}
	return 0
}

// tell turns a line into an outcome with the story's numbers and names.
func (n *narrator) tell(l Line) Outcome {
	o := Outcome{
		Timed: n.happening.Kind == Wait, Offset: n.offset(l.At),
		Where: n.place(l.Where), Acts: []Act{l.Act}, Because: n.heads.reason(n.numbers.reason(l.Reason)),
	}
	l.Freight = n.heads.name(l.Freight)
	if l.Promotion == 0 {
		o.Freight = l.Freight
		return o
	}
	number, fresh := n.numbers.of(l.Promotion)
	if l.Act.Word == string(promotion.Tell) {
		o.Acts[0].Args = append(slices.Clone(l.Act.Args), promotionName(number))
		return o
	}
	o.Promotion = number
	if fresh {
		o.Freight, o.Class = l.Freight, l.Class
	}
	if l.Merged {
		o.Acts[0].Args = []string{Commit{Of: 'm', Number: int(number)}.String()}
	}
	return o
}

func (n *narrator) place(w Where) string {
	switch {
	case w.Slack:
		return "slack"
	case w.Pull.Number != 0:
		if w.Pull.Repo == n.pipeline.Home {
			w.Pull.Repo = ""
		}
		return w.Pull.String()
	case w.Warehouse != "":
		return string(w.Warehouse)
	}
	return string(w.Stage)
}

// explained reports whether the step already shows why a stage is held: a person asked for it, or a promotion ended for
// the same reason.
func (n *narrator) explained(told []Outcome, held Outcome) bool {
	switch n.happening.Kind {
	case Comment, Slack, Press, Rerun, Label, Unlabel:
		return held.Because.Arg(1) == "" // a second argument names the target and has to be printed
	}
	for _, o := range told {
		if o.Where == held.Where && o.Because.Code != "" && o.Because.String() == held.Because.String() {
			return true
		}
	}
	return false
}

// continues reports whether o goes on the line of before. A line holds the acts of one promotion at one time, up to a
// reason.
func (before Outcome) continues(o Outcome) bool {
	return o.Promotion != 0 && o.Promotion == before.Promotion && o.Where == before.Where &&
		o.Offset == before.Offset && before.Because.IsZero()
}
