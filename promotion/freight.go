package promotion

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Freight is an immutable piece of work on its way through the stages: a merged pull request, a push, a release or tag,
// or a version that CI has built.
type Freight struct {
	ID        FreightID
	Warehouse WarehouseName
	Name      string // the name that people use, "api#142" or "api@v1.4.2"; it means one content for ever
	// Merged is its place in the order of its warehouse: when GitHub says that it was merged or published, or what
	// stands for its version there (Warehouse.Placed). People are told At.
	Merged time.Time
	Number int // the order among freight of the same place: the pull request, or what Warehouse.Placed says
	Pull   int // the source pull request, on which people are told; 0: there is none
	Repo   Repo
	SHA    SHA // the merge commit, or the commit of the tag
	Author Actor
	Title  string
	Hands  Hands // who has made it, by their accounts
	Contents
}

// Contents are the values of freight besides its commit.
type Contents struct {
	Tag     string `json:",omitempty"` // of a release or tag
	Version string `json:",omitempty"` // that the tag says, or CI
	// Published is when GitHub says that a release or tag is from, and Serial its number among those of that time. Both
	// are there only while its version is its place.
	Published time.Time `json:",omitzero"`
	Serial    int       `json:",omitempty"`
	Image     string    `json:",omitempty"` // that CI has made, without tag and digest
	Digest    string    `json:",omitempty"` // of the image

	Images []Artifact `json:",omitempty"` // that were pushed for its commit, as far as its warehouse awaits them
	// Issues are those that its pull request closes, as its text says: "acme/api#12".
	Issues []string `json:",omitempty"`
	// Risk is what the files of its pull request tell; nil if they were not read.
	Risk *Risk `json:",omitempty"`
}

// NewFreight makes the freight of a pull request merged into warehouse w.
func NewFreight(w *Warehouse, number int, sha SHA, merged time.Time) Freight {
	f := Freight{
		Warehouse: w.Name,
		Name:      fmt.Sprintf("%s#%d", w.Name, number),
		Merged:    merged.UTC(),
		Number:    number,
		Pull:      number,
		Repo:      w.Repo,
		SHA:       sha,
	}
	f.ID = f.identify()
	return f
}

// identify hashes the contents of the freight. The same contents in the same warehouse are the same freight, however
// often and on whichever way Waybill hears of them.
func (f Freight) identify() FreightID {
	contents := []string{string(f.Warehouse), string(f.Repo), string(f.SHA)}
	switch {
	case f.Tag != "":
		contents = append(contents, f.Tag)
	case f.Version != "":
		contents = append(contents, f.Version, f.Image, f.Digest)
	}
	sum := sha256.Sum256([]byte(strings.Join(contents, "\x00")))
	return FreightID(hex.EncodeToString(sum[:16]))
}

// At returns when GitHub says that the freight was merged or published.
func (f Freight) At() time.Time {
	if !f.Published.IsZero() {
		return f.Published
	}
	return f.Merged
}

// Before reports whether f comes before g in their warehouse: merged or published earlier, or at the same time with a
// smaller number; or with a lower version, where versions are the order. When Waybill heard of it plays no part.
func (f Freight) Before(g Freight) bool {
	if !f.Merged.Equal(g.Merged) {
		return f.Merged.Before(g.Merged)
	}
	return f.Number < g.Number
}

// Value returns the value of ${warehouse.key}, and whether the freight has it.
func (f Freight) Value(key string) (string, bool) {
	if image, is := strings.CutPrefix(key, imageKeys); is {
		return f.imageValue(image)
	}
	switch key {
	case "commit":
		return string(f.SHA), true
	case "short":
		return string(f.SHA[:min(7, len(f.SHA))]), true
	case "name":
		return f.Name, true
	case "number":
		return strconv.Itoa(f.Pull), f.Pull != 0
	case "tag":
		return f.Tag, f.Tag != ""
	case "version":
		return f.Version, f.Version != ""
	case "image":
		return f.Image, f.Image != ""
	case "digest":
		return f.Digest, f.Digest != ""
	}
	return "", false
}

// Mark returns the place of the freight in the order of its warehouse.
func (f *Freight) Mark() Mark {
	return Mark{Warehouse: f.Warehouse, Merged: f.Merged, Number: f.Number}
}

// FreightRef names a piece of freight where the freight itself need not be known.
type FreightRef struct {
	ID        FreightID
	Name      string
	Warehouse WarehouseName
}

// Ref names the freight.
func (f *Freight) Ref() FreightRef { return FreightRef{f.ID, f.Name, f.Warehouse} }
