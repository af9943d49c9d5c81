package say

import "waybill/promotion"

// Ungranted says what does not work because the App lacks a permission or an event.
func Ungranted(m promotion.Ungranted) string {
	if m.Event {
		return "GitHub does not send the App the event " + m.Name + ". Until it does: " + m.Off
	}
	return "The App lacks the permission " + m.Name + ". Until it is granted: " + m.Off
}

// AllUngranted says each of them.
func AllUngranted(all []promotion.Ungranted) []string {
	sentences := make([]string, len(all))
	for i, m := range all {
		sentences[i] = Ungranted(m)
	}
	return sentences
}
