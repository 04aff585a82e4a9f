// This module makes elements without a framework. Styles are classes or set through the CSSOM, which the content policy
// allows.

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, unknown>;

/** Makes an element: properties that start with "on" are listeners, others are properties or attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
        else if (name === 'class') element.className = String(value);
        else if (name in element && !name.startsWith('aria') && name !== 'list' && name !== 'role')
            (element as unknown as Props)[name] = value;
        else element.setAttribute(name, value === true ? '' : String(value));
    }
    fill(element, ...children);
    return element;
}

/** Replaces the content of an element. */
export function fill(element: Element, ...children: Child[]): void {
    element.replaceChildren(
        ...children
            .filter((c): c is Node | string | number => c !== null && c !== undefined && c !== false)
            .map((c) => (typeof c === 'number' ? String(c) : c)),
    );
}

let lastId = 0;
/** Returns an id that no other element has. */
export const freshId = (stem: string): string => `${stem}-${++lastId}`;

/** Makes a labelled select; options are [value, text]. */
export function select(
    label: string,
    options: readonly (readonly [string, string])[],
    value: string,
    change: (value: string) => void,
) {
    const id = freshId('select');
    const box = h(
        'select',
        { id, onchange: () => change(box.value) },
        ...options.map(([v, text]) => h('option', { value: v }, text)),
    );
    box.value = value;
    return h('div', { class: 'field' }, h('label', { htmlFor: id }, label), box);
}

/** Hands a text or a data URL to the reader as a file. */
export function download(name: string, content: string, type?: string): void {
    const url = type ? URL.createObjectURL(new Blob([content], { type })) : content;
    const link = h('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    if (type) setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Runs a call at once, but not more often than every `wait_ms`; the last call always runs. */
export function throttle(wait_ms: number, call: () => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = -Infinity;
    return () => {
        clearTimeout(timer);
        const rest = last + wait_ms - performance.now();
        const run = () => {
            last = performance.now();
            call();
        };
        if (rest <= 0) run();
        else timer = setTimeout(run, rest);
    };
}

/** Runs only the last call, once there was none for `wait_ms`. */
export function debounce<A extends unknown[]>(wait_ms: number, call: (...args: A) => void): (...args: A) => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    return (...args) => {
        clearTimeout(timer);
        timer = setTimeout(() => call(...args), wait_ms);
    };
}
