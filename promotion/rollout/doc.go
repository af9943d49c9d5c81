// Package rollout answers which targets of a stage a promotion updates next, which of them have its freight already,
// which it has passed over, how each of them stands, and whether the stage has become another place (semantics 5). Its
// functions are pure: holds and readiness come as arguments, and nothing that is passed in is changed.
package rollout
