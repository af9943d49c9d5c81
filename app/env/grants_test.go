package env

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// TestWhatIsGrantedDuringAQuestionIsAskedForAgain has the account grant something while GitHub answers, or does not.
func TestWhatIsGrantedDuringAQuestionIsAskedForAgain(t *testing.T) {
	for name, end := range map[string]func(*Grants, Asking){
		"answered": func(g *Grants, a Asking) { g.Set(a, nil, noon.Add(time.Hour)) },
		"not answered": func(g *Grants, a Asking) {
			g.Postpone(a, func(int) time.Time { return noon.Add(time.Hour) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := &Grants{}
			asking, due, _ := g.Due(noon)
			require.True(t, due, "at the start")
			g.AskAgain()
			end(g, asking)
			asking, due, _ = g.Due(noon)
			require.True(t, due)
			end(g, asking)
			_, due, next := g.Due(noon)
			require.False(t, due)
			require.Equal(t, noon.Add(time.Hour), next)
			_, due, _ = g.Due(next)
			require.True(t, due)
		})
	}
}

// TestQuestionsThatFailAreCounted until one is answered.
func TestQuestionsThatFailAreCounted(t *testing.T) {
	g, counted := &Grants{}, []int{}
	fails := func() {
		g.Postpone(Asking{}, func(failed int) time.Time { counted = append(counted, failed); return noon })
	}
	fails()
	fails()
	g.Set(Asking{}, nil, noon)
	fails()
	require.Equal(t, []int{1, 2, 1}, counted)
}

// TestWhatIsNewAndWhatIsGoneIsTold compares without a record, so that what is done about it can fail.
func TestWhatIsNewAndWhatIsGoneIsTold(t *testing.T) {
	a, b := Lacking{Ungranted: promotion.Ungranted{Name: "a"}}, Lacking{Ungranted: promotion.Ungranted{Name: "b"}}
	g := &Grants{}
	g.Set(Asking{}, []Lacking{a}, noon)
	for range 2 {
		fresh, gone := g.Compare([]Lacking{b})
		require.Equal(t, []Lacking{b}, fresh)
		require.Equal(t, []Lacking{a}, gone)
	}
}
