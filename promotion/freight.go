package promotion

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Freight is an immutable piece of work on its way through the stages: a merged pull request.
type Freight struct {
	ID        FreightID
	Warehouse WarehouseName
	Name      string    // what people call it, "api#142"
	Merged    time.Time // when GitHub says it was merged: the order within a warehouse
	Number    int       // the pull request; the order among those merged at the same time
	Repo      Repo
	SHA       SHA // the merge commit
	Author    Actor
	Title     string
}

// NewFreight makes the freight of a pull request merged into warehouse w.
func NewFreight(w *Warehouse, number int, sha SHA, merged time.Time) Freight {
	f := Freight{
		Warehouse: w.Name,
		Name:      fmt.Sprintf("%s#%d", w.Name, number),
		Merged:    merged.UTC(),
		Number:    number,
		Repo:      w.Repo,
		SHA:       sha,
	}
	f.ID = f.identify()
	return f
}

// identify hashes what the freight contains. The same commit in the same warehouse is the same freight, however often
// and on whichever way Waybill hears of it.
func (f Freight) identify() FreightID {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(f.Warehouse), string(f.Repo), string(f.SHA)}, "\x00")))
	return FreightID(hex.EncodeToString(sum[:16]))
}

// Before reports whether f comes before g in their warehouse: merged earlier, or at the same time with a smaller number.
// When Waybill heard of it plays no part.
func (f Freight) Before(g Freight) bool {
	if !f.Merged.Equal(g.Merged) {
		return f.Merged.Before(g.Merged)
	}
	return f.Number < g.Number
}

// Value returns what ${warehouse.key} stands for, and whether the freight has such a value.
func (f Freight) Value(key string) (string, bool) {
	switch key {
	case "commit":
		return string(f.SHA), true
	case "short":
		return string(f.SHA[:min(7, len(f.SHA))]), true
	case "number":
		return strconv.Itoa(f.Number), true
	case "name":
		return f.Name, true
	}
	return "", false
}

// FreightKeys are the keys that Value knows, for messages.
var FreightKeys = []string{"commit", "short", "number", "name"}
