package verify

import (
	"cmp"
	"slices"
	"strings"

	"waybill/promotion"
)

// Asker is a matcher of a target.
type Asker struct {
	Pipeline int64 // 0: all are of one pipeline
	Stage    promotion.StageName
	Target   promotion.TargetName
	On       promotion.Branch // that holds the files
	Matcher  *promotion.Matcher

	head string // the pattern up to its first star
}

// is reports whether both are matchers of one target.
func (a *Asker) is(o *Asker) bool {
	return a.Pipeline == o.Pipeline && a.Stage == o.Stage && a.Target == o.Target
}

// askers are matchers, arranged so that those that overlap with one are found quickly.
type askers struct {
	names   map[named][]*Asker // whose pattern is a name
	sorted  []*Asker           // the same, by head; nil until a pattern with stars is looked for
	stars   []*Asker           // whose pattern is more, by head
	lengths []int              // of the heads of stars, each once
}

// named is a name of one kind of signal.
type named struct {
	kind promotion.SignalKind
	name string
}

func arrange(all []Asker) *askers {
	l := &askers{names: make(map[named][]*Asker)}
	for i := range all {
		a, star := &all[i], false
		a.head, _, star = strings.Cut(a.Matcher.Pattern, "*")
		if star {
			l.stars, l.lengths = append(l.stars, a), append(l.lengths, len(a.head))
			continue
		}
		key := named{a.Matcher.Kind, a.head}
		l.names[key] = append(l.names[key], a)
	}
	slices.SortFunc(l.stars, byHead)
	slices.Sort(l.lengths)
	l.lengths = slices.Compact(l.lengths)
	return l
}

func byHead(a, b *Asker) int { return strings.Compare(a.head, b.head) }

// anyOverlaps reports whether a matcher overlaps with one of those that concern. Of two patterns that overlap, the
// head of one begins the head of the other.
func (l *askers) anyOverlaps(m *promotion.Matcher, concerns func(*Asker) bool) bool {
	overlaps := func(a *Asker) bool { return concerns(a) && m.Overlaps(a.Matcher) }
	head, _, star := strings.Cut(m.Pattern, "*")
	for _, n := range l.lengths {
		if n <= len(head) && slices.ContainsFunc(withHead(l.stars, head[:n]), overlaps) {
			return true
		}
	}
	if !star {
		return slices.ContainsFunc(l.names[named{m.Kind, head}], overlaps)
	}
	if l.sorted == nil {
		for _, some := range l.names {
			l.sorted = append(l.sorted, some...)
		}
		slices.SortFunc(l.sorted, byHead)
	}
	return slices.ContainsFunc(beginning(l.stars, head), overlaps) || slices.ContainsFunc(beginning(l.sorted,
		head), overlaps)
}

// withHead returns those whose pattern has exactly this head.
func withHead(all []*Asker, head string) []*Asker {
	all = beginning(all, head)
	n, _ := slices.BinarySearchFunc(all, len(head)+1, func(a *Asker,
		longer int) int {
		return cmp.Compare(len(a.head), longer)
	})
	return all[:n]
}

// beginning returns those whose head begins with this one.
func beginning(all []*Asker, head string) []*Asker {
	first, _ := slices.BinarySearchFunc(all, head, func(a *Asker, head string) int {
		return strings.Compare(a.head,
			head)
	})
	all = all[first:]
	n, _ := slices.BinarySearchFunc(all, head, func(a *Asker, head string) int {
		if strings.HasPrefix(a.head, head) {
			return -1
		}
		return 1
	})
	return all[:n]
}
