// Names beside marks of a chart, as many as fit without touching each other.

export interface Mark {
    x: number;
    y: number;
    radius: number;
    text: string;
}

export interface Place {
    position: 'right' | 'left' | 'top' | 'bottom';
}

export interface Box {
    left: number;
    right: number;
    top: number;
    bottom: number;
}

/** Returns where the name of a level stands: above its line, at the right end of the plot. */
export const levelBox = (text: string, y: number, width_px: number): Box => ({
    left: width_px - CHARACTER_PX * text.length - 4,
    right: width_px,
    top: y - LINE_PX - 2,
    bottom: y,
});

const CHARACTER_PX = 6.3;
const LINE_PX = 13;

function boxOf(m: Mark, position: Place['position']): Box {
    const width = CHARACTER_PX * m.text.length;
    const gap = m.radius + 4;
    const left = { right: m.x + gap, left: m.x - gap - width, top: m.x - width / 2, bottom: m.x - width / 2 }[position];
    const middle = { right: m.y, left: m.y, top: m.y - gap - LINE_PX / 2, bottom: m.y + gap + LINE_PX / 2 }[position];
    return { left, right: left + width, top: middle - LINE_PX / 2, bottom: middle + LINE_PX / 2 };
}

const apart = (a: Box, b: Box): boolean => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;

/**
 * Places the names of marks, the first ones first, inside a plot of this size. The answer has undefined where a name
 * would touch another name, a mark or what is reserved.
 */
export function placeLabels(
    marks: readonly Mark[],
    width_px: number,
    height_px: number,
    reserved: readonly Box[] = [],
): (Place | undefined)[] {
    const around: Box[] = marks.map((m) => ({
        left: m.x - m.radius,
        right: m.x + m.radius,
        top: m.y - m.radius,
        bottom: m.y + m.radius,
    }));
    const taken = [...around, ...reserved];
    return marks.map((m, i) => {
        const twin = (o: Mark) => o.text === m.text && Math.hypot(o.x - m.x, o.y - m.y) < 2 * LINE_PX;
        if (marks.slice(0, i).some(twin)) return undefined; // one name is enough for both
        for (const position of ['right', 'left', 'top', 'bottom'] as const) {
            const box = boxOf(m, position);
            const inside = box.left >= 0 && box.right <= width_px && box.top >= 0 && box.bottom <= height_px;
            if (!inside || !taken.every((other, j) => j === i || apart(box, other))) continue;
            taken.push(box);
            return { position };
        }
        return undefined;
    });
}
