package routing

import (
	"context"
	"errors"

	"github.com/seed-105a2da2/unknot/spec"
)

// Transactions tell where the messages of a network with replies are, for those who ask several relations about them.
// They are immutable and safe for concurrent use.
type Transactions struct{ t *transactions }

// CompileTransactions is [Compile] of a definition with replies whose relation commits no packets. It also returns the
// transactions that are the packets of the network.
func CompileTransactions(
	ctx context.Context, def Definition, opt CompileOptions,
) (*spec.Network, *Transactions, error) {
	if len(def.Replies) == 0 {
		return nil, nil, errors.New("transactions of a network without replies")
	}
	if err := complete(&def); err != nil {
		return nil, nil, err
	}
	opt = opt.complete()
	whole, err := wholeOf(ctx, def, opt)
	if err != nil {
		return nil, nil, located(def.Name, err)
	}
	n, err := Compile(ctx, whole, opt)
	return n, &Transactions{whole.Routing.(*transactions)}, err
}

// Alternatives returns the alternatives of a transaction at a site of the network, by another relation of its messages,
// each of whose hops the relation of the network permits there.
func (x *Transactions) Alternatives(
	at spec.ChannelID, h spec.Header, of func(spec.ChannelID, spec.Header) ([][]spec.Hop, error),
) ([][]spec.Hop, error) {
	s := x.t.stands(at, h, x.t.leg(at, h))
	messages, err := of(s.Channel, s.Header)
	all := make([][]spec.Hop, len(messages))
	for i := 0; i < len(all) && err == nil; i++ {
		all[i], err = x.t.appendOf(nil, at, h, s, messages[i])
	}
	return all, err
}
