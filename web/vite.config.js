import { defineConfig } from 'vite';
// No inline script, style or image: the page runs under the policy default-src 'self'.
export default defineConfig({
    build: {
        target: 'es2022',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        chunkSizeWarningLimit: 800,
    },
    // The server answers only a page of its own origin, so the name of the host stays.
    server: { proxy: { '/api': { target: process.env.ORRERY ?? 'http://127.0.0.1:8080', changeOrigin: false } } },
});
