package rest

// fill adds to an answer what GitHub's description requires and the simulator has nothing to say about.
func (a *API) fill(r route, out reply) (any, error) {
	switch body := out.Body.(type) {
	case obj:
		return a.Contract.Fill(r.method, r.template, out.Status, body)
	case []any:
		objects := make([]map[string]any, 0, len(body))
		for _, one := range body {
			object, isObject := one.(obj)
			if !isObject {
				return body, nil
			}
			objects = append(objects, object)
		}
		return a.Contract.FillList(r.method, r.template, out.Status, objects)
	}
	return out.Body, nil
}
