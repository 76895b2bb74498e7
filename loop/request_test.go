package loop

import "testing"

func TestRequestIsAnswered(t *testing.T) {
	ts := start(t, nil)
	c := ts.connect(t)
	if got := c.acquire(7, "k"); got != (reply{'A', 1, 7, "k"}) {
		t.Fatalf("got %+v", got)
	}
}
