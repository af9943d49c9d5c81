package views

import (
	"fmt"
	"time"

	"waybill/app/gh"
	"waybill/app/surface"
	"waybill/promotion"
	"waybill/promotion/say"
	"waybill/store"
)

// wantCheck writes down the check run of a freight and stage, which is on the freight's source commit.
func wantCheck(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus,
) error {
	address := checkOf(key.Pipeline, key.Stage, f.ID)
	run := checkRun(s, f, at)
	var before CheckView
	if _, err := surface.Wanted(tx, address, &before); err != nil {
		return err
	}
	run.Turns = before.Turns
	if before.Present == run.Present && before.Title == run.Title {
		run.Answer = before.Answer // until there is news
	}
	v := store.View{
		Surface: address, Pipeline: key.Pipeline, Stage: key.Stage, Kind: surface.KindCheck, Freight: f.ID, Pressing: true,
		Commit: run.SHA,
	}
	if before.Rolling && run.Rolling {
		v.Pressing, v.Due = false, tx.Now.Add(rollingDelay)
	}
	return surface.Want(tx, v, run)
}

// checkOf names the check run of a freight and stage.
func checkOf(pipeline int64, stage promotion.StageName, f promotion.FreightID) string {
	return fmt.Sprintf("%s%d/%s/%s", CheckAddress, pipeline, stage, f)
}

// rollingDelay is how long a check run waits for more news if only the targets of a rollout have changed: a thousand
// clusters that report one after the other would be a thousand requests.
const rollingDelay = 10 * time.Second

// checkRun returns the check run of a freight and stage (docs/github.md).
func checkRun(s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus) CheckView {
	run := CheckView{Repo: f.Repo, Pull: f.Pull, Merged: f.At(), CheckRun: gh.CheckRun{
		Pipeline: s.Pipeline.ID, SHA: f.SHA, Name: "waybill / " + string(s.Stage.Name),
		Subject: fmt.Sprintf("%s/%s", f.Name, s.Stage.Name),
	}}
	if p := at.Promotion; p != nil {
		run.Present = "p" + p.Number.String()
		run.Rolling = p.Rolls() && p.State == promotion.Verifying
	}
	run.Status, run.Conclusion = say.Conclusion(at)
	for _, b := range say.Buttons(at) {
		run.Actions = append(run.Actions, gh.Action{Label: b.Label, Description: b.Does, Identifier: buttonOf(s, at, b)})
	}
	if f.Pull == 0 {
		run.Freight = f.Name
	}
	run.Title, run.Summary = say.Title(at), say.Summary(at, s.Stage.Name)
	return run
}

// buttonOf returns the identifier of a button, of which GitHub takes 20 characters. That of a sign-off names the commit
// that is shown, because a page that a person has open may show an older one.
func buttonOf(s *promotion.Snapshot, at promotion.FreightStatus, b say.Button) string {
	if b.Verb != promotion.CmdApprove {
		return string(b.Verb)
	}
	head := s.Attempt(at.Promotion.Number).Made.Head
	return string(b.Verb) + " " + string(head[:min(12, len(head))])
}

// wantCheckOnPromotion writes down the check run on the head of the promotion's own pull request. It appears as soon as
// people have to sign it off, because reviewers decide there. Where stages guard their files it appears as soon as
// GitHub blocks the merge, because GitHub may wait for it.
func wantCheckOnPromotion(
	tx *store.Tx, key store.StageKey, s *promotion.Snapshot, f promotion.Freight, at promotion.FreightStatus,
) error {
	opened, is := openedFor(s, at)
	if !is {
		return nil
	}
	if others, err := leaveToGuards(tx, key, s, opened); err != nil || others {
		return err
	}
	address := HeadAddress(key.Pipeline, key.Stage, opened.Made.Head)
	var before CheckView
	there, err := surface.Wanted(tx, address, &before)
	if waits := at.Promotion.State == promotion.WaitingForMerge; err == nil && waits {
		own := promotion.Candidate{Into: opened.Files, Pull: opened.Pull, Head: opened.Made.Head}
		err = PassOwn(tx, key.Pipeline, s.Pipeline, own, key.Stage)
		there = there || s.Stage.Guard
	}
	if err != nil || !there && !say.WaitsForSignOff(at) {
		return err
	}
	run := checkRun(s, f, at)
	run.Repo, run.Pull, run.SHA = opened.Files.Repo, opened.Pull, opened.Made.Head
	if !say.WaitsForSignOff(at) {
		run.Conclusion, run.Actions, run.Rolling = conclusionOf(at.Promotion.State), nil, false
		run.Status = "completed"
	}
	run.Turns = before.Turns
	if before.Title == run.Title {
		run.Answer = before.Answer
	}
	v := store.View{
		Surface: address, Pipeline: key.Pipeline, Stage: key.Stage, Kind: surface.KindCheck, Promotion: at.Promotion.Number,
		Commit: run.SHA,
	}
	return surface.Want(tx, v, run)
}

// conclusionOf returns the conclusion of the check run on a pull request of ours, after people have decided on it.
func conclusionOf(s promotion.State) (conclusion string) {
	if s == promotion.Cancelled || s == promotion.Declined {
		return "cancelled"
	}
	return "success"
}

// ConfigCheck is the name of the check run on the pipeline files.
const ConfigCheck = "waybill / config"

// WantConfigCheck writes down the check run on the pipeline files: red with all their errors, green once they are
// corrected.
func WantConfigCheck(tx *store.Tx, row store.PipelineRow) error {
	run := CheckView{Repo: row.Repo, CheckRun: gh.CheckRun{
		Pipeline: row.ID, SHA: row.ConfigSHA, Name: ConfigCheck, Subject: "config", Status: "completed",
		Conclusion: "success", Title: "The pipeline files are in force", Summary: "Nothing is wrong with them.",
	}}
	if row.ConfigError != "" {
		run.Conclusion, run.Title = "failure", "The pipeline files cannot be used"
		run.Summary = say.ConfigTrouble(row.ConfigError)
	}
	return WantOnConfig(tx, row, run)
}

// WantOnConfig writes down the check run on the pipeline files of a commit.
func WantOnConfig(tx *store.Tx, row store.PipelineRow, run CheckView) error {
	return surface.Want(tx, store.View{
		Surface: configAddress(row.ID, run.SHA), Pipeline: row.ID, Kind: surface.KindCheck, Commit: run.SHA,
	}, run)
}

// ConfigRun returns the check run on the pipeline files of a commit, if there is one.
func ConfigRun(tx *store.Tx, pipeline int64, commit promotion.SHA) (run CheckView, there bool, err error) {
	there, err = surface.Wanted(tx, configAddress(pipeline, commit), &run)
	return run, there, err
}

func configAddress(pipeline int64, commit promotion.SHA) string {
	return fmt.Sprintf("%s%d/config/%s", CheckAddress, pipeline, commit)
}

// CheckView is the content of a view of kind check: a check run and its repository.
type CheckView struct {
	Repo    promotion.Repo
	Pull    int    // of the freight; 0: none
	Freight string `json:",omitempty"` // its name, if it has no pull request
	// Merged is when the freight was merged: the check run is not older. Zero: not known.
	Merged time.Time `json:",omitzero"`
	Answer string    // to the button that was pressed last, in Markdown
	// Unasked says of a check run on proposed files that nobody with write access has asked what they would do.
	Unasked bool `json:",omitempty"`
	Rolling bool `json:",omitempty"` // it shows targets of a rollout, some of which are being verified
	gh.CheckRun
}

// CheckAddress begins the address of a check run, which is also the address of answers to its buttons.
const CheckAddress = "check:"
