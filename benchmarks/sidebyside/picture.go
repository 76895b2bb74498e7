package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
)

// The picture has two bars for each load. Bars are drawn to the scale of their
// own load, so that a slow disk does not make all of its bars vanish.
const (
	pictureWidth = 760
	labelWidth   = 270
	barWidth     = 380 // of the faster of the two
	barHeight    = 12
	duelHeight   = 36
	titleHeight  = 34
	margin       = 14
)

const pictureHead = `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">
<rect width="100%%" height="100%%" fill="#fff"/>
`

// picture is results.svg.
func picture(records []record) []byte {
	all := sections(records)
	height := 2*margin + titleHeight
	for _, s := range all {
		height += titleHeight + len(s.duels)*duelHeight
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, pictureHead, pictureWidth, height)
	y := margin + 12
	text(&b, margin, y, "bold", "Pairs of acquire and release per second; each load to its own scale")
	y += titleHeight / 2
	for _, s := range all {
		y += titleHeight
		text(&b, margin, y-10, "bold", s.title)
		for _, d := range s.duels {
			drawDuel(&b, y, d)
			y += duelHeight
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func drawDuel(b *bytes.Buffer, y int, d duel) {
	text(b, margin, y+barHeight+4, "normal", d.ticketd.Load)
	most := max(d.ticketd.PairsPerSec, d.redis.PairsPerSec)
	for i, bar := range []struct {
		r             record
		colour, label string
	}{{d.ticketd, "#1f6f8b", "ticketd"}, {d.redis, "#c0504d", "Redis"}} {
		top := y + i*(barHeight+2)
		width := int(barWidth * bar.r.PairsPerSec / most)
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", labelWidth, top, width, barHeight, bar.colour)
		text(b, labelWidth+width+6, top+barHeight-2, "normal", fmt.Sprintf("%s %.0f", bar.label, bar.r.PairsPerSec))
	}
}

func text(b *bytes.Buffer, x, y int, weight, s string) {
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" font-weight=\"%s\">", x, y, weight)
	// Writing to a buffer never fails.
	_ = xml.EscapeText(b, []byte(s))
	b.WriteString("</text>\n")
}
