package sim

import "ticketing/proto"

// What the server's loop does for its clients' connections.

// accept admits a client's connection.
func (h *host) accept(s *session) {
	s.conn = h.node.Open()
	for len(h.sessions) <= s.conn.Index() {
		h.sessions = append(h.sessions, nil)
	}
	h.sessions[s.conn.Index()] = s
}

// received takes in bytes from a client.
func (h *host) received(s *session, b []byte) {
	if s.conn == 0 || s.broken {
		return
	}
	s.in = append(s.in, b...)
	var r proto.Request
	for {
		n, reason := proto.ParseRequest(s.in, &r)
		switch {
		case reason == proto.BadFrame:
			h.breakStream(s)
			return
		case n == 0:
			return
		case reason != "":
			h.node.Refuse(s.conn, reason)
		case r.Op != 0:
			h.node.Request(s.conn, &r)
		}
		s.in = s.in[n:]
	}
}

// linger is how long at most the refusal of a broken stream waits for the
// answers to what came before.
const linger = second

// breakStream notes that s sent what is no frame: what came before is settled
// first, then the client is told.
func (h *host) breakStream(s *session) {
	s.broken = true
	h.broken = append(h.broken, s)
	life := h.life
	h.w.after(linger, func() {
		h.deliver(life, func() {
			if s.conn != 0 {
				h.refuse(s)
			}
		})
	})
}

// refuseBroken ends all connections with broken streams.
func (h *host) refuseBroken() {
	list := h.broken
	h.broken = nil
	for _, s := range list {
		if s.conn != 0 {
			h.refuse(s)
		}
	}
}

func (h *host) refuse(s *session) {
	s.reply(proto.AppendError(nil, proto.BadFrame), false)
	h.hangUp(s)
}

// hangUp ends a client's connection from the server's side, after what it was
// sent.
func (h *host) hangUp(s *session) {
	h.w.checks.disconnected(s)
	h.lost(s)
	s.serverClosed()
}

// lost notices that a client's connection has ended.
func (h *host) lost(s *session) {
	if s.conn == 0 {
		return
	}
	h.node.Gone(s.conn, s.unsent)
	h.sessions[s.conn.Index()] = nil
	s.conn = 0
	s.unsent = nil
	h.openRound()
}

// ended notices that the client has closed its side: so does the server.
func (h *host) ended(s *session) {
	if s.conn != 0 {
		h.hangUp(s)
	}
}
