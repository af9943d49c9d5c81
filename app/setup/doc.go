// Package setup makes the GitHub App of a new server: what the App is to have, the flow in which a person makes it in a
// browser, and the settings that come of it.
package setup
