package jsonata

// maxChunk is how many nodes are made at once at most: what is left over of them is
// kept as long as the tree.
const maxChunk = 64

// chunk is how many nodes are made at once: about as many as the rest of the
// expression needs.
func (p *parser) chunk() int { return min(maxChunk, 3+(len(p.src)-p.prev.end)/4) }

// room allocates one array for the pending nodes and the lists of a small expression. Lists
// that grow are copied, so that they take one and a half places for each node.
func (p *parser) room() {
	const pending = 8
	room := make([]*Node, pending+p.chunk()*3/2)
	p.pending, p.lists = room[:0:pending], room[pending:pending]
}

// node returns a new node that ends with the last token consumed. It keeps a copy of
// args.
func (p *parser) node(kind Kind, start int, args ...*Node) *Node {
	if len(p.nodes) == 0 {
		p.nodes = make([]Node, p.chunk())
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	n.Kind, n.Start, n.End = kind, start, p.prev.end
	if len(args) > 0 {
		n.Args = p.cut(len(args))
		copy(n.Args, args)
		for _, a := range args {
			p.over(n, a)
		}
	}
	return n
}

// add makes n the last of the pending nodes.
func (p *parser) add(n *Node) { p.pending = append(p.pending, n) }

// gather returns a new node whose arguments are the pending nodes from base on.
func (p *parser) gather(kind Kind, start, base int) *Node {
	n := p.node(kind, start, p.pending[base:]...)
	p.pending = p.pending[:base]
	return n
}

// gatherAll is gather for a node that passes on what its arguments seek.
func (p *parser) gatherAll(kind Kind, start, base int) *Node {
	n := p.gather(kind, start, base)
	n.inherit(n.Args...)
	return n
}

// cut returns a list of size nodes, cut from a shared array.
func (p *parser) cut(size int) []*Node {
	from := len(p.lists)
	if size > cap(p.lists)-from {
		p.lists, from = make([]*Node, 0, max(size, p.chunk())), 0
	}
	p.lists = p.lists[:from+size]
	return p.lists[from : from+size : from+size]
}

// longList is the length from which on a list grows by itself, so that it is not copied
// with each node.
const longList = 8

// extended returns list with one more node: in its place where it was the last to be cut.
func (p *parser) extended(list []*Node, n *Node) []*Node {
	size, used := len(list), len(p.lists)
	switch {
	case size > 0 && used >= size && used < cap(p.lists) && &list[size-1] == &p.lists[used-1]:
		p.lists = append(p.lists, n)
		return p.lists[used-size : used+1 : used+1]
	case size >= longList:
		return append(list, n)
	}
	longer := p.cut(size + 1)
	copy(longer, list)
	longer[size] = n
	return longer
}

// over makes n at least as high as a node that holds part must be.
func (p *parser) over(n, part *Node) {
	if part.height >= n.height {
		if n.height = part.height + 1; n.height > MaxChain && p.err == nil {
			p.fail(chained(part))
		}
	}
}

// path returns the path of one step.
func (p *parser) path(step *Node) *Node {
	n := p.node(KindPath, step.Start)
	n.Args, n.End, n.height = p.extended(nil, step), step.End, step.height+1
	return n
}

// asPath returns n if it is a path, else the path of it as the only step.
func (p *parser) asPath(n *Node) *Node {
	if n.Kind == KindPath {
		return n
	}
	return p.path(n)
}
