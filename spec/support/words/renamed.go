package words

import (
	"slices"
	"strings"
)

// renamed lists words of before the first release and what they are called now: properties, kinds of evidence and other
// values, flags with "--", and keywords of Starlark and faults behind the name of their function or field.
func renamed() map[string]string {
	return map[string]string{
		"deadlock": "deadlock-freedom", "livelock": "livelock-freedom", "starvation": "starvation-freedom",

		"--lanes": "--injectors", "--source": "--print", // former flags and a value
		"--settle": "--max-states", "--whole": "--explore=whole", "messages": "packets", "message": "packet",

		"fault circular-wait": "deadlock", "unknot-run": "unknot-machine-trace", // of evidence
		"unknot-refutation": "unknot-unsatisfiability-proof",

		"network source": "paper", "machine source": "paper", "replies endpoint": "request_buffer",
		"expect deadlock": "deadlock_freedom", "expect livelock": "livelock_freedom",
	}
}

// Renamed returns what is now called by another word, or "". Nothing takes the former word; errors name the new one.
func Renamed(former string) string { return renamed()[former] }

// NowCalled returns "; it is now called X" if that is one of the names, otherwise the [Suggestion].
func NowCalled(former string, names []string) string {
	if now := Renamed(former); now != "" && slices.Contains(names, strings.TrimLeft(now, "-")) {
		return "; it is now called " + now
	}
	return Suggestion(former, names)
}
