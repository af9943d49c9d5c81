package verify

import (
	"cmp"
	"slices"
	"strings"

	"waybill/promotion"
)

// asker is a matcher of a target.
type asker struct {
	stage   promotion.StageName
	target  promotion.TargetName
	on      promotion.Branch // that holds the files
	matcher *promotion.Matcher
	head    string // the pattern up to its first star
}

// askers are all matchers of a pipeline, arranged so that those that overlap with one are found quickly.
type askers struct {
	names   map[named][]*asker // whose pattern is a name
	sorted  []*asker           // the same, by head; nil until a pattern with stars is looked for
	stars   []*asker           // whose pattern is more, by head
	lengths []int              // of the heads of stars, each once
}

// named is a name of one kind of signal.
type named struct {
	kind promotion.SignalKind
	name string
}

func askersOf(p *promotion.Pipeline) *askers {
	l := &askers{names: make(map[named][]*asker)}
	for _, stage := range p.Stages {
		for _, of := range p.Subjects(stage) {
			l.add(asker{stage: stage.Name, target: of.Name, on: of.On}, of.Verify)
		}
	}
	slices.SortFunc(l.stars, byHead)
	slices.Sort(l.lengths)
	l.lengths = slices.Compact(l.lengths)
	return l
}

func (l *askers) add(by asker, matchers []promotion.Matcher) {
	all := make([]asker, len(matchers))
	for i := range matchers {
		a, star := &all[i], false
		*a, a.matcher = by, &matchers[i]
		a.head, _, star = strings.Cut(a.matcher.Pattern, "*")
		if star {
			l.stars, l.lengths = append(l.stars, a), append(l.lengths, len(a.head))
			continue
		}
		key := named{a.matcher.Kind, a.head}
		l.names[key] = append(l.names[key], a)
	}
}

func byHead(a, b *asker) int { return strings.Compare(a.head, b.head) }

// anyOverlaps reports whether a matcher overlaps with one of those that concern. Of two patterns that overlap, the
// head of one begins the head of the other.
func (l *askers) anyOverlaps(m *promotion.Matcher, concerns func(*asker) bool) bool {
	overlaps := func(a *asker) bool { return m.Overlaps(a.matcher) && concerns(a) }
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
func withHead(all []*asker, head string) []*asker {
	all = beginning(all, head)
	n, _ := slices.BinarySearchFunc(all, len(head)+1, func(a *asker,
		longer int) int {
		return cmp.Compare(len(a.head), longer)
	})
	return all[:n]
}

// beginning returns those whose head begins with this one.
func beginning(all []*asker, head string) []*asker {
	first, _ := slices.BinarySearchFunc(all, head, func(a *asker, head string) int {
		return strings.Compare(a.head,
			head)
	})
	all = all[first:]
	n, _ := slices.BinarySearchFunc(all, head, func(a *asker, head string) int {
		if strings.HasPrefix(a.head, head) {
			return -1
		}
		return 1
	})
	return all[:n]
}
