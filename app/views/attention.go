package views

import (
	"fmt"

	"waybill/app/surface"
	"waybill/promotion"
	"waybill/store"
)

// AttentionView is the content of a view of kind attention: what is put on a promotion's own pull request.
type AttentionView struct {
	Repo   promotion.Repo
	Number int
	promotion.Attention
}

// WantAttention writes down what is put on a pull request that has just been opened. What people take off stays off.
func WantAttention(
	tx *store.Tx, key store.StageKey, n promotion.Number, repo promotion.Repo, pull int, a promotion.Attention,
) error {
	if a.IsZero() {
		return nil
	}
	return surface.Want(tx, store.View{
		Surface: fmt.Sprintf("attention:%s#%d", repo, pull), Pipeline: key.Pipeline, Stage: key.Stage,
		Kind: surface.KindAttention, Promotion: n,
	}, AttentionView{Repo: repo, Number: pull, Attention: a})
}
