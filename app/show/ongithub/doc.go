// Package ongithub is GitHub as a surface: commands come by comments, reviews, labels and buttons of check runs;
// answers are comments and reactions; check runs, comments, labels and deployments show the state of freight.
package ongithub
