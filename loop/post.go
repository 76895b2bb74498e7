package loop

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/panjf2000/gnet/v2"
)

// poster brings rounds onto gnet's loop. gnet runs what Execute gave it after
// the socket events of an epoll batch, and asks epoll again, without waiting,
// before it waits: so a round that is posted by an event comes when all sockets
// that were ready have been read.
//
// But what is executed while a round runs comes right behind it, before the
// sockets are looked at. Somebody who always wants one more round (a snapshot,
// a crowd of TLS clients) would keep the loop from them for ever. So after
// roundsInARow it goes by the alarm, which gives gnet its turn.
type poster struct {
	state atomic.Int32
	// run is what comes onto the loop.
	run gnet.Runnable

	// gate is shut before gnet closes its descriptors: a round posted after
	// that would be written to whatever has them by then.
	gate  sync.RWMutex
	shut  bool
	loop  gnet.EventLoop
	inRow int // rounds since the sockets were last looked at; the loop's own
}

const (
	roundNone    int32 = iota
	roundPosted        // it will come
	roundRuns          // and what is asked for now may be too late for it
	roundWanted        // it runs, and another is wanted
	roundsInARow = 4
)

// post asks for a round that begins from now on. Any goroutine.
func (p *poster) post() {
	for {
		switch state := p.state.Load(); {
		case state == roundPosted || state == roundWanted:
			return
		case state == roundRuns && p.state.CompareAndSwap(roundRuns, roundWanted):
			return
		case state == roundNone && p.state.CompareAndSwap(roundNone, roundPosted):
			p.execute()
			return
		}
	}
}

func (p *poster) execute() {
	p.gate.RLock()
	defer p.gate.RUnlock()
	if !p.shut {
		// The error says that the loop has ended.
		_ = p.loop.Execute(context.Background(), p.run)
	}
}

// close makes post do nothing from now on. Any goroutine.
func (p *poster) close() {
	p.gate.Lock()
	defer p.gate.Unlock()
	p.shut = true
}

// begin and end are called around each round.
func (p *poster) begin() { p.state.Store(roundRuns) }

// end reports whether another round is wanted, and the alarm has to bring it.
func (p *poster) end() (byAlarm bool) {
	if p.state.CompareAndSwap(roundRuns, roundNone) {
		return false
	}
	p.state.Store(roundNone)
	if p.inRow++; p.inRow < roundsInARow {
		p.post()
		return false
	}
	return true
}

// looked notes that the sockets have had their turn.
func (p *poster) looked() { p.inRow = 0 }
