// Package torture plays random histories of the whole program: the app's own workers, the real store on SQLite, the
// real client of GitHub, and a simulated GitHub. A seed decides everything: what people, CI and accidents do, and in
// which order the program's hands, its webhooks and its crashes follow each other.
//
// A history is played inside a bubble of testing/synctest, so that time is the scheduler's: deadlines, naps and clocks
// cost nothing and always come in the same order. Every worker of the app does one step at a time on a goroutine of its
// own, which stops before and after each request to GitHub. The scheduler lets exactly one of them go on, and looks
// what holds afterwards. What a hand does between two requests is therefore never torn apart, except by the crashes:
// those also come between two transactions.
//
// It is a test kit: nothing in the product imports it.
package torture
