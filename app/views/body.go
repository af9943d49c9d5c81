package views

import (
	"fmt"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// BodyView is the content of a view of kind body: the text of a promotion's own pull request.
type BodyView struct{ gh.PullText }

func bodyAddress(repo promotion.Repo, pull int) string { return fmt.Sprintf("body:%s#%d", repo, pull) }

// BodyOf returns the text of a promotion's own pull request.
func BodyOf(
	p *promotion.Pipeline, repo promotion.Repo, pull int, at promotion.FreightStatus, f promotion.Freight, paths []string,
) BodyView {
	return BodyView{gh.PullText{
		Repo: repo, Number: pull, Body: say.PullBody(at, f, paths), Marker: p.Marker(at.Promotion.Number),
	}}
}

// NoteBody notes the text that a pull request was opened with: until there is something else to say it is not sent
// again.
func NoteBody(tx *store.Tx, key store.StageKey, n promotion.Number, look BodyView, node string) error {
	return surface.Note(tx, viewOfBody(key, n, look, node), look)
}

func viewOfBody(key store.StageKey, n promotion.Number, look BodyView, node string) store.View {
	return store.View{
		Surface: bodyAddress(look.Repo, look.Number), Pipeline: key.Pipeline, Stage: key.Stage, Kind: surface.KindBody,
		Promotion: n, Node: node,
	}
}

// wantBody writes down the text of the promotion's own pull request, where it is to say how things are now.
func wantBody(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus,
) error {
	opened, is := openedFor(s, at)
	if !is || !say.KeptUpToDate(at) || !at.Promotion.Ended.IsZero() && tx.Now.Sub(at.Promotion.Ended) > recently {
		return nil
	}
	look := BodyOf(s.Pipeline, opened.Files.Repo, opened.Pull, at, f, opened.Paths())
	return surface.Want(tx, viewOfBody(key, at.Promotion.Number, look, ""), look)
}
