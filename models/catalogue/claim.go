package catalogue

import (
	"slices"
	"strings"

	"github.com/seed-105a2da2/unknot/spec"
)

// LeftOut is a sentence of a model's source that no claim asks about, and the reason.
type LeftOut struct {
	Section, Sentence string // as in [Claim]
	Because           string
}

// Claim is a statement of a model's source, or a question of ours that it leaves open,
// and the command that decides it. It counts as the source's only if the sentence
// is there: either Section and Sentence are set, or Ours is.
type Claim struct {
	Section  string // of the source, such as "3.1", or "abstract", "figure 4"
	Sentence string // the text there, in translation
	Ours     bool   // the source does not say it

	Says     string       // what is decided, as a sentence or a question
	Command  []string     // arguments of unknot, such as check p3 --set variant=literal, or ask p3 distance-grows
	Property string       // of a check: the property whose verdict counts; "" after ask
	Want     spec.Verdict // the expected verdict of the command
	Finding  string       // what the verdict means: "confirmed", or an answer

	// Refuted is the reading of the sentence under which it is false; "" if it is not
	// refuted. Finding says why.
	Refuted string

	// Varied are settings that the source leaves open, each with the same verdict: several NAME=VALUE of --set, or
	// flags of the command, in place of those that Command has.
	Varied [][]string
}

// Variations lists the commands of [Claim.Varied].
func (c *Claim) Variations() (all [][]string) {
	for _, with := range c.Varied {
		command := slices.Clone(c.Command)
		for i := 0; i < len(with); i++ {
			flag, value := "--set", with[i]
			if strings.HasPrefix(value, "--") && i+1 < len(with) {
				flag, value = with[i], with[i+1]
				i++
			}
			command = append(without(command, flag, value), flag, value)
		}
		all = append(all, command)
	}
	return all
}

// without drops a flag from a command, of --set that of the same parameter.
func without(command []string, flag, value string) (rest []string) {
	name, _, _ := strings.Cut(value, "=")
	for i := 0; i < len(command); i++ {
		if command[i] == flag && i+1 < len(command) && (flag != "--set" || strings.HasPrefix(command[i+1], name+"=")) {
			i++
			continue
		}
		rest = append(rest, command[i])
	}
	return rest
}
