package gh

import "unicode/utf8"

// GitHub's limits, in bytes. It counts characters in some places; a text that is short enough in bytes is in both.
const (
	maxBody      = 65_000 // of a comment, a description, or the summary of a check run: 65,535 and 65,536
	maxTitle     = 250    // of a pull request: 256
	maxBranch    = 244    // of a ref: 255 with refs/heads/
	maxErrorText = 1_000  // the part of an error that we keep
	maxErrorBody = 64 << 10
)

// cut marks a text that was too long.
const cut = "…"

// clip shortens a text to at most n bytes without breaking a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	end := max(0, n-len(cut))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cut
}

// marked returns a text that ends in its marker, however long it is.
func marked(text, marker string) string {
	if marker == "" {
		return clip(text, maxBody)
	}
	return clip(text, maxBody-len(marker)-2) + "\n\n" + marker
}
