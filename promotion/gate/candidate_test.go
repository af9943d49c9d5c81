package gate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"waybill/promotion"
	"waybill/promotion/gate"
	"waybill/promotion/internal/fixture"
)

// fleet is prod behind dev with a soak of an hour, and five pieces of freight, oldest first, one of them of another
// warehouse. dev verified them an hour, 20 minutes, an hour, 10 minutes and an hour ago.
func fleet() *promotion.Snapshot {
	s := fixture.InState(promotion.Queued)
	s.Stage = s.Pipeline.Stages[1]
	s.Stage.From[0].After.Soak = time.Hour
	s.Freight = nil
	for n := range 5 {
		s.Freight = append(s.Freight, fixture.FreightNo(s.Pipeline, n+1))
	}
	s.Freight[4].Warehouse = "web"
	s.Records = [][]promotion.Record{
		{fixture.Soaked, fixture.Fresh, fixture.Soaked, fixture.Fresher, fixture.Soaked}, nil,
	}
	return s
}

// mark is the mark of the i-th freight of a snapshot.
func mark(s *promotion.Snapshot, i int) promotion.Mark {
	return promotion.Mark{Warehouse: "api", Merged: s.Freight[i].Merged, Number: s.Freight[i].Number}
}

func TestTheNewestAvailableFreight(t *testing.T) {
	s := fleet()
	from, k := s.Stage.From[0], gate.KeeperOf(s, noon)
	i, until := k.NewestAvailable(from, promotion.Mark{})
	require.Equal(t, 2, i)
	require.Equal(t, noon.Add(50*time.Minute), until, "older freight is not waited for")

	i, until = k.NewestAvailable(from, mark(s, 2))
	require.Equal(t, -1, i)
	require.Equal(t, noon.Add(50*time.Minute), until)

	s.Records[0][2] = fixture.Unheard
	i, until = k.NewestAvailable(from, mark(s, 0))
	require.Equal(t, -1, i)
	require.Equal(t, noon.Add(40*time.Minute), until, "the first that has soaked")

	i, until = k.NewestAvailable(from, mark(s, 3))
	require.Equal(t, -1, i)
	require.Zero(t, until)
}

func TestAllAvailableFreight(t *testing.T) {
	s := fleet()
	from, k := s.Stage.From[0], gate.KeeperOf(s, noon)
	all, until := k.AllAvailable(from, promotion.Mark{})
	require.Equal(t, []int{0, 2}, all)
	require.Equal(t, noon.Add(40*time.Minute), until)
	all, until = k.AllAvailable(from, mark(s, 1))
	require.Equal(t, []int{2}, all)
	require.Equal(t, noon.Add(50*time.Minute), until)
	all, until = k.AllAvailable(from, mark(s, 3))
	require.Empty(t, all)
	require.Zero(t, until)
}
