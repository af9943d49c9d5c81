package render

// obj is a JSON object in an answer.
type obj = map[string]any
