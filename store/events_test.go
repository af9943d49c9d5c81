package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"waybill/promotion"
	"waybill/store"
)

func TestTrail(t *testing.T) { prove(t, trail) }

var trail = []test{
	{"every line of the audit trail continues the one before, whoever follows it with nothing but SHA-256 (T40)",
		func(w *world) {
			w.logged("\" \\ \n \x00 \xff \u2028 <&>", "a", "b")
			prev := ""
			for i, l := range w.trail(store.ServerChain, 0) {
				body, hash, _ := strings.Cut(strings.TrimSuffix(l.String(), `"}`), `,"hash":"`)
				sum := sha256.Sum256([]byte(body))
				w.Equal(hex.EncodeToString(sum[:]), hash)
				var said struct {
					Seq              int
					Text, Prev, Hash string
				}
				w.NoError(json.Unmarshal([]byte(l.String()), &said))
				w.Equal(i+1, said.Seq)
				w.Equal(prev, said.Prev)
				w.Equal(hash, said.Hash)
				prev = hash
			}
			all := w.trail(store.ServerChain, 0)
			w.Len(all, 3)
			w.Equal(all[2:], w.trail(store.ServerChain, 2), "from a line on")
			w.NotContains(all[0].String(), "\n")
		}},
	{"the newest lines come first, and the commands about a promotion alone", func(w *world) {
		command := store.Event{Pipeline: store.ServerChain, Kind: store.EventCommand, Promotion: 7}
		w.NoError(w.store.Update(w.Context(), func(tx *store.Tx) error {
			for _, word := range []string{"approve", "deny"} {
				command.Word = word
				if err := tx.Audit.Log(command, store.Event{
					Pipeline: store.ServerChain, Kind: store.EventState, Promotion: 7, Word: "running",
				}, store.Event{Pipeline: store.ServerChain, Kind: store.EventCommand, Promotion: 8, Word: "hold"}); err != nil {
					return err
				}
			}
			return nil
		}))
		w.NoError(w.store.View(w.Context(), func(tx *store.Tx) error {
			words := func(events []store.Event, err error) (all []string) {
				w.NoError(err)
				for _, e := range events {
					all = append(all, e.Word)
				}
				return all
			}
			w.Equal([]string{"hold", "running", "deny"}, words(tx.Audit.EventsBefore(store.ServerChain, 0, 3)))
			w.Equal([]string{"hold", "running", "approve"}, words(tx.Audit.EventsBefore(store.ServerChain, 4, 9)))
			w.Equal([]string{"approve", "deny"}, words(tx.Audit.Commands(store.ServerChain, 7, 9)))
			w.Equal([]string{"approve"}, words(tx.Audit.Commands(store.ServerChain, 7, 1)))
			return nil
		}))
	}},
	{"what another caller wrote in the same commit is continued, what was undone leaves no gap", func(w *world) {
		w.logged("a")
		err := w.store.Update(w.Context(), func(tx *store.Tx) error {
			w.NoError(tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "undone"}))
			return store.ErrConflict
		})
		w.ErrorIs(err, store.ErrConflict)
		w.logged("b")
		w.checked(2)
	}},
	{"a command is in the audit trail with who, where, what was typed, what was shown, what was said " +
		"and by which rule (T40)", func(w *world) {
		w.open(dev, 1, w.merge(1), 10)
		id := w.ask(promotion.Request{
			Command: promotion.Command{Verb: promotion.CmdApprove, Stage: dev}, By: promotion.Actor{ID: 5, Login: "ann"},
			Surface: "acme/deploy#10", At: start, Permission: promotion.Write, Typed: "f00d",
		})
		w.decide()
		line := w.commands()[0]
		w.Equal(store.Event{
			Seq: line.Seq, At: start, Pipeline: pipeline, Stage: dev, Kind: store.EventCommand, Word: "approve",
			Outcome: "refused", Reason: line.Reason, By: promotion.Actor{ID: 5, Login: "ann"}, Source: "acme/deploy#10",
			Plan: line.Plan, Typed: "f00d", Rule: "default", Text: `{"verb":"approve","stage":"dev"}`, Hash: line.Hash,
		}, line)
		w.Len(line.Plan, 64, "the hash of what the pull request showed")
		w.Equal(promotion.Forbidden, line.Reason.Code, "ann is the author")
		w.apply(dev, promotion.Decision{Answered: []promotion.Answer{{Request: id}}})
		w.Len(w.commands(), 1, "answered once")
	}},
}

// logged writes lines to the audit trail.
func (w *world) logged(texts ...string) {
	w.Helper()
	for _, text := range texts {
		w.update(func(tx *store.Tx) error {
			return tx.Audit.Log(store.Event{Kind: store.EventAlert, Word: "test", Text: text})
		})
	}
}

// trail returns the lines of a chain after the line with this number.
func (w *world) trail(pipeline, after int64) (lines []store.Line) {
	w.Helper()
	w.view(func(tx *store.Tx) error {
		c, err := tx.Audit.Chain(pipeline)
		w.NoError(err)
		lines, err = tx.Audit.Trail(c, after, 1000)
		return err
	})
	return lines
}

// checked requires an intact audit trail with this many lines.
func (w *world) checked(lines int64) {
	w.Helper()
	w.view(func(tx *store.Tx) error {
		w.NoError(tx.Audit.CheckEnds(100))
		n, err := tx.Audit.CheckTrail()
		w.Equal(lines, n)
		return err
	})
}

// commands returns the lines about commands.
func (w *world) commands() (all []store.Event) {
	w.Helper()
	for _, e := range w.events() {
		if e.Kind == store.EventCommand {
			all = append(all, e)
		}
	}
	return all
}
