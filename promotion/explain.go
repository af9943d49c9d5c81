package promotion

// Right says whether somebody may give a command in a stage, and by which rule.
type Right struct {
	Verb CommandVerb
	Rule string   // where the rule stands: ".github/waybill.policy.yml:7"; "default"; or "none", and nobody may
	Why  Reason   // why they may not; the zero reason if they may
	Not  []string // who is left out even so, by the part they play in the promotion: "author", "requester", "last-pusher"
	Own  bool     // they may lift their own holds and those of Waybill, and nobody else's
}
