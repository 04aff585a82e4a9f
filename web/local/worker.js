// Answers requests of the API with the library, apart from the page, so that a long search does not stop it.
/* global importScripts, OrreryModule */
importScripts('orrery.js');

let current = 0;
let told = 0;

// The library calls this while it works.
self.orreryProgress = (done_frac, plans) => {
    const now = performance.now();
    if (now - told < 200) return;
    told = now;
    postMessage({ id: current, progress: { done_frac, plans } });
};

const ready = OrreryModule().then((module) => ({ module, page: module._orrery_open() }));

onmessage = async ({ data }) => {
    const { module, page } = await ready;
    const texts = [data.path, data.query, data.body].map((text) => {
        const size = module.lengthBytesUTF8(text) + 1;
        const at = module._malloc(size);
        module.stringToUTF8(text, at, size);
        return at;
    });
    const status = module._malloc(4);
    current = data.id;
    const at = module._orrery_answer(page, ...texts, status);
    const answer = at ? module.UTF8ToString(at) : '{"error":{"text":"out of memory","key":"","line":0,"column":0}}';
    const code = at ? module.getValue(status, 'i32') : 503;
    [...texts, status, at].forEach((pointer) => module._free(pointer));
    postMessage({ id: data.id, status: code, text: answer });
};
