package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"waybill/config"
)

// flagTakes says what a flag takes, with an example, by the type of its value. A text is judged by its command.
var flagTakes = map[string]string{
	"duration": "a duration such as 30m or 2h",
	"int":      aNumber,
	"int64":    aNumber,
	"uint64":   aNumber,
}

const aNumber = "a whole number such as 20"

// wrongFlag puts an error of the flag parser into words of ours.
func wrongFlag(cmd *cobra.Command, err error) string {
	var value *pflag.InvalidValueError
	var lacks *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	var odd *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &value):
		f := value.GetFlag()
		if f.Value.Type() == "bool" {
			return fmt.Sprintf("--%s takes no value: leave %q out", f.Name, value.GetValue())
		}
		return fmt.Sprintf("--%s takes %s, not %q", f.Name, flagTakes[f.Value.Type()], value.GetValue())
	case errors.As(err, &lacks):
		what, _ := pflag.UnquoteUsage(lacks.GetFlag())
		return fmt.Sprintf("--%s lacks its %s", lacks.GetFlag().Name, what)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return "there is no flag -" + unknown.GetSpecifiedShortnames()
	case errors.As(err, &unknown):
		return "there is no flag --" + unknown.GetSpecifiedName() + nearFlag(cmd, unknown.GetSpecifiedName())
	case errors.As(err, &odd):
		return "there is no flag " + odd.GetSpecifiedFlag()
	}
	return err.Error()
}

// nearFlag is the end of a message about an unknown flag: the one that was probably meant.
func nearFlag(cmd *cobra.Command, name string) string {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if best := config.Nearest(name, known); best != "" {
		return "; did you mean --" + best + "?"
	}
	return ""
}

// apart refuses two flags of a command that do not go together.
func apart(cmd *cobra.Command, one, other string) {
	runs := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed(one) && cmd.Flags().Changed(other) {
			return misused("--%s and --%s do not go together: leave one of them out", one, other)
		}
		return runs(cmd, args)
	}
}
