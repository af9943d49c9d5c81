// Package show shows the views whose wanted look has changed, through the surfaces that they belong to.
package show
