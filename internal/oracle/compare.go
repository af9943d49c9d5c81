package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"waybill/internal/oracle/recorded"
	"waybill/promotion"
)

// Decider is the decision core.
type Decider func(*promotion.Snapshot, time.Time) promotion.Decision

// Difference is one place at which a decision is not the recorded one.
type Difference struct {
	Field         string // of Decision
	Place         string // below it, and itself
	Recorded, Now string
}

// String says where and how the decisions differ.
func (d Difference) String() string {
	return fmt.Sprintf("%s: recorded %s, now %s", d.Place, d.Recorded, d.Now)
}

// Differences returns all places at which a decision differs from the recorded one. The order of lists counts, and so
// does whether a list that is empty is nil.
func Differences(recorded, now *recorded.Decision) (all []Difference) {
	was, is := reflect.ValueOf(*recorded), reflect.ValueOf(*now)
	for i := range was.NumField() {
		field := was.Type().Field(i).Name
		differ(field, was.Field(i), is.Field(i), func(place, was, is string) {
			all = append(all, Difference{field, place, was, is})
		})
	}
	return all
}

// differ tells of each place below a value that differs.
func differ(place string, was, is reflect.Value, tell func(place, was, is string)) {
	switch {
	case reflect.DeepEqual(was.Interface(), is.Interface()):
	case was.Kind() == reflect.Struct && was.Type() != reflect.TypeFor[time.Time]():
		for i := range was.NumField() {
			differ(place+"."+was.Type().Field(i).Name, was.Field(i), is.Field(i), tell)
		}
	case was.Kind() == reflect.Pointer && !was.IsNil() && !is.IsNil():
		differ(place, was.Elem(), is.Elem(), tell)
	case was.Kind() == reflect.Slice && max(was.Len(), is.Len()) > 0:
		for i := range max(was.Len(), is.Len()) {
			at := fmt.Sprintf("%s[%d]", place, i)
			switch {
			case i >= is.Len():
				tell(at, text(was.Index(i)), "nothing")
			case i >= was.Len():
				tell(at, "nothing", text(is.Index(i)))
			default:
				differ(at, was.Index(i), is.Index(i), tell)
			}
		}
	default:
		tell(place, text(was), text(is))
	}
}

// text prints a value. It cannot fail, as recorded values are made to be written as JSON.
func text(v reflect.Value) string {
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// Wanted is a difference that is there on purpose.
type Wanted struct {
	Reason string
	Covers func(p *Pair, now *recorded.Decision) bool
}

// Report is the result of deciding recorded pairs again.
type Report struct {
	Pairs     int
	Differing int            // of them, but for those that are wanted
	Wanted    map[string]int // pairs by the reason why they may differ
	Fields    map[string]int // pairs by the fields that differ; "panic" where there is no decision
	First     []string       // the first pairs that differ, with their differences
}

// shown is how many pairs a report tells of.
const shown = 5

// check decides one pair again and adds the result.
func (r *Report) check(p *Pair, pipeline *promotion.Pipeline, decide Decider, wanted []Wanted) {
	r.Pairs++
	now, panicked := again(p, pipeline, decide)
	if panicked != "" {
		r.add(p, []Difference{{Field: "panic", Place: "Decide", Recorded: "a decision", Now: panicked}})
		return
	}
	differences := Differences(p.Decision, now)
	if len(differences) == 0 {
		return
	}
	for _, w := range wanted {
		if w.Covers(p, now) {
			count(&r.Wanted, w.Reason, 1)
			return
		}
	}
	r.add(p, differences)
}

// again makes the decision of a pair anew.
func again(p *Pair, pipeline *promotion.Pipeline, decide Decider) (d *recorded.Decision, panicked string) {
	s := snapshotOf(p.Snapshot, pipeline)
	defer func() {
		if cause := recover(); cause != nil {
			panicked = fmt.Sprintf("a panic: %v", cause)
		}
	}()
	return decisionOf(decide(s, p.Now)), ""
}

func (r *Report) add(p *Pair, differences []Difference) {
	r.Differing++
	fields := map[string]bool{}
	lines := []string{p.String()}
	for _, d := range differences {
		fields[d.Field] = true
		lines = append(lines, "    "+d.String())
	}
	for field := range fields {
		count(&r.Fields, field, 1)
	}
	if len(r.First) < shown {
		r.First = append(r.First, strings.Join(lines, "\n"))
	}
}

// Add adds the results of another report.
func (r *Report) Add(other *Report) {
	r.Pairs += other.Pairs
	r.Differing += other.Differing
	for reason, n := range other.Wanted {
		count(&r.Wanted, reason, n)
	}
	for field, n := range other.Fields {
		count(&r.Fields, field, n)
	}
	r.First = append(r.First, other.First...)
	r.First = r.First[:min(len(r.First), shown)]
}

func count(in *map[string]int, key string, n int) {
	if *in == nil {
		*in = map[string]int{}
	}
	(*in)[key] += n
}

// String sums up the report: how many pairs differ in which field, and the first of them.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d recorded decisions differ\n", r.Differing, r.Pairs)
	for _, field := range slices.Sorted(maps.Keys(r.Fields)) {
		fmt.Fprintf(&b, "%8d in %s\n", r.Fields[field], field)
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Wanted)) {
		fmt.Fprintf(&b, "%8d wanted: %s\n", r.Wanted[reason], reason)
	}
	for _, first := range r.First {
		fmt.Fprintln(&b, first)
	}
	return b.String()
}
