// A page without a server: requests of the API go to a worker with the library, and its answers look like a server's.
(() => {
    const ROOT = '/api/v1/';
    const STREAMS = new Set(['search', 'sweep']); // answered as server-sent events
    const network = window.fetch.bind(window);
    const base = new URL('.', document.currentScript.src);
    const waiting = new Map();
    let worker = null;
    let last = 0;

    function start() {
        worker = new Worker(new URL('worker.js', base));
        worker.onmessage = ({ data }) => waiting.get(data.id)?.(data);
    }

    // A search cannot hear that nobody waits for it any more: its worker ends, and other requests are asked again.
    function restart() {
        const asked = [...waiting.values()].map((one) => one.message);
        worker.terminate();
        start();
        asked.forEach((message) => worker.postMessage(message));
    }

    function ask(path, query, body, hear, signal) {
        const id = ++last;
        const message = { id, path, query, body };
        const on = (data) => {
            if (!data.progress) waiting.delete(id);
            hear(data);
        };
        on.message = message;
        waiting.set(id, on);
        signal?.addEventListener('abort', () => {
            if (!waiting.delete(id)) return;
            hear({ aborted: true });
            restart();
        });
        worker.postMessage(message);
    }

    start(); // the library is compiled while the page is still being read

    const event = (name, text) => `event: ${name}\n${text.trimEnd().replace(/^/gm, 'data: ')}\n\n`;
    const gone = () => new DOMException('nobody waits any more', 'AbortError');

    function plain(path, query, body, signal) {
        return new Promise((resolve, reject) =>
            ask(path, query, body, (data) => {
                if (data.aborted) reject(gone());
                else if (data.text !== undefined) resolve(new Response(data.text, { status: data.status }));
            }, signal),
        );
    }

    function streamed(path, query, body, signal) {
        const encoder = new TextEncoder();
        return new Promise((resolve) => {
            const stream = new ReadableStream({
                start(controller) {
                    const send = (name, text) => controller.enqueue(encoder.encode(event(name, text)));
                    ask(path, query, body, (data) => {
                        if (data.aborted) controller.error(gone());
                        else if (data.progress) send('progress', JSON.stringify(data.progress));
                        else {
                            send(data.status === 200 ? 'result' : 'error', data.text);
                            controller.close();
                        }
                    }, signal);
                },
            });
            resolve(new Response(stream, { status: 200, headers: { 'Content-Type': 'text/event-stream' } }));
        });
    }

    window.fetch = (input, init = {}) => {
        const url = new URL(typeof input === 'string' ? input : input.url, location.href);
        const at = url.pathname.indexOf(ROOT);
        if (at < 0) return network(input, init);
        const path = decodeURIComponent(url.pathname.slice(at + ROOT.length));
        const answer = STREAMS.has(path) ? streamed : plain;
        return answer(path, url.search, init.body ?? '', init.signal);
    };
})();
