"use strict";
// Runs unknot-page. The page sends requests as JSON and gets answers as JSON, and "ready" when the program has begun.

importScripts("wasm_exec.js");
self.ready = () => postMessage("ready");
onmessage = (e) => postMessage(self.unknot(e.data));

(async () => {
  try {
    const go = new Go();
    const packed = await fetch("unknot-page.bin");
    if (!packed.ok) throw new Error(`unknot-page.bin: ${packed.status} ${packed.statusText}`);
    const unpacked = packed.body.pipeThrough(new DecompressionStream("gzip"));
    const program = new Response(unpacked, { headers: { "Content-Type": "application/wasm" } });
    const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
    await go.run(instance);
    throw new Error("it ended");
  } catch (e) {
    postMessage(JSON.stringify({ error: { message: "unknot does not run in this browser: " + e.message } }));
  }
})();
