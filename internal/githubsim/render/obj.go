package render

// obj is a JSON object on its way out.
type obj = map[string]any
