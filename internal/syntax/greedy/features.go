package greedy

// ActionFeatures returns the features that choose the next action: those of Zhang and
// Nivre (2011) as far as they apply to greedy arc-hybrid parsing, and suffixes.
// It overwrites f.
func (s *State) ActionFeatures(f []uint32) []uint32 {
	s0, s1, s2, b0 := s.top(0), s.top(1), s.top(2), s.Next
	s0l, s0r, s1l, s1r, bl := s.left[s0], s.right[s0], s.left[s1], s.right[s1], s.left[b0]
	w0, w1, w2, wb, wb1, wb2 := &s.words[s0], &s.words[s1], &s.words[s2], &s.words[b0], &s.words[b0+1], &s.words[b0+2]
	tag := func(i int) uint32 { return uint32(s.tags[i]) }
	rel := func(i int) uint32 { return uint32(s.Rel[i]) }
	t0, t1, t2, tb, tb1, tb2 := tag(s0), tag(s1), tag(s2), tag(b0), tag(b0+1), tag(b0+2)
	count := func(i int) uint32 { return uint32(s.lefts[i])<<8 | uint32(s.rights[i]) }
	d0, d1 := uint32(0), uint32(0)
	if s0 > 0 {
		d0 = uint32(min(b0-s0, 9))
	}
	if s1 > 0 {
		d1 = uint32(min(s0-s1, 9))
	}
	between := uint32(0)
	if s0 > 0 && b0-s0 > 1 {
		between = tag(b0 - 1)
	}
	m0, m1 := s.between(s0, b0), s.between(s1, s0)
	return append(f[:0],
		key1(100, 0),
		key2(101, w0.form, t0), key1(102, w0.form), key1(103, t0),
		key2(104, w1.form, t1), key1(105, w1.form), key1(106, t1),
		key2(107, wb.form, tb), key1(108, wb.form), key1(109, tb),
		key1(110, wb1.form), key1(111, tb1), key1(112, tb2), key1(113, w2.form), key1(114, t2),
		key4(115, w0.form, t0, wb.form, tb), key2(116, w0.form, wb.form), key2(117, t0, tb),
		key3(118, w0.form, t0, tb), key3(119, t0, wb.form, tb),
		key2(120, w0.form, w1.form), key2(121, t0, t1), key3(122, w0.form, t0, t1), key3(123, t0, w1.form, t1),
		key3(124, t1, t0, tb), key3(125, t2, t1, t0), key3(126, t0, tb, tb1), key3(127, tb, tb1, tb2),
		key3(128, t0, tag(s0l), tb), key3(129, t0, tag(s0r), tb), key3(130, t0, tag(bl), tb),
		key3(131, t1, tag(s1l), t0), key3(132, t1, tag(s1r), t0), key3(133, t1, t0, tag(s0l)), key3(134, t1, t0, tag(s0r)),
		key2(135, w0.form, d0), key2(136, t0, d0), key2(137, wb.form, d0), key2(138, tb, d0), key3(139, t0, tb, d0),
		key2(140, w0.form, count(s0)), key2(141, t0, count(s0)), key2(142, wb.form, count(b0)), key2(143, tb, count(b0)), key2(144, t1, count(s1)),
		key2(145, t0, rel(s0l)), key2(146, t0, rel(s0r)), key2(147, t1, rel(s1l)), key2(148, t1, rel(s1r)), key2(149, tb, rel(bl)),
		key1(150, s.words[s0l].form), key1(151, s.words[s0r].form), key1(152, s.words[s1r].form), key1(153, s.words[bl].form),
		key3(154, t1, t0, d1), key3(155, w1.form, w0.form, tb),
		key2(156, w0.suffix[2], wb.suffix[2]), key2(157, w1.suffix[2], w0.suffix[2]),
		key3(158, w1.form, t0, tb), key3(159, tag(s1r), t0, tb),
		key3(160, rel(s.left2[s0]), rel(s0l), t0), key3(161, rel(s.right2[s1]), rel(s1r), t1),
		key4(162, t1, t0, tb, tb1), key4(163, t0, rel(s0l), rel(s0r), tb), key4(164, t1, rel(s1l), rel(s1r), t0),
		key3(165, t0, between, tb), key4(166, t2, t1, t0, tb), key3(167, w0.form, t0, rel(s0r)),
		key3(168, w1.form, t1, rel(s1r)), key3(169, s.words[s0l].form, t0, tb), key3(170, w0.form, tb, tb1),
		key3(171, wb.form, t0, tb1), key4(172, t0, t1, d0, d1), key3(173, w0.class, wb.class, d0),
		key2(180, w0.group, wb.group), key2(181, w0.group, w1.group), key3(182, w0.group, t0, tb), key3(183, t0, wb.group, tb),
		key3(184, w1.group, w0.group, tb), key4(185, t0, w0.group, tb, wb.group), key4(186, t0, w0.group, t1, w1.group), key3(187, w1.group, t1, t0),
		key3(188, w0.group, wb.group, d0), key3(189, w0.group, wb.group, wb1.group), key3(190, w1.group, w0.group, wb.group),
		// Phrases with prepositions after a verb and a noun: b0 is the preposition.
		key4(240, t1, t0, wb.form, tb1), key4(241, t1, t0, wb.form, wb1.form), key3(242, w0.form, wb.form, tb1), key3(243, w1.form, wb.form, tb1),
		key3(244, w0.group, wb.form, wb1.group), key3(245, w1.group, wb.form, wb1.group), key4(246, w0.group, wb.form, tb1, wb2.group), key4(247, t1, t0, wb.form, wb2.group),
		key2(250, w0.form, s.after[s0]), key3(251, t0, s.after[s0], tb), key3(252, t0, s.before[s0], tb), key2(253, w0.form, s.before[s0]),
		key2(254, w1.form, s.after[s1]), key3(255, t1, s.after[s1], t0), key3(256, t1, s.before[s1], t0), key3(257, tb, s.before[b0], t0),
		key3(270, t0, tb, m0), key3(271, t1, t0, m1), key2(272, w0.form, m0), key4(273, t1, t0, tb, m1), key4(274, t0, d0, tb, m0),
		key2(280, w0.theme, tb), key2(281, wb.theme, t0), key2(282, w1.theme, t0), key4(283, w0.topic, wb.topic, t0, tb), key3(284, w0.theme, wb.topic, tb),
		key3(285, w0.topic, wb.theme, t0), key4(286, w1.topic, w0.topic, t1, t0), key3(287, w1.theme, w0.topic, t0), key3(288, w1.topic, w0.theme, t0),
		key3(289, w0.topic, wb.form, wb1.topic), key3(290, w1.topic, wb.form, wb1.topic), key4(291, t1, t0, wb.form, wb2.topic),
	)
}

// LabelFeatures returns the features that choose the relation of word d to its head h.
// It overwrites f.
func (s *State) LabelFeatures(f []uint32, h, d int) []uint32 {
	wh, wd := &s.words[h], &s.words[d]
	tag := func(i int) uint32 { return uint32(s.tags[i]) }
	rel := func(i int) uint32 { return uint32(s.Rel[i]) }
	th, td := tag(h), tag(d)
	side := uint32(0)
	if h < d {
		side = 1
	}
	near := side<<4 | uint32(min(max(h-d, d-h), 6))
	child, last, sibling, right := s.left[d], s.right[d], s.left[h], s.right[h]
	return append(f[:0],
		key1(200, side), key2(201, wh.form, th), key2(202, wd.form, td), key2(203, wh.form, wd.form),
		key3(204, th, td, side), key3(205, wh.form, td, side), key3(206, th, wd.form, side), key2(207, wd.form, side),
		key3(208, td, s.words[child].form, side), key4(209, td, tag(child), rel(child), th),
		key2(210, s.words[d-1].form, td), key3(211, tag(d-1), td, th), key4(212, rel(sibling), th, td, side),
		key4(213, rel(right), th, td, side), key3(214, wd.suffix[2], td, th), key3(215, wh.suffix[2], th, td),
		key3(216, s.words[sibling].form, th, td), key3(217, rel(last), td, th), key4(218, rel(s.left2[d]), rel(child), td, th),
		key3(219, th, td, near), key3(220, wd.form, near, th), key3(221, tag(d+1), td, th), key2(222, s.words[d+1].form, td),
		key4(223, td, rel(child), rel(last), side), key4(224, th, rel(sibling), rel(right), td),
		key3(225, wh.form, s.words[child].form, side), key3(226, wd.class, wh.class, side), key3(227, wd.suffix[1], th, side),
		key3(228, wh.form, rel(right), td), key4(229, th, td, tag(s.top(1)), side),
		key3(230, wh.group, wd.group, side), key3(231, wh.group, td, side), key3(232, th, wd.group, side), key4(233, wh.group, wd.group, s.words[child].form, side),
		key3(234, wh.group, rel(sibling), td), key3(235, wh.group, rel(right), td),
		key4(260, s.words[child].form, rel(sibling), td, side), key4(261, s.words[child].form, s.before[h], td, side), key4(262, td, s.before[h], s.after[h], th),
		key4(263, td, s.before[d], s.after[d], side), key3(264, wd.form, s.before[h], side), key4(265, wd.form, td, s.before[d], side), key3(266, wd.group, s.words[child].form, th),
		key3(267, wd.form, s.words[child].form, side), key4(268, td, s.before[d], th, side),
		key3(295, wh.topic, wd.topic, side), key3(296, wh.theme, td, side), key3(297, th, wd.theme, side), key4(298, wh.topic, s.words[child].form, wd.topic, td), key4(299, wd.theme, s.words[child].form, side, td),
	)
}
