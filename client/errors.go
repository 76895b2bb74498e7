package client

import (
	"errors"
	"fmt"

	"ticketing/proto"
)

// Errors, to be told apart with errors.Is. Where a context ended the call, the
// error is the context's.
var (
	// ErrHeld: the key stayed held for the whole wait.
	ErrHeld = errors.New("the key is held")
	// ErrBusy: the server is at one of its caps, on keys or on waiters.
	ErrBusy = errors.New("the server is at a cap")
	// ErrNotHeld: the token does not hold the key: the lease is over, or it was
	// released.
	ErrNotHeld = errors.New("the token does not hold the key")
	// ErrLost: the lock may not be believed in any more.
	ErrLost = errors.New("the lock is lost")
	// ErrUnavailable: no server gave an answer in time. It wraps the last thing
	// that went wrong.
	ErrUnavailable = errors.New("no server answered")
	// ErrOutcomeOpen: the request had been sent, and it is not known whether it
	// took effect. An acquire may then hold the key until its lease is over.
	ErrOutcomeOpen = errors.New("the request may have taken effect")
	// ErrAuth: the server wants another secret, or none.
	ErrAuth = errors.New("the server refused the secret")
	// ErrProtocol: the other side does not speak this protocol.
	ErrProtocol = errors.New("protocol violated")
	// ErrClosed: the Client was closed.
	ErrClosed = errors.New("the client is closed")
	// ErrArgument: a key or duration that can't be sent. Nothing was sent.
	ErrArgument = errors.New("bad argument")
)

// Why a connection ended, beside what the network says.
var (
	errSilent    = errors.New("the server fell silent")
	errNoLeader  = errors.New("the cluster has no leader")
	errNotActive = errors.New("the server is shutting down")
)

// movedError: the server does not lead, but addr does.
type movedError struct{ addr string }

func (e movedError) Error() string { return "the leader is " + e.addr }

// abortedError is what a call gets whose connection ended.
type abortedError struct {
	cause error
	open  bool // the request may take effect
}

func (e abortedError) Error() string { return "connection ended: " + e.cause.Error() }
func (e abortedError) Unwrap() error { return e.cause }

// errorOfReason: after any of these the connection is of no more use. A reason
// that names a bad request means that this package let it through.
func errorOfReason(reason proto.Reason) error {
	switch reason {
	case proto.AuthFailed:
		return ErrAuth
	case proto.NoLeader:
		return errNoLeader
	case proto.NotActive:
		return errNotActive
	}
	return fmt.Errorf("%w: the server says %q", ErrProtocol, reason)
}

// final reports whether trying again can't help.
func final(err error) bool {
	return errors.Is(err, ErrAuth) || errors.Is(err, ErrProtocol) || errors.Is(err, ErrClosed)
}

// unavailable is the error of a request that ran out of time.
func unavailable(last error, open bool) error {
	if open {
		return fmt.Errorf("%w: %w (%w)", ErrUnavailable, last, ErrOutcomeOpen)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, last)
}
