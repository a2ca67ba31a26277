package studies

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-105a2da2/unknot/models/selection"
	"github.com/seed-105a2da2/unknot/spec"
)

func selectionQuestions() []Question {
	return []Question{
		{"classes", "the function uses every VC class in the lowest of several dimensions", about(selection.FormedOf, askClasses)},
		{"never-outside", "whatever the status of the channels, the function chooses a free one that *-channel permits", about(selection.FormedOf, askOutside)},
		{"spares-lowest-cf", "CF of the lowest of several dimensions is chosen only if no higher one has a free VC", about(selection.ChoosingOf, askSpared)},
	}
}

func selectionTrafficQuestions() []Question {
	return []Question{
		{"spares-lowest-cf", "in reachable states CF of the lowest of several dimensions is chosen only if no higher one has a free VC", about(selection.TrafficOf, askSparedThere)},
	}
}

func askClasses(ctx context.Context, o selection.Options) (Answer, error) {
	used, err := selection.Classes(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Verdict: spec.Holds, Because: "some packet and some status of the channels make it choose each"}
	for role, name := range selection.RoleNames {
		line := name + ":"
		for class, is := range used[role] {
			if is {
				line += " " + selection.ClassNames[class]
			} else if selection.Role(role) == selection.Lowest {
				answer.Verdict, answer.Because = spec.Violated, "it never chooses "+selection.ClassNames[class]+" there"
			}
		}
		answer.Evidence = append(answer.Evidence, line)
	}
	return answer, nil
}

func askOutside(ctx context.Context, o selection.Options) (Answer, error) {
	views, lines, err := selection.Outside(ctx, o)
	switch {
	case err != nil:
		return Answer{}, err
	case lines == nil:
		return Answer{Verdict: spec.Holds, Because: fmt.Sprintf("all %d statuses of the outputs of all routers for all destinations", views)}, nil
	}
	return Answer{Verdict: spec.Violated, Because: "a status of the channels in which it does not", Evidence: lines}, nil
}

// selectionUse counts what the functions of a machine choose; a reason why it is not
// known if there are too many states.
func selectionUse(ctx context.Context, m *selection.Machine) (u selection.Use, unknown string, err error) {
	const mostStates = 1_000_000
	u, err = m.Use(ctx, mostStates)
	var bound *selection.BoundError
	if errors.As(err, &bound) {
		return u, bound.Error(), nil
	}
	return u, "", err
}

// askSparedThere asks what askSpared does of the reachable states.
func askSparedThere(ctx context.Context, m *selection.Machine) (Answer, error) {
	u, unknown, err := selectionUse(ctx, m)
	switch {
	case err != nil || unknown != "":
		return Answer{Because: unknown}, err
	case u.Unspared == 0:
		return Answer{Verdict: spec.Holds, Because: fmt.Sprintf("all %d reachable states were visited", u.States)}, nil
	}
	return Answer{Verdict: spec.Violated, Because: fmt.Sprintf("%d steps of %d reachable states choose it though one has", u.Unspared, u.States), Evidence: u.Example}, nil
}

func askSpared(ctx context.Context, o selection.Options) (Answer, error) {
	lines, err := selection.Spared(ctx, o)
	switch {
	case err != nil:
		return Answer{}, err
	case lines == nil:
		return Answer{Verdict: spec.Holds, Because: "no packet and no status of the channels make it choose otherwise"}, nil
	}
	return Answer{Verdict: spec.Violated, Because: "a status of the channels in which it chooses CF there", Evidence: lines}, nil
}
