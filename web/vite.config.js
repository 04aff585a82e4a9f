import { defineConfig } from 'vite';

// No inline script, style or image: the page runs under the policy default-src 'self'.
export default defineConfig({
    build: {
        target: 'es2022',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        chunkSizeWarningLimit: 800,
        rollupOptions: { output: { manualChunks: (id) => (/node_modules/.test(id) ? 'charts' : undefined) } },
    },
    server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
