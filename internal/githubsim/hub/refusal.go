package hub

import (
	"errors"
	"fmt"
	"net/http"
)

// Refusal is an error answer in GitHub's words.
type Refusal struct {
	Status  int
	Message string
	errors  []any
}

func (e *Refusal) Error() string { return fmt.Sprintf("%d %s", e.Status, e.Text()) }

// Text returns the message with the details of "errors", where the actual reason often is.
func (e *Refusal) Text() string {
	for _, one := range e.errors {
		switch details := one.(type) {
		case string:
			return details
		case Fields:
			if details["message"] != nil {
				return fmt.Sprint(details["message"])
			}
		}
	}
	return e.Message
}

// JSON returns the body of the answer.
func (e *Refusal) JSON() Fields {
	j := Fields{"message": e.Message, "documentation_url": "https://docs.github.com/rest", "status": fmt.Sprint(e.Status)}
	if len(e.errors) > 0 {
		j["errors"] = e.errors
	}
	return j
}

// Refuse returns a Refusal with a status.
func Refuse(status int, format string, args ...any) error {
	return &Refusal{Status: status, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns the 404 for a resource that does not exist, or that the caller may not see.
func NotFound() error { return Refuse(http.StatusNotFound, "Not Found") }

// Invalid returns a 422 with only a message.
func Invalid(format string, args ...any) error {
	return Refuse(http.StatusUnprocessableEntity, format, args...)
}

// ValidationFailed returns GitHub's 422 with one reason. The code "custom" has a message; the others (missing_field,
// invalid) have a field.
func ValidationFailed(resource, field, code, message string) error {
	details := Fields{"resource": resource, "code": code}
	if field != "" {
		details["field"] = field
	}
	if message != "" {
		details["message"] = message
	}
	return &Refusal{Status: http.StatusUnprocessableEntity, Message: "Validation Failed", errors: []any{details}}
}

// AsRefusal returns the answer for an error. An error other than a Refusal is a bug of the simulator, and a 500.
func AsRefusal(err error) *Refusal {
	var e *Refusal
	if errors.As(err, &e) {
		return e
	}
	return &Refusal{Status: http.StatusInternalServerError, Message: err.Error()}
}
