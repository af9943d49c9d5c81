// Package app runs Waybill. It wires the rooms below it together ([New], [NewService]) and imports all of them; each of
// them imports few others (internal/arrows has the table).
//
// A delivery passes through them in this order: package intake turns it into facts and requests, and package learn
// asks GitHub for the facts that it lacks; package loop decides the stages that it concerns; package act carries out
// the decisions; and when a stage has come to rest, package views writes down how its freight is shown, and package
// show brings that to the surfaces (show/ongithub, show/inslack, show/inapi). Package resync looks for changes that
// webhooks did not report. None of them decides what happens to freight; package promotion/decide does.
//
// All of them work with env, work, pipelines, rights and surface, and with the clients gh and slack; package api
// serves the HTTP API.
package app
