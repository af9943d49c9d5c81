// Package loop decides stages (decide.go), and does what nobody asks for: it removes old rows (forget.go), notes the
// ends of the audit trail's chains (audit.go), and finds out whether GitHub can be reached (greet.go).
package loop
