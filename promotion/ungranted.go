package promotion

// Ungranted is a permission or an event that the App lacks on GitHub, and what does not work without it.
type Ungranted struct {
	Name  string // of the event: "check_run", or of the permission with its level: "Checks (write)"
	Event bool   // GitHub does not send an event
	Off   string // what does not work, or comes late
}
