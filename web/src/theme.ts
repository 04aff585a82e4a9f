// Light or dark: as the system says, or as the reader chose with the button.

import { h } from './dom';

function setTheme(theme: string): void {
    document.documentElement.dataset['theme'] = theme;
    try {
        localStorage.setItem('theme', theme);
    } catch {
        // A private window may keep nothing.
    }
    document.dispatchEvent(new Event('themechange'));
}

function switchTheme(): void {
    const dark = document.documentElement.dataset['theme']
        ? document.documentElement.dataset['theme'] === 'dark'
        : matchMedia('(prefers-color-scheme: dark)').matches;
    setTheme(dark ? 'light' : 'dark');
}

function keptTheme(): string | null {
    try {
        return localStorage.getItem('theme');
    } catch {
        return null;
    }
}

/** Takes the theme that was chosen last, and follows the system. */
export function startTheme(): void {
    const kept = keptTheme();
    if (kept === 'light' || kept === 'dark') setTheme(kept);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
        document.dispatchEvent(new Event('themechange')),
    );
}

export const themeButton = (): HTMLButtonElement =>
    h(
        'button',
        {
            type: 'button',
            class: 'theme',
            'aria-label': 'Switch between light and dark',
            title: 'Light or dark',
            onclick: switchTheme,
        },
        '◐',
    );
