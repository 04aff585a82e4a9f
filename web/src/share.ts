// The line below the tabs has the command that gives the same answer, and copies it or the address of the page.

import { fill, h } from './dom';

/** Copies a text; false where the browser does not allow it. */
export async function copy(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return false; // the page is not served from this machine, or the reader said no
    }
}

/** Makes a button that copies what `text` returns and says so. */
export function copyButton(label: string, name: string, text: () => string, say: (text: string) => void) {
    const button = h(
        'button',
        {
            type: 'button',
            'aria-label': name,
            onclick: async () => {
                const done = await copy(text());
                button.textContent = done ? 'Copied' : 'Not allowed';
                say(done ? `${name}: done` : 'The browser does not allow to copy');
                setTimeout(() => (button.textContent = label), 1500);
            },
        },
        label,
    );
    return button;
}

export class ShareLine {
    readonly element: HTMLElement;
    private readonly code = h('code', { tabIndex: 0, 'aria-label': 'Command line that gives the same answer' });
    private readonly box: HTMLElement;

    constructor(say: (text: string) => void, address: () => string) {
        this.box = h(
            'span',
            { class: 'command' },
            this.code,
            copyButton('Copy', 'Copy the command line', () => this.code.textContent ?? '', say),
        );
        this.element = h(
            'div',
            { class: 'share actions' },
            this.box,
            copyButton('Link', 'Copy the link to this view', address, say),
        );
    }

    /** Shows a command; an empty one hides the box. */
    show(command: string): void {
        this.box.hidden = command === '';
        fill(this.code, command);
    }
}
