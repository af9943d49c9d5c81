package views

import (
	"fmt"
	"slices"

	"waybill/app/surface"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// LabelsView is the content of a view of kind labels: our labels on a pull request. Other labels are left alone.
type LabelsView struct {
	Repo   promotion.Repo
	Number int
	Labels []string                                 // in order
	Words  map[int64]map[promotion.StageName]string // that the pipelines which take the freight say of their stages
}

// note has a pipeline say a word of one of its stages; "" is none. Where stages of two pipelines have one name, the
// label shows the worse word.
func (v *LabelsView) note(of store.StageKey, word string) {
	if v.Words == nil {
		v.Words = map[int64]map[promotion.StageName]string{}
	}
	if v.Words[of.Pipeline] == nil {
		v.Words[of.Pipeline] = map[promotion.StageName]string{}
	}
	v.Words[of.Pipeline][of.Stage] = word
	if word == "" {
		delete(v.Words[of.Pipeline], of.Stage)
	}
	worst := map[promotion.StageName]string{}
	for _, stages := range v.Words {
		for name, word := range stages {
			worst[name] = say.WorseLabel(worst[name], word)
		}
	}
	v.Labels = nil
	for name, word := range worst {
		v.Labels = append(v.Labels, say.StageLabel(name, word))
	}
	slices.Sort(v.Labels)
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
	look.note(key, say.Label(at))
	if !there && len(look.Labels) == 0 {
		return nil
	}
	v := store.View{
		Surface: address, Pipeline: key.Pipeline, Kind: surface.KindLabels, Freight: f.ID, Due: tx.Now.Add(commentDelay),
	}
	return surface.Want(tx, v, look)
}

// Difference returns the strings that are in some and not in others.
func Difference(some, others []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(one string) bool { return slices.Contains(others, one) })
}
