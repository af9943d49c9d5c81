package views

import (
	"fmt"
	"slices"
	"strings"

	"waybill/app/surface"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// LabelsView is the content of a view of kind labels: our labels on a pull request. Other labels are left alone.
type LabelsView struct {
	Repo   promotion.Repo
	Number int
	Labels []string // in order
}

// LabelsAddress is the address of our labels on a pull request.
func LabelsAddress(repo promotion.Repo, pull int) string {
	return fmt.Sprintf("labels:%s#%d", repo, pull)
}

// wantLabels writes down this stage's label on the freight's source pull request: whether the freight is good or has
// failed there, and none while that is not known.
func wantLabels(tx *store.Tx, key store.StageKey, f promotion.Freight, at promotion.FreightStatus) error {
	if f.Pull == 0 {
		return nil
	}
	address := LabelsAddress(f.Repo, f.Pull)
	look := LabelsView{Repo: f.Repo, Number: f.Pull}
	there, err := surface.Wanted(tx, address, &look)
	if err != nil {
		return err
	}
	look.Labels = slices.DeleteFunc(look.Labels,
		func(name string) bool { return strings.HasPrefix(name, say.StageLabel(key.Stage, "")) })
	if word := say.Label(at); word != "" {
		look.Labels = append(look.Labels, say.StageLabel(key.Stage, word))
	}
	if !there && len(look.Labels) == 0 {
		return nil
	}
	slices.Sort(look.Labels)
	v := store.View{
		Surface: address, Pipeline: key.Pipeline, Kind: surface.KindLabels, Freight: f.ID, Due: tx.Now.Add(commentDelay),
	}
	return surface.Want(tx, v, look)
}

// Difference returns the strings that are in some and not in others.
func Difference(some, others []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(one string) bool { return slices.Contains(others, one) })
}
