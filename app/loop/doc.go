// Package loop decides stages (decide.go), and does the work that is due at intervals: it removes old rows (forget.go),
// notes the ends of the audit trail's chains (audit.go), and finds out whether GitHub can be reached (greet.go).
package loop
