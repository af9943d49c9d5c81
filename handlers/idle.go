package handlers

// idle reports whether a delivery tells nothing, whatever the pipelines are: a comment without a command or by a bot,
// or a check run or suite of our own App that has just been made. A busy organization writes many such comments, and
// ours come back with everything that Waybill shows. us is the id of our App.
func (e *envelope) idle(event string, us int64) bool {
	switch event {
	case "issue_comment": // one of ours that is deleted is shown again
		return e.action == "edited" || e.action == "created" && (e.bot || !mayCommand(readable(e.text)))
	case "check_run":
		return e.action == "created" && e.app == us && us != 0 && e.status != "completed"
	case "check_suite":
		return e.action == "requested" && e.app == us && us != 0 && e.status != "completed"
	}
	return false
}
