// Package app runs Waybill. It wires the rooms below it together ([New], [NewService]) and names all of them; each of
// them names few others (internal/arrows has the table).
//
// A delivery goes through them in this order: package intake makes facts and requests of it, with what package learn
// asks GitHub for; package loop decides the stages that it concerns; package act carries out what was decided; and when
// a stage has come to rest, package views writes down how everything should look, which package show brings to the
// surfaces (show/ongithub, show/inslack, show/inapi). Package resync looks for what no webhook has told of. None of
// them decides what happens to freight; that is package promotion/decide.
//
// Below the rooms are what all of them work with (env, work, pipelines, rights, surface) and the clients (gh, slack,
// and api, which serves the HTTP API).
package app
