/* typedef: structures with arrays, nested structures and channels inside.
 *
 * expect: verified
 * states: 17647
 * transitions: 46349
 */

#define ROWS  2
#define COLS  3

typedef Cell {
	byte value;
	bool dirty
};

typedef Row {
	Cell cell[COLS];
	byte sum
};

typedef Matrix {
	Row row[ROWS];
	chan changed = [1] of { byte, byte };    /* row, column */
	short total
};

typedef Point { byte r; byte c };

Matrix m;
chan orders = [2] of { Point, byte };            /* a structure in a message */

active proctype Writer()
{
	Point where;
	byte r, c;

	for (r : 0 .. ROWS - 1) {
		for (c : 0 .. COLS - 1) {
			d_step { where.r = r; where.c = c };
			if
			:: orders!where, where.r * COLS + where.c
			:: (where.r + where.c) % 2 == 0 -> skip
			fi
		}
	}
	where.r = ROWS;
	orders!where, 0
}

active proctype Adder()
{
	Point p;
	byte v;

	do
	:: orders?p, v ->
		if
		:: p.r == ROWS -> break
		:: else
		fi;
		m.row[p.r].cell[p.c].value = v + 1;
		m.row[p.r].cell[p.c].dirty = true;
		m.changed!p.r, p.c
	od;
	m.changed!ROWS, 0
}

active proctype Totaller()
{
	byte r, c;

	do
	:: m.changed?r, c ->
		if
		:: r == ROWS -> break
		:: else
		fi;
		assert(m.row[r].cell[c].dirty);
		m.row[r].cell[c].dirty = false;
		m.row[r].sum = m.row[r].sum + m.row[r].cell[c].value;
		m.total = m.total + m.row[r].cell[c].value
	od;
	assert(m.total == m.row[0].sum + m.row[1].sum);
	assert(m.total <= 21)
}
